#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest of `make soak` where there is no converted mlx5: the pool's KUnit suites
# again and again, with another seed each time if they take one, and the pool's own checks
# on every other time.
# vm: ko=rxpool,rxpool_kunit append=log_buf_len=4M allow=BUG:_debug-test:,WARNING:.*rxpool.(stack.overflows|release.burst)
. /lib/guest.sh

argument() { sed -n "s/.*soak\.$1=\([0-9]*\).*/\1/p" /proc/cmdline; }
now() { cut -d. -f1 /proc/uptime; }
seed=$(argument seed) round=$(argument from)
end=$(($(now) + $(argument minutes) * 60))

trouble() {
	say "TROUBLE in round $round, seed $seed: $*"
	exit 1
}

# What a case wants to fail must fail quietly, also if it might sleep.
for knobs in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
	[ -d $knobs ] || continue
	echo N >$knobs/ignore-gfp-wait
	echo 0 >$knobs/verbose
	[ ! -f $knobs/min-order ] || echo 0 >$knobs/min-order
done
mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup &&
	echo +memory >/tmp/cgroup/cgroup.subtree_control &&
	mkdir /tmp/cgroup/any || fail "no memory cgroup"
modprobe rxpool || fail "rxpool does not load"

cases=0
while [ "$(now)" -lt "$end" ]; do
	round=$((round + 1))
	this=$(((seed + round * 1000003) & 0x7fffffff))
	debug=$((round & 1))
	echo $debug >/sys/module/rxpool/parameters/debug
	dmesg -c >/dev/null
	modprobe rxpool_kunit seed=$this || trouble "rxpool_kunit does not load"
	dmesg >/tmp/log
	[ -e /sys/module/rxpool_kunit/parameters/seed ] || [ $cases != 0 ] ||
		say "the suites take no seed: each round is alike"
	passed=$(grep -c '\] \{5,\}ok [0-9]' /tmp/log)
	bad=$(grep -c '\] *not ok ' /tmp/log)
	cases=$((cases + passed))
	grep '\] *not ok ' /tmp/log | sed 's/^/# | /'
	[ "$passed" -ge 10 ] && [ "$bad" = 0 ] ||
		trouble "$passed cases passed, $bad lines say not ok"
	rmmod rxpool_kunit || trouble "rxpool_kunit does not unload"
	[ "$(wc -l </sys/kernel/debug/rxpool/pools)" = 1 ] || trouble "a pool is left"
	[ "$(($(cat /proc/sys/kernel/tainted) & 0x40a0))" = 0 ] || trouble "see the kernel's log"
	say "round $round, seed $this, debug $debug: $passed cases passed"
done
say "seed $seed: $round rounds, $cases cases passed"
ok "soak"
