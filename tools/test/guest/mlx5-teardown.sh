#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The device goes away while sockets hold packets: no mapping stays, nothing touches
# the device, and the pools end when the sockets do.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,socat timeout=300
# test: drivers=rxpool full=6.1-debug
. /lib/guest.sh

pools() {
	awk 'NR > 1 && $2 == "dead"' /sys/kernel/debug/rxpool/pools | wc -l
}

pools_are() { [ "$(pools)" = "$1" ]; }

# Unread datagrams, big enough to lie in fragments.
hold() {
	ip netns exec b socat -u UDP-RECV:7000 /dev/null &
	reader=$!	# not a shell that runs in_b
	wait_for 60 in_b grep -q ':1B58 ' /proc/net/udp || fail "the reader does not start"
	kill -STOP $reader
	for port in 7101 7102 7103 7104 7105 7106 7107 7108; do
		for size in 200 1200 1400; do
			head -c $size /dev/zero | in_a socat -u - UDP-SENDTO:10.9.0.2:7000,sourceport=$port
		done
	done
	in_b awk '$2 ~ /:1B58$/ && $5 !~ /:00000000$/ { found = 1 } END { exit !found }' /proc/net/udp ||
		fail "the datagrams were read"
	say "unread: $(in_b awk '$2 ~ /:1B58$/ { print $5 }' /proc/net/udp)"
}

let_go() {
	kill -CONT $reader
	kill $reader
	wait $reader 2>/dev/null
}

cxsim() { cat "/sys/kernel/debug/cxsim/$1"; }

sim_up iommu=1
pair_up

hold
for round in 1 2 3; do
	in_b ip link set "$dev_b" down
	in_b ip link set "$dev_b" up
	in_b ethtool -G "$dev_b" rx $((round % 2 ? 512 : 1024))
done
check "down and up with packets held" wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
check "the waiting pools are listed" [ "$(pools)" -ge 1 ]
sed 's/^/# | /' /sys/kernel/debug/rxpool/pools
let_go
check "they end when the socket closes" wait_for 10 pools_are 0

# Where RFS knows who reads a flow, nothing needs to be learned.
steered() { [ "$(in_b ethtool -S "$dev_b" | sed -n 's/^ *rx_pool_steered: //p')" -gt 0 ]; }
received() {
	ip netns exec b socat -u TCP-LISTEN:6000,reuseaddr,reuseport OPEN:/dev/null &
	head -c 400000 /dev/zero | in_a socat -u - TCP:10.9.0.2:6000,retry=50,interval=0.2
	wait $!
	steered
}
echo 4096 >/proc/sys/net/core/rps_sock_flow_entries
echo 1 >/sys/module/rxpool/parameters/learn
check "RFS steers" wait_for 60 received

hold
for device in /sys/bus/pci/drivers/mlx5_core/*:*; do
	echo "${device##*/}" >/sys/bus/pci/drivers/mlx5_core/unbind
done
check "all mappings gone" [ "$(cxsim iommu_mapped)" = 0 ]
check "nothing left behind" [ "$(cxsim iommu_left)" = 0 ]
check "pools wait" [ "$(pools)" -ge 1 ]
let_go
check "pools end" wait_for 10 pools_are 0
check "no bad unmap" [ "$(cxsim iommu_bad_unmap)" = 0 ]
check "no bad sync" [ "$(cxsim iommu_bad_sync)" = 0 ]
check "no refused accesses" [ "$(cxsim refused)" = 0 ]
check "unload" rmmod mlx5_core
