#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Traffic over the converted driver, both kinds of RQ, and reconfiguration under it:
# payload arrives unharmed, pages recycle, none is lost, the statistics hold.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3,socat,taskset timeout=700
# test: drivers=rxpool
. /lib/guest.sh

stat() {
	in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"
}

# A file across, each way, compared.
payload() {
	head -c 4000000 /dev/urandom >/tmp/sent
	for way in "a b 10.9.0.2" "b a 10.9.0.1"; do
		set -- $way
		rm -f /tmp/got
		ip netns exec "$2" socat -u TCP-LISTEN:6000,reuseaddr CREATE:/tmp/got &
		sleep 0.5
		ip netns exec "$1" socat -u OPEN:/tmp/sent TCP:"$3":6000 || return 1
		wait $!
		cmp /tmp/sent /tmp/got || return 1
	done
}

# Pages handed out, and how many of them were recycled, at one moment.
handed_out() {
	in_b ethtool -S "$dev_b" | sed -n 's/^ *rx_pool_\(alloc\|recycled\): //p'
}

# hit_rate NAME PER_1000: in steady state at least so many of the pages handed out are
# recycled. The working set grows with TCP's windows, in steps and for a while, so
# this is true of one of the next ten-second windows, not of the first.
hit_rate() {
	local name=$1 least=$2 window=0 alloc recycled
	while [ $((window += 1)) -le 6 ]; do
		set -- $(handed_out)
		sleep 10
		set -- "$@" $(handed_out)
		alloc=$(($3 - $1)) recycled=$(($4 - $2))
		say "$name: $recycled of $alloc pages recycled, burst $(stat rx_pool_burst), lost $(stat rx_pool_lost)"
		[ "$alloc" -gt 1000 ] && [ $((recycled * 1000)) -ge $((alloc * least)) ] && break
	done
	[ $window -le 6 ] && ok "$name: hit rate" || not_ok "$name: hit rate" "$recycled of $alloc"
	check "$name: none lost" [ "$(stat rx_pool_lost)" = 0 ]
}

strings() {
	in_b ethtool -S "$dev_b" | sed -n 's/^ *\([a-z0-9_]*\):.*/\1/p'
}

pings() {
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
}

sim_up
pair_up
check "no page cache counters" [ -z "$(strings | grep cache_)" ]
check "totals and queues" [ "$(strings | grep -c '^rx[0-9]*_pool_hit_rate')" -ge 2 ]
check "payload" payload

in_a ethtool -L "$dev_a" combined 2
in_b ethtool -L "$dev_b" combined 2
pings
start_traffic
hit_rate "striding" 999
# Both queues got some, and the total is their sum.
queues_add_up() {
	in_b ethtool -S "$dev_b" | awk '
		$1 ~ /^rx[0-9]+_pool_alloc:$/ { used += $2 > 0; sum += $2 }
		$1 == "rx_pool_alloc:" { total = $2 }
		END { exit !(used >= 2 && sum == total) }'
}
check "each queue counts its own" queues_add_up

# Which CPU reads a flow, 2 or 3, decides by which ring its pages come home.
steered() { [ "$(stat rx_pool_steered)" -gt 100 ]; }
echo 1 >/sys/module/rxpool/parameters/learn
check "readers are learned" wait_for 30 steered

# The number of strings is fixed once all channels were open.
names=$(strings | wc -l)
for ring in 256 4096 1024; do
	in_b ethtool -G "$dev_b" rx $ring
	sleep 1
	strings >/dev/null
done
check "ring sizes" pings
for channels in 1 4 2 3 2; do
	in_b ethtool -L "$dev_b" combined $channels
	sleep 1
	strings >/dev/null
done
check "channels" pings
check "same strings" [ "$(strings | wc -l)" = "$names" ]

before=$(stat rx_pool_alloc)
for flap in 1 2 3; do
	in_b ip link set "$dev_b" down
	down=$(stat rx_pool_alloc)
	gone=$(stat rx_pool_in_flight)$(stat rx_pool_retained)
	in_b ip link set "$dev_b" up
done
check "values survive down and up" [ "$down" -ge "$before" ]
check "no pages while down" [ "$gone" = 00 ]
check "flaps" pings

for mode in off on off; do
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	sleep 1
done
check "striding off and on" pings
stop_traffic
start_traffic
hit_rate "cyclic" 999
stop_traffic
check "cyclic payload" payload

for mtu in 9000 3000; do
	in_a ip link set "$dev_a" mtu $mtu
	in_b ip link set "$dev_b" mtu $mtu
	pings
	check "cyclic payload, MTU $mtu" payload
done
in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq on
in_a ip link set "$dev_a" mtu 9000
in_b ip link set "$dev_b" mtu 9000
pings
check "striding payload, MTU 9000" payload
start_traffic
# With jumbo frames TCP goes on widening its windows, up to 6 MB a stream.
hit_rate "striding, MTU 9000" 990
stop_traffic

check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
ip netns del a
ip netns del b
# Unloading is mostly waiting for grace periods.
echo 1 >/sys/kernel/rcu_expedited
n=0
while [ $n -lt 15 ] && rmmod mlx5_core && modprobe mlx5_core &&
	wait_for 60 sim_netdevs_are 2; do
	n=$((n + 1))
done
[ $n = 15 ] && ok "15 x rmmod, modprobe" || not_ok "15 x rmmod, modprobe" "ended after $n"
rmmod mlx5_core
# The stack keeps a few packets that were freed for another CPU (skb_defer_max) until
# that CPU receives again, however long that takes.
no_pool() {
	for cpu in 0 1 2 3; do
		taskset -c $cpu ping -c 1 127.0.0.1 >/dev/null
	done
	cat /sys/kernel/debug/rxpool/pools
	[ "$(wc -l </sys/kernel/debug/rxpool/pools)" = 1 ]
}
say "pools waiting: $(tail -n +2 /sys/kernel/debug/rxpool/pools)"
wait_for 20 no_pool
check "no pool is left" no_pool
