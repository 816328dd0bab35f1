#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What the stack does with received packets, both kinds of RQ: taps, loss, coalescing,
# forwarding, NAT, fragments, tun, veth, splice. The payload arrives unharmed, and then
# every page is home or counted as lost, exactly once.
# vm: modules=mlx5_core,veth,tun,sch_netem,nft_masq,nft_chain_nat,nft_ct,crc32c_generic ko=cxsim tools=ip,tc,nft,ethtool,socat,taskset,perl files=tools/test/guest/splice.pl timeout=400
# test: drivers=rxpool
. /lib/guest.sh

in_c() { ip netns exec c "$@"; }

# Datagrams of several fragments, compared: datagrams TO ADDRESS
datagrams() {
	rm -f /tmp/got
	ip netns exec "$1" socat -u -b 65536 UDP-RECV:7000,rcvbuf=8000000 CREATE:/tmp/got &
	wait_for 10 bound "$1"
	in_a socat -u -b 5000 OPEN:/tmp/some UDP-SENDTO:"$2":7000
	wait_for 10 cmp /tmp/some /tmp/got
	set -- $?
	kill $!
	return "$1"
}

bound() { ip netns exec "$1" grep -q ':1B58 ' /proc/net/udp; }

# netstat NAMESPACE COUNTER: of TcpExt and IpExt
netstat() {
	ip netns exec "$1" awk -v name="$2" '
		NR % 2 { split($0, names) }
		!(NR % 2) { for (i = 2; i <= NF; i++) if (names[i] == name) print $i }' /proc/net/netstat
}

# Packets that a tap has not read are clones of what TCP reads.
tap() {
	ip netns exec b socat -u -b 70000 INTERFACE:"$dev_b",rcvbuf=8000000 CREATE:/tmp/tap &
	tap=$!
	wait_for 10 in_b grep -q '^[0-9a-f]' /proc/net/packet
	transfer a b 10.9.0.2 || return 1
	kill -STOP $tap
	transfer a b 10.9.0.2 || return 1
	kill -CONT $tap
	wait_for 10 tapped
	set -- $?
	kill $tap
	return "$1"
}

# Some of the packets that came while it was stopped.
tapped() { [ "$(wc -c </tmp/tap)" -gt 4500000 ]; }

# Single packets are lost and overtaken, so that b queues what is out of order.
loss() {
	local before
	before=$(netstat a TCPSackRecovery)
	in_a ethtool -K "$dev_a" tso off gso off
	in_a tc qdisc add dev "$dev_a" root netem loss 1% delay 1ms reorder 90%
	transfer a b 10.9.0.2
	set -- $?
	in_a tc qdisc del dev "$dev_a" root
	in_a ethtool -K "$dev_a" tso on gso on
	[ "$1" = 0 ] && [ "$(netstat a TCPSackRecovery)" -gt "$before" ]
}

# Segments that are copied into their head, and those that are not, in one stream.
mixed() {
	local i=0
	rm -f /tmp/got
	ip netns exec b timeout 60 socat -u TCP-LISTEN:6000,reuseaddr CREATE:/tmp/got &
	while [ $((i += 1)) -le 40 ]; do
		dd bs=90 count=1
		dd bs=9000 count=1
		dd bs=200 count=1
	done </tmp/sent 2>/dev/null |
		in_a socat -u - TCP:10.9.0.2:6000,nodelay,retry=50,interval=0.2 || return 1
	wait $!
	head -c $((40 * 9290)) /tmp/sent | cmp - /tmp/got
}

# Nobody accepts the connection; then the listener dies with its queue full.
killed() {
	ip netns exec b socat -u TCP-LISTEN:6000,reuseaddr CREATE:/dev/null &
	set -- $!
	wait_for 10 listening b 1770
	kill -STOP "$1"
	ip netns exec a socat -u OPEN:/tmp/sent TCP:10.9.0.2:6000 &
	set -- "$1" $!
	wait_for 10 unread
	set -- "$1" "$2" $?
	kill -KILL "$1"
	wait "$2"
	return "$3"
}

# 16 KB and more wait in port 6000.
unread() {
	in_b awk '$2 ~ /:1770$/ && $4 == "01" && $5 ~ /:000(0[4-9A-F]|[1-9A-F])/ { found = 1 }
		END { exit !found }' /proc/net/tcp
}

listening() {
	ip netns exec "$1" awk -v port="$2" '$2 ~ port "$" && $4 == "0A" { found = 1 }
		END { exit !found }' /proc/net/tcp
}

forwarding() { transfer a c 10.9.1.2; }

# c fetches a file from a, which knows no way to c's address.
nat() {
	in_a ip route del 10.9.1.0/24
	in_b nft -f - <<-END || return 1
		table ip case {
			chain post {
				type nat hook postrouting priority 100
				oifname "$dev_b" counter masquerade
			}
			chain forward {
				type filter hook forward priority 0
				ct state invalid drop
			}
		}
	END
	rm -f /tmp/got
	ip netns exec a timeout 60 socat -u OPEN:/tmp/sent TCP-LISTEN:6000,reuseaddr &
	in_c timeout 60 socat -u TCP:10.9.0.1:6000,retry=50,interval=0.2 CREATE:/tmp/got
	wait $!
	in_a ip route add 10.9.1.0/24 via 10.9.0.2
	cmp /tmp/sent /tmp/got
}

fragments() { datagrams b 10.9.0.2; }

fragments_forwarded() { datagrams c 10.9.1.2; }

# With conntrack, which nat() left there, b joins them and takes them apart again.
fragments_tracked() {
	local before
	before=$(reassembled)
	datagrams c 10.9.1.2 || return 1
	in_b nft delete table ip case
	[ "$(reassembled)" -gt "$before" ]
}

# ReasmOKs and ReasmTimeout of b
reassembled() { in_b awk '/^Ip: [0-9]/ { print $16 }' /proc/net/snmp; }
timeouts() { in_b awk '/^Ip: [0-9]/ { print $14 }' /proc/net/snmp; }
timed_out() { [ "$(timeouts)" -gt "$1" ]; }

# What b has of datagrams that are not complete is freed by a timer.
fragments_missing() {
	local before
	before=$(timeouts)
	in_a tc qdisc add dev "$dev_a" root netem loss 30%
	in_a socat -u -b 5000 OPEN:/tmp/some UDP-SENDTO:10.9.0.2:7000
	in_a tc qdisc del dev "$dev_a" root
	wait_for 20 timed_out "$before"
}

tunnel() { transfer a c 10.9.2.2; }

relay() {
	rm -f /tmp/got
	ip netns exec a timeout 60 socat -u TCP-LISTEN:6000,reuseaddr CREATE:/tmp/got &
	set -- $!
	wait_for 10 listening a 1770
	ip netns exec b timeout 60 perl ~/splice.pl 6001 10.9.0.1 6000 &
	set -- "$1" $!
	in_a timeout 60 socat -u OPEN:/tmp/sent TCP:10.9.0.2:6001,retry=50,interval=0.2
	wait "$2" && wait "$1"
	cmp /tmp/sent /tmp/got
}

lost() { pools | awk '{ sum += $8 } END { print sum + 0 }'; }

# pass NAME FUNCTION: the function does what it should, and no page goes astray
pass() {
	local before
	before=$(lost)
	check "$rq, $1" "$2"
	all_home "$rq, $1"
	say "lost $(($(lost) - before))"
}

network() {
	ip netns add c &&
		in_b ip link add vb type veth peer name vc && in_b ip link set vc netns c &&
		in_b ip addr add 10.9.1.1/24 dev vb && in_c ip addr add 10.9.1.2/24 dev vc &&
		in_b ip link set vb up && in_c ip link set vc up && in_c ip link set lo up &&
		in_a ip route add 10.9.1.0/24 via 10.9.0.2 &&
		in_a ip route add 10.9.2.0/24 via 10.9.0.2 &&
		in_c ip route add default via 10.9.1.1 &&
		in_b sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward
			echo 1 >/proc/sys/net/ipv4/ipfrag_time' || fail "no network"
	echo 8000000 >/proc/sys/net/core/rmem_max
	# A tunnel from b to c, with a process at either end, which ends if the other is
	# not there yet.
	in_b sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	in_c sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6'
	ip netns exec b socat TUN:10.9.2.1/24,iff-up,iff-no-pi UNIX-SENDTO:/tmp/c,bind=/tmp/b &
	ip netns exec c socat TUN:10.9.2.2/24,iff-up,iff-no-pi UNIX-SENDTO:/tmp/b,bind=/tmp/c &
	wait_for 10 [ -S /tmp/b ] && wait_for 10 [ -S /tmp/c ]
	wait_for 20 in_a ping -c 1 -W 1 10.9.2.2 || fail "no tunnel"
}

sim_up
pair_up
modprobe -a crc32c_generic tun veth sch_netem nft_chain_nat nft_masq nft_ct || fail "modules"
network
head -c 4000000 /dev/urandom >/tmp/sent
head -c 400000 /tmp/sent >/tmp/some

for mode in on off; do
	[ $mode = on ] && rq=striding || rq=cyclic
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
	settle
	pass "packet tap" tap
	pass "loss" loss
	pass "small and large segments" mixed
	pass "forwarding to veth" forwarding
	pass "splice" relay
	# Here the two have long become alike.
	[ $mode = on ] || break
	pass "queue of a killed reader" killed
	pass "NAT" nat
	pass "fragments tracked" fragments_tracked
	pass "fragments" fragments
	pass "fragments forwarded" fragments_forwarded
	pass "fragments missing" fragments_missing
	pass "tun" tunnel
done
say "coalesced $(netstat b TCPRcvCoalesce), out of order $(netstat b TCPOFOQueue)"
check "TCP coalesced" [ "$(netstat b TCPRcvCoalesce)" -gt 0 ]
check "TCP queued out of order" [ "$(netstat b TCPOFOQueue)" -gt 0 ]

in_b ip link set "$dev_b" down
wait_for 30 no_pool
check "no page is left" no_pool
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
