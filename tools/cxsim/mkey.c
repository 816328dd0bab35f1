// SPDX-License-Identifier: GPL-2.0
/*
 * Memory keys.  A packet buffer is named by key and address; the key says
 * whether the address is a device address (mode PA) or an offset into a table
 * of translation entries (mode MTT), which UMR work requests rewrite.
 */
#include <linux/mm.h>
#include <linux/mlx5/qp.h>
#include <linux/slab.h>

#include "cxsim.h"

#define MTT_ADDR	GENMASK_ULL(63, 12)
#define UMR_INLINE	BIT(7)
#define UMR_OFFSET	BIT(4)

static struct cxsim_mkey *mkey_find(struct cxsim *f, u32 key)
{
	struct cxsim_mkey *k = xa_load(&f->mkeys, key >> 8);

	return k && k->id == key ? k : NULL;
}

int cxsim_create_mkey(struct cxsim *f, struct cxsim_cmd *c)
{
	void *mkc = MLX5_ADDR_OF(create_mkey_in, c->in, memory_key_mkey_entry);
	__be64 *mtt = MLX5_ADDR_OF(create_mkey_in, c->in, klm_pas_mtt);
	u32 fixed = MLX5_ST_SZ_BYTES(create_mkey_in);
	struct cxsim_mkey *k;
	u32 given, i, id;

	k = kzalloc(sizeof(*k), GFP_KERNEL);
	if (!k)
		return MLX5_CMD_STAT_NO_RES_ERR;
	k->mode = MLX5_GET(mkc, mkc, access_mode_1_0) |
		  MLX5_GET(mkc, mkc, access_mode_4_2) << 2;
	k->lr = MLX5_GET(mkc, mkc, lr);
	k->lw = MLX5_GET(mkc, mkc, lw);
	k->umr_en = MLX5_GET(mkc, mkc, umr_en);
	k->length64 = MLX5_GET(mkc, mkc, length64);
	k->start = MLX5_GET64(mkc, mkc, start_addr);
	k->len = MLX5_GET64(mkc, mkc, len);
	k->page_shift = MLX5_GET(mkc, mkc, log_page_size);
	k->state = MLX5_GET(mkc, mkc, free) ? CXSIM_MKEY_FREE :
					      CXSIM_MKEY_VALID;
	if (k->mode != MLX5_MKC_ACCESS_MODE_PA &&
	    k->mode != MLX5_MKC_ACCESS_MODE_MTT)
		goto bad_param;
	if (k->mode == MLX5_MKC_ACCESS_MODE_MTT) {
		/* an octoword holds two entries */
		k->nmtt = MLX5_GET(mkc, mkc, translations_octword_size) * 2;
		given = MLX5_GET(create_mkey_in, c->in,
				 translations_octword_actual_size) * 2;
		if (given > k->nmtt || fixed + given * 8 > c->inlen)
			goto bad_param;
		k->mtt = kvcalloc(k->nmtt, sizeof(*k->mtt), GFP_KERNEL);
		if (!k->mtt)
			goto bad_param;
		for (i = 0; i < given; i++)
			k->mtt[i] = be64_to_cpu(mtt[i]) & MTT_ADDR;
	}

	if (cxsim_new_id(&f->mkeys, 0x10, 0xffffff, &id))
		goto bad_param;
	k->id = id << 8 | MLX5_GET(mkc, mkc, mkey_7_0);
	cxsim_publish(&f->mkeys, id, k);
	MLX5_SET(create_mkey_out, c->out, mkey_index, id);
	return MLX5_CMD_STAT_OK;

bad_param:
	kvfree(k->mtt);
	kfree(k);
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}

static void mkey_free(struct cxsim_mkey *k)
{
	if (!k)
		return;
	kvfree(k->mtt);
	kfree(k);
}

int cxsim_destroy_mkey(struct cxsim *f, struct cxsim_cmd *c)
{
	u32 id = MLX5_GET(destroy_mkey_in, c->in, mkey_index);
	struct cxsim_mkey *k;

	spin_lock(&f->rx_lock);
	k = xa_erase(&f->mkeys, id);
	spin_unlock(&f->rx_lock);
	if (!k)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	mkey_free(k);
	return MLX5_CMD_STAT_OK;
}

void cxsim_mkeys_reset(struct cxsim *f)
{
	struct cxsim_mkey *k;
	unsigned long i;

	xa_for_each(&f->mkeys, i, k) {
		spin_lock(&f->rx_lock);
		xa_erase(&f->mkeys, i);
		spin_unlock(&f->rx_lock);
		mkey_free(k);
	}
}

/*
 * Memory behind key and address.  *chunk returns how many of the len bytes
 * are contiguous there.
 */
void *cxsim_key_at(struct cxsim *f, u32 key, u64 addr, u32 len, bool write,
		   u32 *chunk)
{
	struct cxsim_mkey *k = mkey_find(f, key);
	u64 off, dma;
	u32 n;

	if (unlikely(!k)) {
		cxsim_refuse(f, "no such memory key", key, len);
		return NULL;
	}
	if (unlikely(k->state != CXSIM_MKEY_VALID ||
		     !(write ? k->lw : k->lr))) {
		cxsim_refuse(f, "memory key without that right", key, len);
		return NULL;
	}
	off = addr - k->start;
	if (unlikely(!k->length64 && (off > k->len || k->len - off < len))) {
		cxsim_refuse(f, "outside its memory key", addr, len);
		return NULL;
	}
	if (k->mode == MLX5_MKC_ACCESS_MODE_PA) {
		n = min_t(u32, len, PAGE_SIZE - (addr & ~PAGE_MASK));
		dma = addr;
	} else {
		u64 page = off >> k->page_shift;
		u32 in = off & ((1U << k->page_shift) - 1);

		if (unlikely(page >= k->nmtt)) {
			cxsim_refuse(f, "no translation entry", addr, len);
			return NULL;
		}
		dma = READ_ONCE(k->mtt[page]);
		if (unlikely(!dma)) {
			cxsim_refuse(f, "empty translation entry", addr, len);
			return NULL;
		}
		n = min_t(u32, len, (1U << k->page_shift) - in);
		dma += in;
		n = min_t(u32, n, PAGE_SIZE - (dma & ~PAGE_MASK));
	}
	*chunk = n;
	return cxsim_dma(f, dma, n, write);
}

/* A UMR work request with inline translation entries. */
int cxsim_umr(struct cxsim *f, const u8 *wqe, u32 ds)
{
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)wqe;
	const struct mlx5_wqe_umr_ctrl_seg *u = (const void *)(ctrl + 1);
	const struct mlx5_mkey_seg *seg = (const void *)(u + 1);
	const __be64 *mtt = (const void *)(seg + 1);
	u32 key = be32_to_cpu(ctrl->umr_mkey);
	struct cxsim_mkey *k = mkey_find(f, key);
	u64 mask = be64_to_cpu(u->mkey_mask);
	u32 n = be16_to_cpu(u->xlt_octowords) * 2;
	u32 first = 0, i;

	if (!k || !k->umr_en || k->mode != MLX5_MKC_ACCESS_MODE_MTT) {
		cxsim_refuse(f, "UMR of a key that does not allow it", key, 0);
		return -EACCES;
	}
	if (u->flags & UMR_OFFSET)
		first = (be16_to_cpu(u->xlt_offset) |
			 (u64)be32_to_cpu(u->xlt_offset_47_16) << 16) * 2;
	if (n && (!(u->flags & UMR_INLINE) ||
		  (const u8 *)(mtt + n) > wqe + ds * MLX5_SEND_WQE_DS)) {
		cxsim_refuse(f, "UMR entries beyond the request", key, n);
		return -EINVAL;
	}
	if (first > k->nmtt || k->nmtt - first < n) {
		cxsim_refuse(f, "UMR beyond the key's entries", first, n);
		return -EINVAL;
	}
	for (i = 0; i < n; i++)
		WRITE_ONCE(k->mtt[first + i], be64_to_cpu(mtt[i]) & MTT_ADDR);
	if (mask & MLX5_MKEY_MASK_FREE)
		k->state = seg->status & MLX5_MKEY_STATUS_FREE ?
			   CXSIM_MKEY_FREE : CXSIM_MKEY_VALID;
	return 0;
}
