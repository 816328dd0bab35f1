#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All DMA goes through bounce buffers, so that a sync that is missing, or has the wrong
# offset or length, shows as damaged payload. Then the buffers run out.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,socat,taskset,perl files=tools/test/guest/xdp.pl append=swiotlb=force allow=swiotlb_buffer_is_full timeout=400
# test: drivers=rxpool
. /lib/guest.sh

both_ways() {
	transfer a b 10.9.0.2 && transfer b a 10.9.0.1
}

# Datagrams go to b, where XDP_TX sends them back.
echoed() {
	rm -f /tmp/got
	in_a socat -t 3 -b 1400 'OPEN:/tmp/some!!CREATE:/tmp/got' UDP:10.9.0.2:7000,rcvbuf=8000000
	cmp /tmp/some /tmp/got
}

slots() { cat "/sys/kernel/debug/swiotlb/io_tlb_$1"; }

pings() { wait_for 30 in_a ping -c 1 -W 1 10.9.0.2; }

# 16 MB of unread datagrams
enough_held() {
	head -c 700000 /tmp/sent | in_a socat -u -b 1400 - UDP-SENDTO:10.9.0.2:7000
	[ "$(in_flight)" -ge 4000 ]
}

hog_failed() { [ "$(ethtool -S "$hog" | sed -n 's/^ *rx_pool_alloc_failed: //p')" -gt 0 ]; }
hog_pages() { awk -v name="$hog-" 'index($1, name) == 1 { sum += $7 } END { print sum + 0 }' /sys/kernel/debug/rxpool/pools; }
hog_full() { [ "$(hog_pages)" -ge 12000 ]; }

sim_up functions=4
wait_for 60 sim_netdevs_are 4 || fail "there are no four netdevs"
# Short rings, or those of jumbo frames would not fit into 64 MB.
for dev in $(sim_netdevs); do
	ethtool -L "$dev" combined 2
	ethtool -G "$dev" rx 256
done
pair_up
hog=$(sim_netdevs | head -n 1)
echo 32000000 >/proc/sys/net/core/rmem_max
head -c 3000000 /dev/urandom >/tmp/sent
head -c 300000 /tmp/sent >/tmp/some
check "bounce buffers are used" [ "$(slots used)" -gt $((2 * $(in_flight))) ]

for mode in on off; do
	[ $mode = on ] && rq=striding || rq=cyclic
	in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq $mode
	pings
	check "$rq, payload" both_ways
	xdp_on "$dev_b" echo
	check "$rq, XDP_TX" echoed
	check "$rq, XDP pass" transfer a b 10.9.0.2
	xdp_off
	in_a ip link set "$dev_a" mtu 9000
	in_b ip link set "$dev_b" mtu 9000
	pings
	check "$rq, MTU 9000" both_ways
	in_a ip link set "$dev_a" mtu 1500
	in_b ip link set "$dev_b" mtu 1500
done
check "buffers sufficed" [ -z "$(dmesg | grep 'swiotlb buffer is full')" ]
check "no mapping failed" [ "$(counter rx_pool_alloc_failed)" = 0 ]

# Another device's rings need 48 of the 64 MB, and get the rest when it is there.
ip netns exec b socat -u UDP-RECV:7000,rcvbuf=32000000 CREATE:/dev/null &
reader=$!
wait_for 10 in_b grep -q ':1B58 ' /proc/net/udp
kill -STOP $reader
wait_for 60 enough_held || fail "only $(in_flight) pages are held"
ethtool -L "$hog" combined 3
ethtool -G "$hog" rx 8192
ip link set "$hog" up
check "mappings fail" wait_for 30 hog_failed
say "$(slots used) of $(slots nslabs) slots are used, by $(hog_pages) pages of 12288"
check "not all of them" [ "$(hog_pages)" -lt 12000 ]
kill -KILL $reader
in_b ip link set "$dev_b" down
check "buffers are free again: the rings fill" wait_for 30 hog_full
in_b ip link set "$dev_b" up
check "buffers are free again: ping" pings
check "buffers are free again: payload" both_ways
ip link set "$hog" down
in_b ip link set "$dev_b" down
wait_for 30 no_pool
check "no page is left" no_pool
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
