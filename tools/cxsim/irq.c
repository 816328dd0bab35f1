// SPDX-License-Identifier: GPL-2.0
/*
 * MSI-X.  The table lies in the BAR, in plain RAM; the PCI core fills it.
 * A message is delivered by making the local APIC send what the message
 * asks for: vector, delivery mode and destination.
 */
#include <linux/io.h>
#include <linux/pci_regs.h>

#include "compat.h"
#include "cxsim.h"

#define MSIX_CAP	0x9c	/* see pci.c */

static bool msix_send(struct cxsim *f, u16 vector)
{
	void __iomem *entry = f->bar + CXSIM_MSIX_TABLE +
			      vector * PCI_MSIX_ENTRY_SIZE;
	u16 flags = READ_ONCE(*(u16 *)(f->cfg + MSIX_CAP + PCI_MSIX_FLAGS));
	u32 addr, data, low;
	unsigned long irq;

	if (!(flags & PCI_MSIX_FLAGS_ENABLE) ||
	    flags & PCI_MSIX_FLAGS_MASKALL)
		return false;
	if (readl(entry + PCI_MSIX_ENTRY_VECTOR_CTRL) &
	    PCI_MSIX_ENTRY_CTRL_MASKBIT)
		return false;
	addr = readl(entry + PCI_MSIX_ENTRY_LOWER_ADDR);
	data = readl(entry + PCI_MSIX_ENTRY_DATA);
	if (addr >> 20 != 0xfee || (data & 0xff) < 0x10)
		return false;

	low = data & 0x7ff;			/* vector, delivery mode */
	if (addr & BIT(2))
		low |= APIC_DEST_LOGICAL;
	/* The ICR is two registers: nothing may come between the writes. */
	local_irq_save(irq);
	cxsim_icr_write(low, addr >> 12 & 0xff);
	local_irq_restore(irq);
	return true;
}

/* From either thread of the pair. */
void cxsim_irq(struct cxsim *f, u16 vector)
{
	if (vector >= f->nvec)
		return;
	/* what the interrupt is about must be visible first */
	wmb();
	if (!msix_send(f, vector))
		set_bit(vector, f->msix_pending);
}

/* Masked messages wait here for their turn. */
void cxsim_irq_poll(struct cxsim *f)
{
	unsigned int v;

	if (bitmap_empty(f->msix_pending, CXSIM_MSIX_MAX))
		return;
	for_each_set_bit(v, f->msix_pending, CXSIM_MSIX_MAX) {
		if (msix_send(f, v))
			clear_bit(v, f->msix_pending);
	}
}
