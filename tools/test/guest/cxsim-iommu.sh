#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# iommu=1: the kernel's own mlx5 driver maps what the device uses, while it uses it.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3 timeout=180
# test: kernels=6.1 full=6.12
. /lib/guest.sh

sim=/sys/kernel/debug/cxsim
zero() { [ "$(cat "$sim/$1")" = 0 ] || { echo "$1 is $(cat "$sim/$1")"; return 1; }; }
streams() { in_a iperf3 -c 10.9.0.2 -P 16 -t 3 "$@"; }
change() { "$@" && wait_for 15 in_a ping -c 2 -W 1 10.9.0.2 && streams; }

unbind() {
	echo "10000:00:0$1.0" >/sys/bus/pci/drivers/mlx5_core/unbind && zero "$1/iommu_mapped"
}

sim_up iommu=1
pair_up
in_b iperf3 -s -D
sleep 1
[ "$(cat $sim/0/iommu_mapped)" -gt 100 ] && ok "mappings are counted" ||
	not_ok "mappings are counted" "$(cat $sim/0/iommu_mapped)"
check "32 streams" streams
check "... and back" streams -R
check "UDP" in_a iperf3 -c 10.9.0.2 -u -b 10M -P 4 -t 2
check "rings" change in_b ethtool -G "$dev_b" rx 512
check "channels" change in_b ethtool -L "$dev_b" combined 2
check "cyclic receive queue" change in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq off
check "MTU 9000" change in_b ip link set "$dev_b" mtu 9000

# with traffic under way
in_a iperf3 -c 10.9.0.2 -P 8 -t 20 >/dev/null 2>&1 &
sleep 2
check "unbind the receiver" unbind 1
check "unbind the sender" unbind 0
check "no access refused" zero refused
check "no mapping left" zero iommu_left
check "no bad unmap" zero iommu_bad_unmap
check "no bad sync" zero iommu_bad_sync
killall iperf3
check "unload" rmmod cxsim
