#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The simulated NIC under the kernel's own mlx5 driver: what travels, arrives.
# vm: modules=mlx5_core,8021q ko=cxsim tools=ip,ethtool,iperf3 timeout=180
# test: kernels=6.1,6.12 drivers=stock,rxpool
. /lib/guest.sh

refused_none() { [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]; }

# stat DEV NAME, in namespace b
stat() { in_b ethtool -S "$1" | sed -n "s/^ *$2: //p"; }

# copy TO_DIR: 16 MB of random bytes over TCP, from a to b or back
copy() {
	if [ "$1" = b ]; then
		in_b nc -l -p 5001 <&9 >/tmp/got &
		sleep 0.5
		in_a nc 10.9.0.2 5001 </tmp/sent
	else
		in_a nc -l -p 5001 <&9 >/tmp/got &
		sleep 0.5
		in_b nc 10.9.0.1 5001 </tmp/sent
	fi
	wait $!
	cmp /tmp/sent /tmp/got
}

# streams ARG...: many TCP streams, none of which may fail
streams() { in_a iperf3 -c 10.9.0.2 -P 32 -t 3 "$@"; }

# The driver counts what the netdev counts and the wire counts more: FCS.
counters_agree() {
	local soft hard
	soft=$(stat "$dev_b" rx_packets)
	hard=$(stat "$dev_b" rx_packets_phy)
	[ "$soft" -gt 1000 ] && [ "$hard" -ge "$soft" ] &&
		[ "$(stat "$dev_b" rx_vport_unicast_packets)" -ge "$((soft - 100))" ] &&
		[ "$(in_b cat /proc/net/dev | sed -n "s/^ *$dev_b: *[0-9]* *\([0-9]*\).*/\1/p")" -ge "$soft" ]
}

spread() {
	local ring n
	for ring in 0 1 2 3; do
		n=$(stat "$dev_b" "rx${ring}_packets")
		echo "ring $ring: $n"
		[ "$n" -gt 100 ] || return 1
	done
}

no_checksum_errors() {
	in_b awk '/^Tcp: [0-9]/ { print; exit $16 != 0 }' /proc/net/snmp
}

vlan() {
	in_a ip link add link "$dev_a" name v type vlan id 5 &&
		in_b ip link add link "$dev_b" name v type vlan id 5 &&
		in_a ip addr add 10.9.5.1/24 dev v && in_b ip addr add 10.9.5.2/24 dev v &&
		in_a ip link set v up && in_b ip link set v up &&
		in_a ping -c 3 -i 0.2 -W 2 10.9.5.2
}

# A tag nobody asked for is stopped by the VLAN table.
vlan_filtered() {
	in_b ip link del v
	! in_a ping -c 1 -W 1 10.9.5.2
}

sim_up
pair_up
modprobe 8021q
head -c 16777216 /dev/urandom >/tmp/sent
# an input that never ends: nc would stop at its end
mkfifo /tmp/quiet
exec 9<>/tmp/quiet

check "ping" in_a ping -c 5 -i 0.2 10.9.0.2
check "ping of odd lengths" in_a ping -c 2 -i 0.2 -s 1471 10.9.0.2
in_a ip addr add fd00::1/64 dev "$dev_a" nodad
in_b ip addr add fd00::2/64 dev "$dev_b" nodad
check "ping by IPv6" wait_for 10 in_a ping -c 2 -W 2 fd00::2
check "16 MB from a to b" copy b
check "16 MB from b to a" copy a
in_b iperf3 -s -D
sleep 1
check "32 streams from a to b" streams
check "32 streams from b to a" streams -R
check "streams by IPv6" in_a iperf3 -c fd00::2 -P 4 -t 2
check "UDP" in_a iperf3 -c 10.9.0.2 -u -b 10M -P 4 -t 3
check "every ring receives" spread
check "counters agree" counters_agree
check "checksums are right" no_checksum_errors

in_a ethtool -K "$dev_a" tso off tx off >/dev/null
check "16 MB without offloads" copy b
in_a ethtool -K "$dev_a" tso on tx on >/dev/null
in_b ethtool -K "$dev_b" rx off >/dev/null
check "16 MB without receive checksums" copy b
in_b ethtool -K "$dev_b" rx on >/dev/null

check "VLAN, tag taken off" vlan
in_b ethtool -K "$dev_b" rxvlan off >/dev/null
check "VLAN, tag left on" in_a ping -c 3 -i 0.2 -W 2 10.9.5.2
in_a ethtool -K "$dev_a" txvlan off >/dev/null
check "VLAN, tag put on by the kernel" in_a ping -c 3 -i 0.2 -W 2 10.9.5.2
check "VLAN nobody wants" vlan_filtered

in_a ip link set "$dev_a" mtu 9000
in_b ip link set "$dev_b" mtu 9000
check "MTU 9000: ping" wait_for 15 in_a ping -c 2 -W 2 -s 8900 10.9.0.2
check "MTU 9000: 16 MB" copy b
check "MTU 9000: 32 streams" streams

check "no access refused" refused_none
