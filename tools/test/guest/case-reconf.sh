#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Reconfiguration under traffic while processes hold packets, and somebody reads the
# statistics all the time: nothing leaks, nothing is said twice, the dead pools are
# listed for as long as they must wait, and rxpool stays loaded meanwhile.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3,socat,taskset,perl files=tools/test/guest/xdp.pl timeout=400
# test: drivers=rxpool
. /lib/guest.sh

dead() { pools | awk '$2 == "dead"' | wc -l; }
dead_are() { flush_deferred; [ "$(dead)" -le "$1" ]; }
oldest() { pools | awk '$2 == "dead" && $3 > age { age = $3 } END { print age + 0 }'; }
held() { pools | awk '$2 == "dead" { sum += $7 } END { print sum + 0 }'; }

pings() { wait_for 30 in_a ping -c 1 -W 1 10.9.0.2; }

# Unread datagrams of several flows, and so in several queues. $reader holds them.
hold() {
	local flow
	ip netns exec b socat -u UDP-RECV:"$1",rcvbuf=8000000 /dev/null &
	reader=$!
	wait_for 10 in_b grep -q "$(printf ':%04X ' "$1")" /proc/net/udp
	kill -STOP $reader
	for flow in 1 2 3 4 5 6 7 8; do
		head -c 14000 /tmp/sent |
			in_a socat -u -b 1400 - UDP-SENDTO:10.9.0.2:"$1",sourceport=710$flow
	done
}

let_go() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

# Reads the statistics until /tmp/stop is there, and notes how many there are.
watch_statistics() {
	until [ -e /tmp/stop ]; do
		in_b ethtool -S "$dev_b" | wc -l
		cat /sys/kernel/debug/rxpool/pools >/dev/null
	done >/tmp/counts
}

# round NAME COMMAND...: packets are held, the queues change under them, they go home
round() {
	local name="$1"
	shift
	hold 7001
	"$@"
	check "$name: ping" pings
	check "$name: packets wait" [ "$(held)" -gt "$long_held" ]
	let_go $reader
	check "$name: home" wait_for 30 dead_are "$long_dead"
}

flap() {
	in_b ip link set "$dev_b" down
	check "same statistics while down" same_statistics
	in_b ip link set "$dev_b" up
}

same_statistics() { [ "$(in_b ethtool -S "$dev_b" | wc -l)" = "$count" ]; }

rings() {
	local size
	for size in 256 4096 512 1024; do
		in_b ethtool -G "$dev_b" rx $size
	done
}

channels() {
	local n
	for n in 1 4 2 3; do
		in_b ethtool -L "$dev_b" combined $n
	done
}

mtu() {
	local mtu
	for mtu in 9000 3000 1500; do
		in_a ip link set "$dev_a" mtu $mtu
		in_b ip link set "$dev_b" mtu $mtu
	done
}

xdp() {
	local program
	for program in pass echo drop; do
		xdp_on "$dev_b" $program
		xdp_off
	done
}

indirection() {
	in_b ethtool -X "$dev_b" weight 1 0 3
	pings
	in_b ethtool -X "$dev_b" equal 1
	pings
	in_b ethtool -X "$dev_b" default
}

napi_threads() { ps | awk -v name="[napi/$dev_b-" 'index($0, name) { print $1 }'; }

# Each queue's NAPI is a kthread that moves from CPU to CPU.
threaded() {
	local cpu thread
	in_b sh -c "echo 1 >/sys/class/net/$dev_b/threaded"
	for cpu in 1 3 0 2; do
		for thread in $(napi_threads); do
			taskset -p -c $cpu "$thread" >/dev/null
		done
		transfer a b 10.9.0.2 || return 1
	done
	[ -n "$thread" ]
}

# What the kernel says of pools, less that rxpool is no part of it.
said() { dmesg | grep -E 'rxpool|page_pool' | grep -viE 'taint|signature|command line'; }

refuses() { ! "$@"; }

sim_up
pair_up
echo 8000000 >/proc/sys/net/core/rmem_max
head -c 1000000 /dev/urandom >/tmp/sent
count=$(in_b ethtool -S "$dev_b" | wc -l)

# Some packets are held until the end.
hold 7000
long_reader=$reader
in_b ip link set "$dev_b" down
in_b ip link set "$dev_b" up
flush_deferred
long_dead=$(dead) long_held=$(held)
say "$long_held pages in $long_dead pools are held"
check "packets wait" [ "$long_held" -gt 0 ]

pings
settle
lost=$(counter rx_pool_lost)
check "threaded NAPI" threaded
all_home "threaded NAPI"
check "threaded NAPI: none lost" [ "$(counter rx_pool_lost)" = "$lost" ]

ip netns exec b iperf3 -s >/dev/null 2>&1 &
server=$!
pings
ip netns exec a iperf3 -c 10.9.0.2 -b 4M -P 4 -t 600 >/dev/null 2>&1 &
client=$!
watch_statistics &
watcher=$!
round "down and up" flap
round "ring sizes" rings
round "channels" channels
round "MTU" mtu
round "XDP" xdp
check "indirection" indirection
: >/tmp/stop
wait $watcher
say "statistics were read $(wc -l </tmp/counts) times"
check "same statistics all the time" [ "$(sort -u /tmp/counts)" = "$count" ]
kill -KILL $client $server

check "the same pools wait" [ "$(dead)/$(held)" = "$long_dead/$long_held" ]
# After a minute the kernel's own pools begin to complain.
old() { [ "$(oldest)" -ge 62 ]; }
check "their age is shown" wait_for 62 old
rmmod mlx5_core || fail "mlx5_core does not unload"
check "rxpool stays while pages are out" refuses rmmod rxpool
let_go $long_reader
check "all home" wait_for 30 dead_are 0
check "rxpool unloads" rmmod rxpool
check "the kernel is not nagged" [ -z "$(said)" ]
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
