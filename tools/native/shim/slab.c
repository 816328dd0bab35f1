// SPDX-License-Identifier: GPL-2.0
#include <sys/mman.h>

#define HUGE_SIZE	(2UL << 20)
#define REGION		(64UL << 20)

void *shim_huge(size_t size)
{
	char *start;

	size = ALIGN(size, HUGE_SIZE);
	start = mmap(NULL, size + HUGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	BUG_ON(start == MAP_FAILED);
	start = (char *)ALIGN((unsigned long)start, HUGE_SIZE);
	madvise(start, size, MADV_HUGEPAGE);
	return start;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void *kmalloc(size_t size, gfp_t gfp)
{
	void *p = shim_alloc_fails(gfp) ? NULL : aligned_alloc(64, ALIGN(size, 64UL));

	if (p && gfp & __GFP_ZERO)
		memset(p, 0, size);
	return p;
}

void kfree(const void *p)
{
	free((void *)p);
}
#else
/* Powers of two, each with a list of what was freed. */
#define CLASSES		40
#define SMALLEST	6

struct header {
	struct header *next;	/* while free */
	unsigned int class;
} ____cacheline_aligned;

static struct header *freed[CLASSES];
static char *region, *region_end;
static DEFINE_SPINLOCK(slab_lock);

void *kmalloc(size_t size, gfp_t gfp)
{
	unsigned int class = max(__fls(max(size, 2UL) - 1) + 1, (unsigned int)SMALLEST);
	size_t bytes = sizeof(struct header) + (1UL << class);
	struct header *h;

	if (class >= CLASSES || shim_alloc_fails(gfp))
		return NULL;
	spin_lock(&slab_lock);
	h = freed[class];
	if (h) {
		freed[class] = h->next;
	} else {
		if (!region || region + bytes > region_end) {
			region = shim_huge(max(REGION, bytes));
			region_end = region + max(REGION, bytes);
		}
		h = (struct header *)region;
		region += bytes;
		h->class = class;
	}
	spin_unlock(&slab_lock);
	if (gfp & __GFP_ZERO)
		memset(h + 1, 0, size);
	return h + 1;
}

void kfree(const void *p)
{
	struct header *h = (struct header *)p - 1;

	if (!p)
		return;
	spin_lock(&slab_lock);
	h->next = freed[h->class];
	freed[h->class] = h;
	spin_unlock(&slab_lock);
}
#endif
