/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FUZZ_H
#define _FUZZ_H

/* Once, then for each input. */
void fuzz_init(void);
void fuzz_one(const u8 *data, size_t size);

struct mpool;
struct mpage;

/* fuzz.c: input, and what comes of it */
u8 byte(void);
unsigned int below(unsigned int n);
bool somewhere(void);
void leave(bool softirq);
u32 flow_hash(unsigned int flow);
struct mpage *a_posted(struct mpool *p);

/* stack.c: steps */
void give_packet(struct mpool *p);
void give_raw(struct mpool *p);
void give_frame(struct mpool *p);
void give_many(struct mpool *p);
void drop_some(void);
void put_bulk(void);
void return_frames(void);
void hold(void);
void clone_packet(void);
void copy_head(void);
void copy_to_reader(void);
void drop_all(void);

/* What libFuzzer calls, by its names. */
int libfuzzer_init(int *argc, char ***argv) __asm__("LLVMFuzzerInitialize");
int libfuzzer_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif /* _FUZZ_H */
