#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The converted driver, in and out: each time its pools end with it.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool timeout=600
# test: kernels= full=6.1,6.1-debug drivers=rxpool
. /lib/guest.sh

no_pool() { [ "$(wc -l </sys/kernel/debug/rxpool/pools)" = 1 ]; }

sim_up
# Unloading is mostly waiting for grace periods.
echo 1 >/sys/kernel/rcu_expedited
n=0
while [ $n -lt 50 ] && rmmod mlx5_core && no_pool && modprobe mlx5_core &&
	wait_for 60 sim_netdevs_are 2; do
	n=$((n + 1))
done
[ $n = 50 ] && ok "50 x rmmod, modprobe" || not_ok "50 x rmmod, modprobe" "ended after $n"
