#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The simulated NIC while the kernel's own mlx5 driver reconfigures it.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3 timeout=180
# test: kernels=6.1 full=6.12 drivers=stock,rxpool
. /lib/guest.sh

refused_none() { [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]; }
stat() { in_b ethtool -S "$1" | sed -n "s/^ *$2: //p"; }
alive() { wait_for 15 in_a ping -c 2 -i 0.2 -W 1 10.9.0.2; }
streams() { in_a iperf3 -c 10.9.0.2 -P 16 -t 2 "$@"; }

# change COMMAND...: it works, and traffic does afterwards
change() { "$@" && alive && streams; }

# only RING...: what came since `before` came to these rings
before() {
	for ring in 0 1 2 3; do
		eval "was$ring=$(stat "$dev_b" "rx${ring}_packets")"
	done
}

only() {
	local ring n
	for ring in 0 1 2 3; do
		eval "n=\$(($(stat "$dev_b" "rx${ring}_packets") - was$ring))"
		echo "ring $ring: $n"
		case " $* " in
		*" $ring "*) [ "$n" -gt 50 ] || return 1 ;;
		*) [ "$n" -lt 20 ] || return 1 ;;
		esac
	done
}

carrier() { [ "$(in_b cat "/proc/net/dev" | grep -c "$dev_b")" = 1 ] &&
	in_b ip link show "$dev_b" | grep -q "$1"; }

flap() {
	in_a ip link set "$dev_a" down && wait_for 10 carrier NO-CARRIER &&
		in_a ip link set "$dev_a" up && wait_for 10 carrier LOWER_UP && alive
}

hold() {
	echo Y >/sys/kernel/debug/cxsim/0/hold_link
	wait_for 10 carrier NO-CARRIER || return 1
	echo N >/sys/kernel/debug/cxsim/0/hold_link
	wait_for 10 carrier LOWER_UP && alive
}

# The multicast filter: joined groups arrive, others do not.
multicast() {
	local was
	was=$(sed -n 's/^rx_drop_steer //p' /sys/kernel/debug/cxsim/1/stats)
	in_a ip maddr show >/dev/null
	in_a ping -c 3 -i 0.2 -W 1 -I "$dev_a" 239.9.9.9
	[ "$(sed -n 's/^rx_drop_steer //p' /sys/kernel/debug/cxsim/1/stats)" -ge "$((was + 3))" ] ||
		return 1
	in_b ip link set "$dev_b" promisc on
	sleep 0.5
	was=$(sed -n 's/^rx_drop_steer //p' /sys/kernel/debug/cxsim/1/stats)
	in_a ping -c 3 -i 0.2 -W 1 -I "$dev_a" 239.9.9.9
	[ "$(sed -n 's/^rx_drop_steer //p' /sys/kernel/debug/cxsim/1/stats)" = "$was" ]
}

# A new address is programmed, the old one no longer answers.
mac() {
	in_b ip link set "$dev_b" address 02:aa:bb:cc:dd:ee
	in_a ip neigh flush dev "$dev_a"
	alive || return 1
	in_a ip neigh replace 10.9.0.2 lladdr 02:63:78:00:00:02 dev "$dev_a"
	! in_a ping -c 1 -W 1 10.9.0.2 || return 1
	in_a ip neigh del 10.9.0.2 dev "$dev_a"
	alive
}

sim_up
pair_up
in_b iperf3 -s -D
sleep 1

before
check "ethtool -X equal 2" change in_b ethtool -X "$dev_b" equal 2
check "... only rings 0 and 1" only 0 1
before
check "ethtool -X weight 0 0 0 1" change in_b ethtool -X "$dev_b" weight 0 0 0 1
check "... only ring 3" only 3
check "ethtool -X default" change in_b ethtool -X "$dev_b" default
check "hash function xor" change in_b ethtool -X "$dev_b" hfunc xor
check "hash function toeplitz" change in_b ethtool -X "$dev_b" hfunc toeplitz
check "ethtool -L combined 2" change in_b ethtool -L "$dev_b" combined 2
check "ethtool -L combined 4" change in_b ethtool -L "$dev_b" combined 4
check "ethtool -G rx 256" change in_b ethtool -G "$dev_b" rx 256
check "ethtool -G rx 2048" change in_b ethtool -G "$dev_b" rx 2048 tx 2048
check "cyclic receive queue" change in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq off
check "... with MTU 9000" change in_b ip link set "$dev_b" mtu 9000
check "... back" change in_b ip link set "$dev_b" mtu 1500
check "striding receive queue" change in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq on
check "link down and up" flap
check "link held down" hold
check "multicast filter" multicast
check "new MAC address" mac
check "no access refused" refused_none
