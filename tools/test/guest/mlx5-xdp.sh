#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# XDP on the converted driver, both kinds of RQ: each verdict, packets in several
# buffers, and a program that cuts buffers off. All pages come home.
# What veth takes out of its pool stays mapped until the pool misses it; DMA_API_DEBUG
# notices when such a page gets another mapping before that.
# vm: modules=mlx5_core,veth ko=cxsim tools=ip,ethtool,socat,perl files=tools/test/guest/xdp.pl timeout=700
# vm: allow=overlapping_mappings_aren't_supported,at_add.dma.entry,DMA-API:_Mapped_at,inconsistent_lock_state
# test: drivers=rxpool full=6.1-debug
. /lib/guest.sh

stat() {
	in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"
}

# Packets that go in but need not come out.
blast() {
	local i=0
	while [ $i -lt 20 ]; do
		head -c 100000 /dev/zero | in_a socat -u -b "$1" - UDP-SENDTO:10.9.0.2:7000
		i=$((i + 1))
	done
	sleep 1
}

pings() {
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
}

# 6.1 itself takes a redirected page from its pool when it makes an skb of it.
lost=0
none_lost() { [ "$(stat rx_pool_lost)" = $lost ]; }

sim_up
pair_up
in_a ip neigh replace 10.9.0.2 lladdr "$(in_b ip -br link show "$dev_b" | awk '{ print $3 }')" dev "$dev_a"
modprobe veth && in_b ip link add v0 mtu 9000 type veth peer name v1 mtu 9000 &&
	in_b ip link set v0 up && in_b ip link set v1 up || fail "no veth pair"
in_b ethtool -K v1 gro on	# or it would take no XDP frames
veth=$(in_b ip -o link show v0 | cut -d: -f1)

# programs NAME SIZE [frags]
programs() {
	local verdict
	for verdict in pass drop tx "redirect $veth" pass; do
		xdp_on "$dev_b" $verdict $3
		blast "$2"
		verdict=${verdict% *}
		[ $verdict = redirect ] || check "$1, $verdict: none lost" none_lost
		say "$1, $verdict: drop $(stat rx_xdp_drop) tx $(stat rx_xdp_tx_xmit) redirect $(stat rx_xdp_redirect) lost $(stat rx_pool_lost) packets $(stat rx_packets)"
		[ $verdict != pass ] || check "$1, $verdict: ping" pings
		xdp_off
		[ $verdict != redirect ] || lost=$(stat rx_pool_lost)
	done
	check "$1: ping" pings
}

programs striding 1400
in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq off
programs cyclic 1400

# Rings that a kernel with checkers can fill in time.
in_a ethtool -G "$dev_a" rx 256
in_b ethtool -G "$dev_b" rx 256
in_a ip link set "$dev_a" mtu 9000
in_b ip link set "$dev_b" mtu 9000
programs "cyclic, several buffers" 8500 frags
xdp_on "$dev_b" trim 5000 frags
blast 8500
check "trim: none lost" none_lost
xdp_off
check "transmitted" [ "$(stat rx_xdp_tx_xmit)" -gt 0 ]
check "redirected" [ "$(stat rx_xdp_redirect)" -gt 0 ]

# A new pool fails; the queues that were there go on. (Kernels with error injection: it
# draws its random numbers as if in an NMI, of which lockdep may complain, so this is last.)
inject=/sys/kernel/debug/fail_function
if [ -d $inject ]; then
	check "lockdep has not complained" grep -q 'debug_locks: *1' /proc/lockdep_stats
	echo rxpool_ring_create >$inject/inject
	printf %#x -12 >$inject/rxpool_ring_create/retval
	echo 0 >$inject/verbose
	echo -1 >$inject/times
	echo 100 >$inject/probability
	check "no new queues without a pool" eval "! in_b ethtool -L $dev_b combined 1"
	echo >$inject/inject
	check "the old ones are in use" pings
fi

in_b ip link set "$dev_b" down
sleep 2
check "all pages back" [ "$(awk '$1 ~ /^'"$dev_b"'-/' /sys/kernel/debug/rxpool/pools | wc -l)" = 0 ]
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
