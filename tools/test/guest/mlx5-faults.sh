#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The device misbehaves: completions of zero bytes, error completions with the flush
# and refill that follow, a queue that stands still. Pages stay accounted for.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3 timeout=700
# test: drivers=rxpool
. /lib/guest.sh

stat() {
	in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"
}

# Of the receiving device.
knob() {
	echo "$2" >"/sys/kernel/debug/cxsim/1/$1"
}

pings() {
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
}

traffic() {
	in_b iperf3 -s -1 >/dev/null 2>&1 &
	sleep 1
	in_a timeout 60 iperf3 -c 10.9.0.2 -u -b 20M -P 8 -t "$1" >/dev/null 2>&1
	kill $! 2>/dev/null
	wait $! 2>/dev/null
	true
}

# When all is quiet, as many pages are out as fill the ring: none got stuck.
settled() { [ "$(stat rx_pool_in_flight)" -le "$full_ring" ]; }
accounted() { [ "$(stat rx_pool_lost)" = 0 ] && wait_for 20 settled; }

sim_up
pair_up

# One error at a time: mlx5 gives a queue up that fails again within half a second.
errors() {
	local round
	for round in 1 2 3; do
		traffic 2
		knob err_rx 1
		in_a ping -c 1 -W 1 10.9.0.2
		knob err_rx 0
		sleep 1
		pings || return 1
	done
}

in_b ethtool -L "$dev_b" combined 1
for mode in on off; do
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	pings
	traffic 1
	sleep 2
	full_ring=$(stat rx_pool_in_flight)
	before=$(stat rx_wqe_err)
	knob zero_len 50
	traffic 5
	knob zero_len 0
	check "striding $mode, zero bytes: dropped" [ "$(stat rx_wqe_err)" -gt "$before" ]
	check "striding $mode, zero bytes" pings
	check "striding $mode, zero bytes: none lost" accounted
	check "striding $mode, errors" errors
	check "striding $mode, errors: none lost" accounted
	knob hold_rq Y
	traffic 2
	knob hold_rq N
	check "striding $mode, held queue" pings
done
say "recovered $(stat rx_recover) times"
check "recovery was tested" [ "$(stat rx_recover)" -ge 4 ]
in_b ip link set "$dev_b" down
check "all pages back" [ "$(awk '$1 ~ /^'"$dev_b"'-/' /sys/kernel/debug/rxpool/pools | wc -l)" = 0 ]
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
