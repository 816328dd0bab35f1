#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The pool's suites, each case of their KTAP output as a case of ours.
# vm: ko=rxpool,rxpool_kunit timeout=240
# test: kernels=6.1,6.12,6.1-rt,6.12-rt,6.1-cloud,6.12-cloud quick
. /lib/guest.sh

# A memory cgroup makes the bulk allocator give single pages to those who charge.
mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup &&
	echo +memory >/tmp/cgroup/cgroup.subtree_control &&
	mkdir /tmp/cgroup/any || fail "no memory cgroup"

modprobe rxpool || fail "rxpool does not load"
modprobe rxpool_kunit || fail "rxpool_kunit does not load"

dmesg | sed -n 's/^\[[^]]*\] //; s/^ *\(# [a-z_]*: failed\)/\1/p;
	s/^    ok [0-9]* /ok /p; s/^    not ok [0-9]* \(.*\)/not ok \1 - see the log/p'
dmesg | grep -q '\] 1\.\.[0-9]*$' || fail "the suites did not end"

check "unload" rmmod rxpool_kunit rxpool
