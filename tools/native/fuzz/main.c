// SPDX-License-Identifier: GPL-2.0
/*
 * Without libFuzzer: inputs from files, or at random.
 *
 *	fuzz FILE...
 *	fuzz steps=N seed=N save=FILE
 *
 * The same seed does the same steps. An input that ends the program is saved.
 */
#include <fcntl.h>
#include <signal.h>
#include <sanitizer/common_interface_defs.h>
#include "fuzz.h"
#include "world.h"

#define LONGEST		32768U

static u8 data[LONGEST];
static size_t size;
static const char *save;

static void save_input(void)
{
	int file;

	if (!save)
		return;
	file = open(save, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (file >= 0 && write(file, data, size) == (ssize_t)size)
		fprintf(stderr, "saved %s\n", save);
	save = NULL;
}

static void aborted(int signal)
{
	save_input();
}

static void one(void)
{
	/* Of its size, so that reading beyond it is noticed. */
	u8 *copy = malloc(size);

	BUG_ON(!copy);
	memcpy(copy, data, size);
	fuzz_one(copy, size);
	free(copy);
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(2);
	}
	size = fread(data, 1, LONGEST, file);
	fclose(file);
	one();
}

static void run_random(u64 steps, u64 seed)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, seed);
	while (fuzz_steps < steps) {
		/* Long sequences get far, short ones have many ends. */
		size = LONGEST >> prandom_u32_state(&rnd) % 10;
		for (i = 0; i < size; i += 4)
			*(u32 *)(data + i) = prandom_u32_state(&rnd);
		one();
	}
}

int main(int argc, char **argv)
{
	unsigned long long steps = 0, seed = 1;
	int i;

	signal(SIGABRT, aborted);
	__sanitizer_set_death_callback(save_input);
	fuzz_init();
	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "save=", 5))
			save = argv[i] + 5;
		else if (sscanf(argv[i], "steps=%llu", &steps) != 1 &&
			 sscanf(argv[i], "seed=%llu", &seed) != 1)
			run_file(argv[i]);
	}
	run_random(steps, seed);
	printf("%llu steps\n", fuzz_steps);
	return 0;
}
