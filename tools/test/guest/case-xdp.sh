#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Packets that XDP redirects come back on other CPUs, and by callers that take themselves
# for the pool's owner: they arrive unharmed, all pages come home or are counted as lost
# (what 6.1 makes an skb of), and no mapping is touched twice.
# vm: modules=mlx5_core,veth ko=cxsim tools=ip,ethtool,socat,taskset,perl files=tools/test/guest/xdp.pl timeout=400
# test: drivers=rxpool
. /lib/guest.sh

ifindex() { in_b cat "/sys/class/net/$1/ifindex"; }

redirected() { counter rx_xdp_redirect; }

# Datagrams into the void, until XDP has redirected hundreds.
blast() {
	local before
	before=$(redirected)
	wait_for 60 more "$before" || { echo "redirected $(redirected) from $before"; return 1; }
}

more() {
	head -c 700000 /tmp/sent | in_a socat -u -b 1400 - UDP-SENDTO:10.9.0.2:7000
	[ "$(redirected)" -gt $(($1 + 300)) ]
}

# What cannot be redirected counts as dropped.
refused() {
	local before
	before=$(counter rx_xdp_drop)
	wait_for 60 dropped "$before"
}

dropped() {
	more 0
	[ "$(counter rx_xdp_drop)" -gt $(($1 + 300)) ]
}

# a and c reach each other through two netdevs of b.
bridged() {
	transfer a c 10.9.0.3 && transfer c a 10.9.0.1
}

lost=0
none_lost() {
	[ "$(counter rx_pool_lost)" = $lost ]
}

pages() {
	all_home "$1"
	say "$1: redirected $(redirected), returned to the ring $(counter rx_pool_return_ring), lost $(counter rx_pool_lost)"
}

cases() {
	xdp_on "$dev_b" cpumap 3
	settle
	check "$rq, cpumap" transfer a b 10.9.0.2
	pages "$rq, cpumap"
	check "$rq, cpumap: counted as lost" [ "$(counter rx_pool_lost)" -gt "$lost" ]
	xdp_off
	lost=$(counter rx_pool_lost)

	xdp_on "$dev_x" devmap "$(ifindex "$dev_b")"
	xdp_on "$dev_b" devmap "$(ifindex "$dev_x")"
	settle
	check "$rq, devmap" bridged
	pages "$rq, devmap"
	check "$rq, devmap: none lost" none_lost

	# Frames that could not be sent are returned as if by the pool's owner.
	in_b ip link set "$dev_x" down
	check "$rq, devmap, target down" refused
	in_b ip link set "$dev_x" up
	pages "$rq, devmap, target down"
	xdp_off
	xdp_on "$dev_b" devmap "$(ifindex "$dev_x")"
	settle
	check "$rq, devmap, target without XDP" blast
	pages "$rq, devmap, target without XDP"
	xdp_off

	xdp_on v1 drop
	xdp_on "$dev_b" devmap "$(ifindex v0)"
	settle
	check "$rq, dropped behind veth" blast
	pages "$rq, dropped behind veth"
	check "$rq, returned frames: none lost" none_lost
	xdp_off
}

sim_up iommu=1 functions=4
wait_for 60 sim_netdevs_are 4 || fail "there are no four netdevs"
set -- $(sim_netdevs)
dev_x=$3 dev_c=$4
pair_up
ip netns add c && ip link set "$dev_x" netns b && ip link set "$dev_c" netns c &&
	ip netns exec c ip addr add 10.9.0.3/24 dev "$dev_c" &&
	ip netns exec c ip link set "$dev_c" up &&
	in_b ip link set "$dev_x" up promisc on && in_b ip link set "$dev_b" promisc on ||
	fail "no second pair"
modprobe veth && in_b ip link add v0 type veth peer name v1 && in_b ip link set v0 up && in_b ip link set v1 up ||
	fail "no veth pair"
in_a ip neigh replace 10.9.0.2 lladdr "$(in_b cat "/sys/class/net/$dev_b/address")" dev "$dev_a"
head -c 4000000 /dev/urandom >/tmp/sent

for mode in on off; do
	[ $mode = on ] && rq=striding || rq=cyclic
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
	cases
done

# Frames of several buffers, of which cpumap makes skbs.
in_a ip link set "$dev_a" mtu 9000
in_b ip link set "$dev_b" mtu 9000
rq="several buffers"
xdp_on "$dev_b" cpumap 3 frags
settle
check "$rq, cpumap" transfer a b 10.9.0.2
pages "$rq, cpumap"
xdp_off

in_b ip link set "$dev_b" down
wait_for 30 no_pool
check "no page is left" no_pool
for what in refused iommu_bad_unmap iommu_bad_sync iommu_left; do
	check "$what" [ "$(cat /sys/kernel/debug/cxsim/$what)" = 0 ]
done
