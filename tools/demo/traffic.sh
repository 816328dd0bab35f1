#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The demo's guest: the same traffic in three scenes, counters before and after each.
# Runs alike on the stock and on the converted driver; what they count is told apart
# by the names.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3,socat,taskset timeout=420
. /lib/guest.sh

GROW=6		# s, for all streams to flow
PAUSE=4		# s, for all sockets to fill
QUIET=6		# s without a new page, and a scene is in its steady state
MEASURE=12	# s, some 200000 packets
QUEUES=2	# on CPUs 0 and 1; the readers are on CPUs 2 and 3

tracing=/sys/kernel/tracing

# Histograms count without waking anybody. page_pool's refills use the bulk allocator,
# which mm_page_alloc does not see, so page_pool's own tracepoint is counted.
count_events() {
	echo 0 >$tracing/options/record-cmd
	echo 'hist:keys=common_type if order==0' >$tracing/events/kmem/mm_page_alloc_zone_locked/trigger
	echo 'hist:keys=common_type' >$tracing/events/page_pool/page_pool_state_hold/trigger
	# dir is the fifth argument: 0 both ways (XDP), 2 from the device
	echo 'p:rx_map dma_map_page_attrs dir=%r8:u32' >$tracing/kprobe_events
	echo 'hist:keys=common_type if dir==2' >$tracing/events/kprobes/rx_map/trigger
}

hits() {
	awk -v name="$1" '$1 == "Hits:" { print name, $2 }' "$tracing/events/$2/hist"
}

snapshot() {
	{
		in_b ethtool -S "$dev_b" | sed -n 's/^ *\([a-z0-9_]*\): \([0-9]*\)$/\1 \2/p'
		hits zone_locked kmem/mm_page_alloc_zone_locked
		hits page_pool_hold page_pool/page_pool_state_hold
		hits rx_map kprobes/rx_map
		cat /proc/vmstat
		echo "refused_accesses $(cat /sys/kernel/debug/cxsim/refused)"
	} | result "$1"
}

# Bytes that wait in the socket of port 7000, in decimal; fails if there is none.
held_bytes() {
	local queues
	queues=$(in_b awk '$2 ~ /:1B58$/ { print $5 }' /proc/net/udp)
	[ -n "$queues" ] && echo $((0x${queues#*:}))
}

# A reader that got stuck. Eight flows, so that every queue has its datagram; some are
# dropped, as in a busy network, so they are sent more often than once.
hold_datagrams() {
	ip netns exec b socat -u UDP-RECV:7000 /dev/null & # not in_b: $! must be socat
	wait_for 20 held_bytes || fail "the reader does not listen"
	kill -STOP $!
	for round in 1 2; do
		for port in 7101 7102 7103 7104 7105 7106 7107 7108; do
			head -c 200 /dev/zero |
				in_a socat -t 0 -u - UDP-SENDTO:10.9.0.2:7000,sourceport=$port
		done
	done
	[ "$(held_bytes)" -ge 8192 ] || fail "too few datagrams are held"
	say "unread datagrams: $(held_bytes) bytes in the socket"
}

# Stock has no such counter, and so never waits longer.
settled() {
	local before
	before=$(from_buddy)
	sleep $QUIET
	[ "$(from_buddy)" = "$before" ]
}

from_buddy() {
	in_b ethtool -S "$dev_b" | sed -n 's/^ *rx_pool_from_buddy: //p'
}

measure() {
	wait_for 60 settled
	snapshot "$1.before"
	sleep $MEASURE
	snapshot "$1.after"
	say "scene $1 done"
}

count_events
sim_up
pair_up
in_a ethtool -L "$dev_a" combined $QUEUES
in_b ethtool -L "$dev_b" combined $QUEUES
wait_for 30 in_a ping -c 1 -W 1 10.9.0.2 || fail "no ping after ethtool -L"
in_b ethtool --show-priv-flags "$dev_b" | grep -q 'rx_striding_rq *: on' ||
	fail "the driver does not use its striding RQ"

# With windows of a fixed size the working set has a bound, and when the readers pause
# once it gets there: sockets are full then. Otherwise it would creep there for minutes.
start_traffic -w 128K
sleep $GROW
kill -STOP $servers
sleep $PAUSE
kill -CONT $servers
measure steady
hold_datagrams
measure held
echo 0 >/proc/sys/net/core/skb_defer_max
measure held_nodefer

kill -0 $clients || fail "an iperf3 client ended early: $(tail -n 3 /tmp/tcp* /tmp/udp*)"
[ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ] || fail "the device refused accesses"
