#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Loading and unloading, in every order: kernel's own mlx5 driver, simulated NIC.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool timeout=500
# test: kernels=6.1 full=6.12
. /lib/guest.sh

refused_none() { [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]; }
alive() { wait_for 15 in_a ping -c 1 -W 1 10.9.0.2; }

pair_down() {
	ip netns del a
	ip netns del b
	wait_for 15 sim_netdevs_are 2
}

reload() {
	rmmod mlx5_core && modprobe mlx5_core && wait_for 20 sim_netdevs_are 2
}

unbind_one() {
	echo 10000:00:01.0 >/sys/bus/pci/drivers/mlx5_core/unbind &&
		[ "$(sim_netdevs | wc -l)" = 1 ] &&
		echo 10000:00:01.0 >/sys/bus/pci/drivers/mlx5_core/bind &&
		wait_for 20 sim_netdevs_are 2
}

two_channels() {
	ethtool -l "$(sim_netdevs | head -n 1)" | grep -q "^Combined:[[:space:]]*2$" &&
		! ethtool -L "$(sim_netdevs | head -n 1)" combined 3
}

sim_up
pair_up
check "traffic" alive
check "the netdevs return from their namespaces" pair_down

# Unloading is mostly waiting for grace periods.
echo 1 >/sys/kernel/rcu_expedited
case "$(uname -r)" in
6.1.*) cycles=10 ;; # for the time that it takes
*) cycles=50 ;;
esac
n=0
while [ $n -lt $cycles ] && reload; do
	n=$((n + 1))
done
[ $n = $cycles ] && ok "$n x rmmod, modprobe" || not_ok "rmmod, modprobe" "ended after $n"
check "unbind and bind one function" unbind_one
check "no access refused" refused_none
check "unload under a bound driver" rmmod cxsim
check "load under a loaded driver" modprobe cxsim functions=4
check "... four functions" wait_for 30 sim_netdevs_are 4
check "unload again" rmmod cxsim
check "unload the driver" rmmod mlx5_core
check "load without a driver" modprobe cxsim vectors=2
check "unload without a driver" rmmod cxsim
sim_up vectors=2
check "two vectors are two channels" two_channels
check "unload, bound" rmmod cxsim
sim_up
pair_up
check "traffic after all that" alive
