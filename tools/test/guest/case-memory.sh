#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# No memory for the receive queue while packets come in: it stops quietly, and goes on by
# itself. Memory that closed queues had is free again, and what is held can be seen.
# vm: modules=mlx5_core,pktgen ko=cxsim tools=ip,ethtool,socat,taskset,perl allow=page_allocation_failure timeout=400
# test: drivers=rxpool
. /lib/guest.sh

free_kb() { awk '/^MemFree:/ { print $2 }' /proc/meminfo; }
failed() { counter rx_pool_alloc_failed; }
packets() { counter rx_packets; }

# A kthread sends from a, and needs no memory if it sends one packet again and again.
# generate OPTION...; ends with stop_generator
generate() {
	local option
	for option in "count 0" "pkt_size 1400" "delay 50000" "dst 10.9.0.2" \
		"dst_mac $mac_b" "udp_dst_min 7000" "udp_dst_max 7001" "udp_src_min 9" \
		"udp_src_max 9" "clone_skb 0" "$@"; do
		in_a sh -c "echo $option >/proc/net/pktgen/$dev_a" || fail "pktgen: $option"
	done
	ip netns exec a sh -c 'echo start >/proc/net/pktgen/pgctrl' &
	generator=$!
}

stop_generator() {
	in_a sh -c 'echo stop >/proc/net/pktgen/pgctrl'
	wait $generator
}

# Readers that do not read: $even of port 7000, $odd of port 7001
hold() {
	ip netns exec b socat -u UDP-RECV:7000,rcvbuf=200000000 CREATE:/dev/null &
	even=$!
	ip netns exec b socat -u UDP-RECV:7001,rcvbuf=200000000 CREATE:/dev/null &
	odd=$!
	wait_for 10 in_b grep -q ':1B58 ' /proc/net/udp
	wait_for 10 in_b grep -q ':1B59 ' /proc/net/udp
	kill -STOP $even $odd
}

let_go() {
	kill -KILL "$1"
	wait "$1" 2>/dev/null
}

# The reserve that only others may use is larger than all that is free, for some
# seconds. Whoever needs a page then would be killed, so this process needs none.
squeeze() {
	perl -e '
		my ($seconds, $reserve, $before) = @ARGV;
		syscall(151, 3) == 0 or die "mlockall: $!\n";
		open(my $file, ">", "/proc/sys/vm/min_free_kbytes") or die;
		for my $value ($before, $reserve, $before) {
			sysseek($file, 0, 0);
			syswrite($file, $value) or die "min_free_kbytes: $!\n";
			select(undef, undef, undef, $seconds) if $value == $reserve;
		}' "$1" $((4 * $(free_kb))) "$(cat /proc/sys/vm/min_free_kbytes)"
}

more_than() { [ "$(packets)" -gt "$1" ]; }

shortage() {
	local before now
	settle
	# Every other packet is freed. So there are skbs to be had without a page, but
	# no page of the pool comes back.
	hold
	generate
	wait_for 30 more_than $(($(packets) + 8000))
	stop_generator
	let_go $odd

	before=$(failed)
	generate "udp_dst_max 7000" "clone_skb 100000000"
	wait_for 30 more_than $(($(packets) + 100))
	squeeze 3
	now=$(packets)
	say "$rq: $(($(failed) - before)) pages failed, $(counter rx_out_of_buffer) packets found no buffer"
	check "$rq: allocations failed" [ "$(failed)" -gt "$before" ]
	# The socket keeps them all, so this needs new pages.
	check "$rq: receive goes on by itself" wait_for 30 more_than $((now + 5000))
	stop_generator
	let_go $even
	check "$rq: ping" wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
	all_home "$rq"
}

# Failures that the kernel tells of are the stack's own, not the pool's.
loud() { dmesg | grep -A 40 'page allocation failure' | grep 'rxpool_'; }

# What is retained, by queue and in total, in kB
retained() {
	in_b ethtool -S "$dev_b" | awk '$1 ~ "^rx'"$1"'_pool_retained_bytes:" { sum += $2 }
		END { print sum / 1024 }'
}

given_back() {
	flush_deferred
	echo "retained $(retained "") kB of $full, free $(free_kb) kB, were $free"
	[ "$(retained "")" -lt $((full / 2)) ] && [ $(($(free_kb) - free)) -gt $((full / 3)) ]
}

channels() {
	in_b ethtool -L "$dev_b" combined 4
	hold
	generate "flag UDPSRC_RND" "udp_src_max 5009"
	wait_for 30 more_than $(($(packets) + 40000))
	stop_generator
	let_go $even
	let_go $odd
	flush_deferred
	full=$(retained "") free=$(free_kb)
	say "$full kB are retained"
	check "each queue shows its memory" [ "$(retained '[0-9]+')" = "$full" ]
	check "queues retain" [ "$full" -gt 20000 ]
	in_b ethtool -L "$dev_b" combined 1
	check "closed queues give memory back" wait_for 30 given_back
}

sim_up
pair_up
mac_b=$(in_b cat "/sys/class/net/$dev_b/address")
echo 200000000 >/proc/sys/net/core/rmem_max
in_b ethtool -L "$dev_b" combined 1
modprobe pktgen && in_a sh -c "echo add_device $dev_a >/proc/net/pktgen/kpktgend_3" ||
	fail "no pktgen"
for mode in on off; do
	[ $mode = on ] && rq=striding || rq=cyclic
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
	shortage
done
check "the pool fails quietly" [ -z "$(loud)" ]
say "the kernel told of $(dmesg | grep -c 'page allocation failure') failures"
channels
in_b ip link set "$dev_b" down
wait_for 30 no_pool
check "no page is left" no_pool
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
