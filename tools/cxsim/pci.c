// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI side: a root bus of our own in a domain of its own, one device per
 * function, configuration space as an array of bytes with a mask of the bits
 * that software may write.  BARs are RAM that the kernel was told not to use.
 */
#include <linux/device/bus.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <asm/pci.h>

#include "cxsim.h"

#define CXSIM_DOMAIN	0x10000
#define CAP_PCIE	0x60
#define CAP_MSIX	0x9c

static ulong bar_base = 0x60000000;
module_param(bar_base, ulong, 0444);
MODULE_PARM_DESC(bar_base,
		 "physical address of reserved RAM for the BARs (boot with memmap=32M$0x60000000)");

static int vectors;
module_param(vectors, int, 0444);
MODULE_PARM_DESC(vectors,
		 "completion vectors per function, 1 to 63 (default: 63); limits the channels");

static struct cxsim *sims;
static int nsims;
static struct pci_bus *bus;
static struct pci_sysdata sysdata;

static struct resource bus_res = {
	.name = "cxsim bus", .start = 0, .end = 0,
	.flags = IORESOURCE_BUS | IORESOURCE_PCI_FIXED,
};

static struct resource win_res = {
	.name = "cxsim BARs", .flags = IORESOURCE_MEM,
};

static struct cxsim *sim_of(struct pci_bus *b, unsigned int devfn)
{
	unsigned int slot = PCI_SLOT(devfn);

	if (b->number || PCI_FUNC(devfn) || slot >= nsims)
		return NULL;
	return &sims[slot];
}

static int cfg_read(struct pci_bus *b, unsigned int devfn, int where, int size,
		    u32 *val)
{
	struct cxsim *f = sim_of(b, devfn);

	*val = ~0;
	if (!f)
		return PCIBIOS_DEVICE_NOT_FOUND;
	*val = 0;
	if (where + size <= sizeof(f->cfg))
		memcpy(val, f->cfg + where, size);
	return PCIBIOS_SUCCESSFUL;
}

static int cfg_write(struct pci_bus *b, unsigned int devfn, int where,
		     int size, u32 val)
{
	struct cxsim *f = sim_of(b, devfn);
	int i;

	if (!f)
		return PCIBIOS_DEVICE_NOT_FOUND;
	for (i = 0; i < size && where + i < sizeof(f->cfg); i++, val >>= 8) {
		u8 mask = f->cfg_mask[where + i];
		u8 *p = &f->cfg[where + i];

		WRITE_ONCE(*p, (*p & ~mask) | (val & mask));
	}
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops cfg_ops = { .read = cfg_read, .write = cfg_write };

static void put16(u8 *p, u16 v)
{
	*(__le16 *)p = cpu_to_le16(v);
}

static void put32(u8 *p, u32 v)
{
	*(__le32 *)p = cpu_to_le32(v);
}

static void cfg_init(struct cxsim *f)
{
	u8 *c = f->cfg, *m = f->cfg_mask;

	put16(c + PCI_VENDOR_ID, PCI_VENDOR_ID_MELLANOX);
	put16(c + PCI_DEVICE_ID, 0x1017);		/* ConnectX-5 */
	put16(c + PCI_SUBSYSTEM_VENDOR_ID, PCI_VENDOR_ID_MELLANOX);
	put16(c + PCI_SUBSYSTEM_ID, 0x0007);
	put16(c + PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET);
	put16(c + PCI_STATUS, PCI_STATUS_CAP_LIST);
	put16(m + PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
	      PCI_COMMAND_INTX_DISABLE | PCI_COMMAND_SERR |
	      PCI_COMMAND_PARITY);
	m[PCI_CACHE_LINE_SIZE] = 0xff;
	m[PCI_LATENCY_TIMER] = 0xff;
	m[PCI_INTERRUPT_LINE] = 0xff;

	put32(c + PCI_BASE_ADDRESS_0, lower_32_bits(f->bar_pa) |
	      PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put32(c + PCI_BASE_ADDRESS_1, upper_32_bits(f->bar_pa));
	put32(m + PCI_BASE_ADDRESS_0, ~(CXSIM_BAR_SIZE - 1));
	put32(m + PCI_BASE_ADDRESS_1, ~0);

	c[PCI_CAPABILITY_LIST] = CAP_PCIE;
	c[CAP_PCIE] = PCI_CAP_ID_EXP;
	c[CAP_PCIE + PCI_CAP_LIST_NEXT] = CAP_MSIX;
	put16(c + CAP_PCIE + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	put32(c + CAP_PCIE + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_RBER);
	put16(m + CAP_PCIE + PCI_EXP_DEVCTL, 0x7fff);
	put32(c + CAP_PCIE + PCI_EXP_LNKCAP,
	      PCI_EXP_LNKCAP_SLS_8_0GB | 16 << 4);
	put16(c + CAP_PCIE + PCI_EXP_LNKSTA,
	      PCI_EXP_LNKSTA_CLS_8_0GB | 16 << 4);
	put32(c + CAP_PCIE + PCI_EXP_LNKCAP2, PCI_EXP_LNKCAP2_SLS_2_5GB |
	      PCI_EXP_LNKCAP2_SLS_5_0GB | PCI_EXP_LNKCAP2_SLS_8_0GB);

	c[CAP_MSIX] = PCI_CAP_ID_MSIX;
	put16(c + CAP_MSIX + PCI_MSIX_FLAGS, f->nvec - 1);
	put16(m + CAP_MSIX + PCI_MSIX_FLAGS,
	      PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
	put32(c + CAP_MSIX + PCI_MSIX_TABLE, CXSIM_MSIX_TABLE);
	put32(c + CAP_MSIX + PCI_MSIX_PBA, CXSIM_MSIX_PBA);
}

/* A device that is not allowed to master the bus touches no memory. */
bool cxsim_bus_master(const struct cxsim *f)
{
	return READ_ONCE(f->cfg[PCI_COMMAND]) & PCI_COMMAND_MASTER;
}

static int on_bus_event(struct notifier_block *nb, unsigned long action,
			void *data)
{
	struct device *dev = data;
	int i;

	if (action != BUS_NOTIFY_UNBOUND_DRIVER)
		return NOTIFY_DONE;
	for (i = 0; i < nsims; i++)
		if (sims[i].pdev && &sims[i].pdev->dev == dev)
			cxsim_iommu_unbound(&sims[i]);
	return NOTIFY_DONE;
}

static struct notifier_block bus_nb = { .notifier_call = on_bus_event };

static int map_bars(void)
{
	size_t size = (size_t)nsims * CXSIM_BAR_SIZE;
	int i;

	if (!IS_ALIGNED(bar_base, CXSIM_BAR_SIZE)) {
		pr_err("cxsim: bar_base 0x%lx is not aligned to 0x%x\n",
		       bar_base, CXSIM_BAR_SIZE);
		return -EINVAL;
	}
	if (region_intersects(bar_base, size, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT) {
		pr_err("cxsim: 0x%lx is RAM in use: boot with memmap=32M$0x%lx\n",
		       bar_base, bar_base);
		return -EBUSY;
	}
	for (i = 0; i < nsims; i++) {
		struct cxsim *f = &sims[i];

		f->bar_pa = bar_base + (phys_addr_t)i * CXSIM_BAR_SIZE;
		f->bar = ioremap(f->bar_pa, CXSIM_BAR_SIZE);
		if (!f->bar)
			return -ENOMEM;
		memset_io(f->bar, 0, CXSIM_BAR_SIZE);
		writel(0x43583530, f->bar);
		if (readl(f->bar) != 0x43583530) {
			pr_err("cxsim: no RAM at 0x%llx: boot with memmap=32M$0x%lx inside the RAM of this machine\n",
			       (u64)f->bar_pa, bar_base);
			return -ENODEV;
		}
		writel(0, f->bar);
	}
	return 0;
}

static void unmap_bars(void)
{
	int i;

	for (i = 0; i < nsims; i++)
		if (sims[i].bar)
			iounmap(sims[i].bar);
}

int cxsim_pci_init(struct cxsim *s, int n)
{
	LIST_HEAD(resources);
	int i, err;

	sims = s;
	nsims = n;
	if (!vectors)
		vectors = CXSIM_MSIX_MAX - 1;
	if (vectors < 1 || vectors >= CXSIM_MSIX_MAX) {
		pr_err("cxsim: vectors=%d is not in 1..%d\n", vectors,
		       CXSIM_MSIX_MAX - 1);
		return -EINVAL;
	}
	err = map_bars();
	if (err)
		goto unmap;
	for (i = 0; i < n; i++) {
		/* one more: commands, async events and pages */
		sims[i].nvec = vectors + 1;
		cfg_init(&sims[i]);
		cxsim_iseg_init(&sims[i]);
	}

	win_res.start = bar_base;
	win_res.end = bar_base + (resource_size_t)n * CXSIM_BAR_SIZE - 1;
	sysdata.domain = CXSIM_DOMAIN;
	sysdata.node = NUMA_NO_NODE;
	pci_add_resource(&resources, &bus_res);
	pci_add_resource(&resources, &win_res);
	pci_lock_rescan_remove();
	bus = pci_create_root_bus(NULL, 0, &cfg_ops, &sysdata, &resources);
	if (!bus) {
		pci_unlock_rescan_remove();
		pci_free_resource_list(&resources);
		err = -ENODEV;
		goto unmap;
	}
	pci_scan_child_bus(bus);
	pci_bus_claim_resources(bus);
	for (i = 0; i < n; i++) {
		sims[i].pdev = pci_get_slot(bus, PCI_DEVFN(i, 0));
		if (sims[i].pdev)
			cxsim_iommu_attach(&sims[i]);
	}
	bus_register_notifier(&pci_bus_type, &bus_nb);
	return 0;

unmap:
	unmap_bars();
	return err;
}

/* Separate, because drivers bind here and need the threads running. */
void cxsim_pci_start(void)
{
	pci_bus_add_devices(bus);
	pci_unlock_rescan_remove();
}

void cxsim_pci_exit(void)
{
	int i;

	/* Unbinds drivers: the threads still serve their commands. */
	pci_lock_rescan_remove();
	pci_stop_root_bus(bus);
	pci_remove_root_bus(bus);
	pci_unlock_rescan_remove();
	bus_unregister_notifier(&pci_bus_type, &bus_nb);
	for (i = 0; i < nsims; i++)
		pci_dev_put(sims[i].pdev);
}

void cxsim_pci_unmap(void)
{
	unmap_bars();
}
