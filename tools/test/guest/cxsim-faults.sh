#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The fault knobs, and that the kernel's own mlx5 driver recovers from what they do.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool timeout=180
# test: kernels=6.1 full=6.12
. /lib/guest.sh

sim=/sys/kernel/debug/cxsim
alive() { wait_for "${1:-20}" in_a ping -c 2 -i 0.2 -W 1 10.9.0.2; }
flood() { in_a ping -c 40 -i 0.02 -W 1 10.9.0.2 >/dev/null; }
stat() { in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"; }
knob() { echo "$2" >"$sim/$1"; }
refused_none() { [ "$(cat $sim/refused)" = 0 ]; }

hold_rq() {
	local was
	was=$(stat rx_out_of_buffer)
	knob 1/hold_rq Y
	in_a ping -c 3 -i 0.2 -W 1 10.9.0.2
	knob 1/hold_rq N
	[ "$(stat rx_out_of_buffer)" -gt "$was" ] && alive
}

zero_len() {
	knob 1/zero_len 10
	flood
	knob 1/zero_len 0
	alive
}

drop_rx() {
	knob 1/drop_rx 10
	! flood
	knob 1/drop_rx 0
	alive
}

err_tx() {
	knob 0/err_tx 5
	flood
	knob 0/err_tx 0
	alive 30
}

err_rx() {
	knob 1/err_rx 15
	flood
	knob 1/err_rx 0
	alive 30
}

fail_command() {
	knob 1/fail_opcode 0x908 && knob 1/fail_status 0xf
	in_b ip link set "$dev_b" down
	in_b ip link set "$dev_b" up 2>/dev/null && return 1
	knob 1/fail_status 0
	in_b ip link set "$dev_b" up && alive
}

# The driver notices, resets the device and loads again.
fatal() {
	local was
	was=$(sed -n 's/^resets //p' $sim/1/stats)
	knob 1/fatal Y
	wait_for 60 eval "[ \"\$(sed -n 's/^resets //p' $sim/1/stats)\" -gt $was ]" &&
		wait_for 60 sim_netdevs_are 1 && recovered
}

# Recovery makes a new netdev.
recovered() {
	dev_b=$(sim_netdevs | tail -n 1)
	ip link set "$dev_b" netns b && in_b ip addr add 10.9.0.2/24 dev "$dev_b"
	in_b ip link set "$dev_b" up && alive 40
}

sim_up
pair_up
check "held receive queue counts out of buffer" hold_rq
check "zero-length completions" zero_len
check "lost receive completions" drop_rx
in_b ip link set "$dev_b" down && in_b ip link set "$dev_b" up
check "send errors are recovered from" err_tx
check "receive errors are recovered from" err_rx
check "CREATE_RQ fails" fail_command
check "fatal health is recovered from" fatal
check "no access refused" refused_none
