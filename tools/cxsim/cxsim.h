/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cxsim: a simulated ConnectX-5 as a kernel module.
 *
 * Threads and locks.  Every function has one kthread, which is the device:
 * it executes the function's commands, its send queues, and what arrives at
 * the far end of the wire, that is the receive side of the peer function.
 *
 *  - Objects of a function change only in its own thread, and only while it
 *    holds rx_lock.  The own thread therefore reads them without a lock; the
 *    peer's thread reads them under rx_lock.
 *  - A completion queue has one writer: the own thread for CQs that serve
 *    send queues, the peer's thread for CQs that serve receive queues.
 *  - Translation entries of memory keys are single words, rewritten by UMR
 *    while the peer's thread may look at them.
 *
 * rx_lock is thus contended only while a command changes an object.
 */
#ifndef CXSIM_H
#define CXSIM_H

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mlx5/device.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

/* Layout of the BAR.  UAR indexes are page numbers in it. */
#define CXSIM_BAR_SIZE		SZ_1M
#define CXSIM_UAR_FIRST		16
#define CXSIM_UAR_LAST		119
#define CXSIM_MSIX_TABLE	0x80000
#define CXSIM_MSIX_PBA		0x90000
#define CXSIM_MSIX_MAX		64

#define CXSIM_MAX_FUNCTIONS	8
#define CXSIM_FRAME_MAX		10240	/* longest frame on the wire */
#define CXSIM_WQE_MAX		1024

struct cxsim;

/* Ring memory: a list of device addresses of equally sized pages. */
struct cxsim_ring {
	u64 *pas;
	u32 npages;
	u8 page_shift;
	u32 offset;
};

struct cxsim_eq {
	u32 id;
	struct cxsim_ring ring;
	u8 log_size;
	u16 vector;
	u64 mask;		/* async event types wanted */
	atomic_t pi;
};

struct cxsim_cq {
	struct list_head node;
	u32 id;
	struct cxsim_ring ring;
	u8 log_size;
	bool overrun_ignore;
	bool rx;		/* written by the peer's thread */
	bool dirty;
	struct cxsim_eq *eq;
	u64 dbr;
	u32 pi;
	u32 ci;			/* last consumer index read */
	u32 fired;		/* events sent: the arm sequence number */
	u32 users;
};

struct cxsim_wq {
	struct cxsim_ring ring;
	u8 type;
	u8 log_stride;
	u8 log_size;
	u64 dbr;
};

struct cxsim_rq {
	u32 id;
	u8 state;
	bool vsd;		/* VLAN tag stays in the frame */
	u8 counter_set;
	struct cxsim_cq *cq;
	struct cxsim_wq wq;
	u32 log_strides;
	u32 log_stride_size;
	u16 taken;		/* WQEs taken from the ring */
	u16 wqe;		/* index of the current one */
	u32 stride;		/* strides used in it */
	bool open;		/* there is a current one */
	u32 nth;		/* packets, for the fault knobs */
	unsigned long err_next;
	u32 ctx[MLX5_ST_SZ_DW(rqc)];
};

struct cxsim_sq {
	struct list_head node;
	u32 id;
	u8 state;
	struct cxsim_cq *cq;
	struct cxsim_wq wq;
	u16 cc;			/* next block to execute */
	u32 nth;		/* requests, for the fault knobs */
	unsigned long err_next;
	u32 ctx[MLX5_ST_SZ_DW(sqc)];
};

enum cxsim_mkey_state { CXSIM_MKEY_FREE, CXSIM_MKEY_VALID };

struct cxsim_mkey {
	u32 id;			/* index << 8 | variant */
	u8 mode;
	u8 state;
	bool umr_en;
	bool lr, lw;
	bool length64;
	u64 start;
	u64 len;
	u8 page_shift;
	u32 nmtt;
	u64 *mtt;
};

struct cxsim_rqt {
	u32 n;
	u32 rqn[];
};

struct cxsim_tir {
	u32 id;
	u32 ctx[MLX5_ST_SZ_DW(tirc)];
};

#define CXSIM_MATCH_DW		MLX5_ST_SZ_DW(fte_match_set_lyr_2_4)
#define CXSIM_MAX_DESTS		8

/* What a received frame looks like to flow tables and RSS. */
struct cxsim_pkt {
	void *data;
	u32 len;
	u32 match[CXSIM_MATCH_DW];
	u16 l3, l4;		/* offsets, 0: none */
	u16 vlan_tci;
	u8 l4_proto;
	bool vlan, ipv4, ipv6, frag;
	bool csum_ok;
	bool mcast, bcast;
};

/* A cached decision of the flow tables. */
struct cxsim_flow {
	u32 gen;
	u32 match[CXSIM_MATCH_DW];
	u32 hash;
	u8 hash_type;
	u8 ndest, ncount;
	u32 tag;
	struct cxsim_rq *rq[CXSIM_MAX_DESTS];
	struct cxsim_fcounter *count[CXSIM_MAX_DESTS];
};

struct cxsim_fcounter {
	u32 id;
	u64 packets;
	u64 octets;
};

#define CXSIM_FLOW_CACHE	256

struct cxsim_port_stats {
	u64 ucast, mcast, bcast;
	u64 ucast_octets, mcast_octets, bcast_octets;
	u64 drop_down;		/* link down */
	u64 drop_steer;		/* no flow table wanted it */
	u64 drop_oob;		/* no receive buffer */
	u64 drop_cq;		/* completion queue full */
	u64 too_long;
	u64 hist[10];		/* RFC 2819 packet sizes */
};

struct cxsim_faults {
	u32 drop_rx;		/* lose every Nth receive completion */
	u32 drop_tx;
	u32 zero_len;		/* every Nth receive completion says 0 bytes */
	u32 err_rx;		/* every Nth receive completion is an error */
	u32 err_tx;
	u32 fail_opcode;
	u32 fail_status;
	bool hold_rq;
	bool hold_link;
	bool fatal;
};

struct cxsim_iommu;

struct cxsim {
	int index;
	char name[8];
	struct cxsim *peer;
	struct task_struct *thread;
	struct pci_dev *pdev;

	/* PCI */
	u8 cfg[256];
	u8 cfg_mask[256];
	phys_addr_t bar_pa;
	void __iomem *bar;
	u32 nvec;
	DECLARE_BITMAP(msix_pending, CXSIM_MSIX_MAX);

	/* command interface */
	u64 cmdq;		/* device address, 0: not set up */
	bool cmd_enabled;	/* between ENABLE_HCA and DISABLE_HCA */
	u32 cmd_stray;		/* entries seen owned without a doorbell */
	u64 cmd_scan;		/* when to look for such, ns */
	void *cmd_in, *cmd_out;
	u32 cmd_in_size, cmd_out_size;
	unsigned long health_next;
	u32 health;

	/* objects */
	spinlock_t rx_lock;	/* see the top of this file */
	struct xarray eqs, cqs, rqs, sqs, mkeys, rqts, tirs, tiss;
	struct xarray pds, tds, uars, counters, ftables, fcounters;
	struct list_head cq_list, sq_list;
	u64 *pages;
	u32 npages, pages_cap;
	u32 caps_set[MLX5_UN_SZ_DW(hca_cap_union)];
	bool caps_valid;
	u32 q_oob[256];
	u32 rx_root;
	u32 gen;		/* flow cache entries of another gen are stale */
	struct cxsim_flow *flows;

	/* port and vport */
	bool admin_up, link_up;
	u32 link_downs;
	u16 mtu;
	u32 vport_ctx[MLX5_ST_SZ_DW(nic_vport_context)];
	struct cxsim_port_stats rx, tx;

	/* checks */
	atomic64_t refused;
	struct cxsim_iommu *iommu;
	struct cxsim_faults fault;
	u64 cmds, cmds_failed, resets;

	/* scratch memory of the thread */
	u8 *frame;
	u8 *wqe;
};

/*
 * After a change of what the receive side uses.  When this returns, the peer's
 * thread no longer uses what was replaced.
 */
static inline void cxsim_changed(struct cxsim *f)
{
	spin_lock(&f->rx_lock);
	f->gen++;
	spin_unlock(&f->rx_lock);
}

/* pci.c */
int cxsim_pci_init(struct cxsim *sims, int n);
void cxsim_pci_start(void);
void cxsim_pci_exit(void);
void cxsim_pci_unmap(void);
bool cxsim_bus_master(const struct cxsim *f);

/* irq.c */
void cxsim_irq(struct cxsim *f, u16 vector);
void cxsim_irq_poll(struct cxsim *f);

/* iseg.c */
void cxsim_iseg_init(struct cxsim *f);
bool cxsim_iseg_poll(struct cxsim *f);

/* cmd.c */
bool cxsim_cmd_poll(struct cxsim *f);
void cxsim_cmd_reset(struct cxsim *f);
int cxsim_new_id(struct xarray *xa, u32 min, u32 max, u32 *id);
void cxsim_publish(struct xarray *xa, u32 id, void *obj);

/*
 * A command: reads the input, fills the output, returns an MLX5_CMD_STAT_
 * value.  The input is inlen bytes, zero padded to CXSIM_CMD_PAD.
 */
#define CXSIM_CMD_PAD	4096
struct cxsim_cmd {
	void *in, *out;
	u32 inlen, outlen;
	u16 opcode, op_mod;
};

typedef int (*cxsim_cmd_fn)(struct cxsim *f, struct cxsim_cmd *c);

/* caps.c */
int cxsim_query_hca_cap(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_set_hca_cap(struct cxsim *f, struct cxsim_cmd *c);

/* regs.c */
int cxsim_access_reg(struct cxsim *f, struct cxsim_cmd *c);

/* vport.c */
void cxsim_vport_init(struct cxsim *f);
bool cxsim_link_poll(struct cxsim *f);
int cxsim_query_vport_state(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_nic_vport(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_nic_vport(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_vport_counter(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_vnic_env(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_q_counter(struct cxsim *f, struct cxsim_cmd *c);
void cxsim_count(struct cxsim_port_stats *s, const struct cxsim_pkt *p);

/* mem.c */
void cxsim_refuse(struct cxsim *f, const char *what, u64 addr, u32 len);
void *cxsim_dma(struct cxsim *f, u64 addr, u32 len, bool write);
int cxsim_ring_init(struct cxsim_ring *r, const void *pas, u32 npages,
		    u8 page_shift, u32 offset);
void cxsim_ring_free(struct cxsim_ring *r);
void *cxsim_ring_at(struct cxsim *f, const struct cxsim_ring *r, u32 off,
		    u32 len, bool write);
__be32 *cxsim_dbr(struct cxsim *f, u64 dbr, int idx);
__wsum cxsim_copy_sum(void *dst, const void *src, u32 len, __wsum sum,
		      u32 offset);

/* mkey.c */
int cxsim_create_mkey(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_mkey(struct cxsim *f, struct cxsim_cmd *c);
void cxsim_mkeys_reset(struct cxsim *f);
void *cxsim_key_at(struct cxsim *f, u32 key, u64 addr, u32 len, bool write,
		   u32 *chunk);
int cxsim_umr(struct cxsim *f, const u8 *wqe, u32 ds);

/* iommu.c */
int cxsim_iommu_init(struct cxsim *f);
void cxsim_iommu_attach(struct cxsim *f);
void cxsim_iommu_unbound(struct cxsim *f);
void cxsim_iommu_exit(struct cxsim *f);
void *cxsim_iommu_at(struct cxsim *f, u64 addr, u32 len, bool write);
u64 cxsim_iommu_count(struct cxsim *f, int which);
enum { CXSIM_MAPPED, CXSIM_BAD_UNMAP, CXSIM_BAD_SYNC, CXSIM_LEFT, CXSIM_MAPS };

/* event.c */
int cxsim_create_eq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_eq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_create_cq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_cq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_cq(struct cxsim *f, struct cxsim_cmd *c);
void cxsim_event(struct cxsim *f, u8 type, u8 sub_type, const void *data,
		 u32 len);
u32 cxsim_cq_space(struct cxsim *f, struct cxsim_cq *cq);
void cxsim_cq_push(struct cxsim *f, struct cxsim_cq *cq,
		   struct mlx5_cqe64 *cqe, u8 opcode);
bool cxsim_cqs_poll(struct cxsim *f, bool rx);
void cxsim_events_reset(struct cxsim *f);

/* queue.c */
int cxsim_create_rq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_rq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_rq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_rq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_create_sq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_sq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_query_sq(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_sq(struct cxsim *f, struct cxsim_cmd *c);
void cxsim_queues_reset(struct cxsim *f);

/* tx.c */
bool cxsim_tx_poll(struct cxsim *f);

/* rx.c: called in the thread of the sender */
void cxsim_rx(struct cxsim *f, struct cxsim_pkt *p);

/* packet.c */
void cxsim_parse(struct cxsim_pkt *p, void *data, u32 len);
void cxsim_tx_csum(struct cxsim_pkt *p, bool l3, bool l4);
bool cxsim_csum_verify(const struct cxsim_pkt *p);

/* steering.c: lookups under rx_lock */
const struct cxsim_flow *cxsim_steer(struct cxsim *f,
				     const struct cxsim_pkt *p);
int cxsim_flow_table_cmd(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_flow_counter_cmd(struct cxsim *f, struct cxsim_cmd *c);
void cxsim_steering_reset(struct cxsim *f);

/* rss.c */
int cxsim_create_rqt(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_rqt(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_rqt(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_create_tir(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_modify_tir(struct cxsim *f, struct cxsim_cmd *c);
int cxsim_destroy_tir(struct cxsim *f, struct cxsim_cmd *c);
struct cxsim_rq *cxsim_tir_rq(struct cxsim *f, u32 tirn,
			      const struct cxsim_pkt *p, u32 *hash, u8 *type);
void cxsim_rss_reset(struct cxsim *f);

/* fault.c */
void cxsim_fault_init(struct cxsim *f);
void cxsim_debugfs_init(struct cxsim *sims, int n);
void cxsim_debugfs_exit(void);

static inline bool cxsim_nth(u32 count, u32 n)
{
	return n && !(count % n);
}

/*
 * Errors come at most once a second for each queue: the driver gives up a
 * queue that fails again within half a second of its recovery.
 */
static inline bool cxsim_nth_error(u32 count, u32 n, unsigned long *next)
{
	if (!cxsim_nth(count, n) || time_before(jiffies, *next))
		return false;
	*next = jiffies + HZ;
	return true;
}

#endif
