#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Userspace verbs by Soft-RoCE over the converted driver: rings change while the tools
# run, and the receiving function is unbound under one of them.
# vm: modules=mlx5_core,rdma_rxe,rdma_ucm,crc32_generic ko=cxsim timeout=420
# vm: tools=ip,ethtool,rdma,ibv_devinfo,ibv_rc_pingpong,ibv_ud_pingpong,ibv_srq_pingpong,rping,rcopy,ib_send_bw,ib_write_bw,ib_read_bw
# vm: files=/etc/libibverbs.d/rxe.driver,/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so,/lib/x86_64-linux-gnu/libgcc_s.so.1
# test: drivers=rxpool
. /lib/guest.sh

# What the tools check of the data: rping all of it, ibv_*_pingpong -c a byte of each
# page, perftest none. rcopy is compared here, and rxe drops what its own checksum finds.

in_a() { "$@"; }
in_b() { "$@"; }

# rxe of 6.1 looks routes up and receives in the first network namespace only. So both
# netdevs stay there, and what one address sends to the other is routed over the wire:
# the table "local" comes last for what this machine sends, but not for what arrives.
wire_up() {
	set -- $(sim_netdevs)
	dev_a=$1 dev_b=$2
	for conf in /proc/sys/net/ipv4/conf/all /proc/sys/net/ipv4/conf/default \
		"/proc/sys/net/ipv4/conf/$dev_a" "/proc/sys/net/ipv4/conf/$dev_b"; do
		echo 1 >"$conf/accept_local"
		echo 0 >"$conf/rp_filter"
	done
	ip addr add 10.9.0.1/32 dev "$dev_a" && ip addr add 10.9.0.2/32 dev "$dev_b" &&
		ip rule add pref 10 iif lo lookup 101 && ip rule add pref 10 oif "$dev_a" lookup 101 &&
		ip rule add pref 10 oif "$dev_b" lookup 101 &&
		ip rule add pref 20 lookup local && ip rule del pref 0 && links_up 1500 &&
		rdma link add rxe_a type rxe netdev "$dev_a" &&
		rdma link add rxe_b type rxe netdev "$dev_b" || fail "no rxe devices"
	wait_for 20 gids || fail "the rxe devices have no addresses"
}

# The routes go when a link is down.
links_up() {
	ip link set "$dev_a" mtu "$1" up && ip link set "$dev_b" mtu "$1" up &&
		ip route replace 10.9.0.2 dev "$dev_a" src 10.9.0.1 table 101 &&
		ip route replace 10.9.0.1 dev "$dev_b" src 10.9.0.2 table 101 &&
		wait_for 30 ping -c 1 -W 1 10.9.0.2
}

# gid DEVICE HEX: the index of the address that ends so
gid() {
	grep -l "ffff:0a09:$2\$" /sys/class/infiniband/"$1"/ports/1/gids/* 2>/dev/null |
		head -n 1 | sed 's|.*/||'
}

gids() {
	gid_a=$(gid rxe_a 0001) gid_b=$(gid rxe_b 0002)
	[ "$gid_a" ] && [ "$gid_b" ]
}

port_is_active() { ibv_devinfo -d rxe_b | grep 'state:.*PORT_ACTIVE'; }
tcp_listens() { grep -q ':4853 00000000:0000 0A' /proc/net/tcp; }
cm_listens() { rdma resource show cm_id | grep -q LISTEN; }

# well FILE...: no tool complained, whatever its exit status
well() { ! grep -i 'invalid data\|error\|fail\|mismatch' "$@"; }

# both LISTENS SERVER CLIENT: two commands, the second when the first listens, end well
both() {
	$2 >/tmp/server 2>&1 &
	local server=$! code=1
	if wait_for 30 "$1"; then
		timeout 60 $3 >/tmp/client 2>&1
		code=$?
	fi
	[ $code = 0 ] || kill $server
	wait $server && [ $code = 0 ] && well /tmp/server /tmp/client && return
	echo "client: $code"
	cat /tmp/server /tmp/client
	return 1
}

# talk TOOL OPTION...: the server at b, the client at a
talk() {
	local tool="$1" gid=-g
	shift
	case $tool in ib_*) gid="-F -x" ;; esac
	both tcp_listens "timeout 90 $tool -d rxe_b $gid $gid_b $*" \
		"$tool -d rxe_a $gid $gid_a $* 10.9.0.2"
}

talk_rping() {
	both cm_listens "timeout 90 rping -s -a 10.9.0.2 -V $*" \
		"rping -c -I 10.9.0.1 -a 10.9.0.2 -V $*"
}

# By rsockets, which are RDMA writes.
copy() {
	rm -f /tmp/got
	rcopy >/tmp/server 2>&1 &
	local server=$!
	wait_for 30 cm_listens
	timeout 60 rcopy /tmp/sent 10.9.0.2:/tmp/got >/tmp/client 2>&1
	cmp /tmp/sent /tmp/got
	local code=$?
	kill $server
	wait $server
	[ $code = 0 ] || cat /tmp/server /tmp/client
	return $code
}

stat() { ethtool -S "$1" | sed -n "s/^ *$2: //p"; }

# wire RECEIVER PACKETS COMMAND...: the command ends well, and so many packets at least
# came through the receiver's pool meanwhile. A page holds two packets of 1500 bytes;
# some pages were posted before.
wire() {
	local dev="$1" least="$2" packets pages
	shift 2
	packets=$(stat "$dev" rx_packets) pages=$(stat "$dev" rx_pool_alloc)
	"$@" || return 1
	packets=$(($(stat "$dev" rx_packets) - packets))
	pages=$(($(stat "$dev" rx_pool_alloc) - pages))
	echo "$packets packets received in $pages pages, not $least"
	[ $packets -ge "$least" ] && [ $((pages * 2 + 1000)) -ge $packets ]
}

# Under a tool, for as long as it runs.
change_rings() {
	while :; do
		for ring in 256 2048 512 1024; do
			sleep 1
			ethtool -G "$dev_b" rx $ring && echo $ring >>/tmp/changes
		done
	done
}

# changing COMMAND...: rings change while it runs
changing() {
	change_rings &
	local changer=$!
	"$@"
	local code=$?
	kill $changer
	wait $changer
	return $code
}

unbind() {
	echo 10000:00:01.0 >/sys/bus/pci/drivers/mlx5_core/unbind
}

sim=/sys/kernel/debug/cxsim
zero() { [ "$(cat "$sim/$1")" = 0 ] || { echo "$1 is $(cat "$sim/$1")"; return 1; }; }
flows() { [ "$(stat "$dev_b" rx_packets)" -gt $((before + 2000)) ]; }
none_live() { ! pools | grep ' live '; }
running() { kill -0 "$1" 2>/dev/null; }

head -c 2000000 /dev/urandom >/tmp/sent
sim_up iommu=1
for module in crc32_generic rdma_rxe rdma_ucm; do
	modprobe $module || fail "$module does not load"
done
wire_up
check "ibv_devinfo" port_is_active
settle
full_rings=$((4 * 8 * 64))	# of 4 queues, as many descriptors, as many pages
# Unreliable datagrams that are lost stay lost, so no ring changes here.
check "ibv_ud_pingpong" wire "$dev_b" 500 talk ibv_ud_pingpong -c -n 500 -s 1024
check "rping" wire "$dev_b" 400 talk_rping -C 50 -S 4000
check "rcopy" wire "$dev_b" 1900 copy
check "settled" wait_for 20 settled

check "ibv_rc_pingpong, rings change" wire "$dev_b" 4000 changing talk ibv_rc_pingpong -c -n 1000
check "ibv_srq_pingpong, rings change" wire "$dev_b" 4000 changing talk ibv_srq_pingpong -c -n 1000
check "ib_send_bw, rings change" wire "$dev_b" 12800 changing talk ib_send_bw -s 65536 -n 200
check "ib_write_bw, rings change" wire "$dev_b" 12800 changing talk ib_write_bw -s 65536 -n 200
check "ib_read_bw, rings change" wire "$dev_a" 12800 changing talk ib_read_bw -s 65536 -n 200
check "rings changed" [ "$(wc -l </tmp/changes)" -ge 5 ]
check "none lost" [ "$(counter rx_pool_lost)" = 0 ]

# Packets of 4 KiB, each in several fragments; and the other kind of receive queue.
check "MTU 9000" links_up 9000
check "rping, 4 KiB" changing talk_rping -C 200 -S 60000
ethtool --set-priv-flags "$dev_b" rx_striding_rq off
check "ib_send_bw, cyclic" wire "$dev_b" 4800 changing talk ib_send_bw -s 65536 -n 300
check "none lost, cyclic" [ "$(counter rx_pool_lost)" = 0 ]
ethtool --set-priv-flags "$dev_b" rx_striding_rq on

ib_send_bw -d rxe_b -F -x "$gid_b" -n 5000000 >/tmp/server 2>&1 &
server=$!
wait_for 30 tcp_listens
before=$(stat "$dev_b" rx_packets)
ib_send_bw -d rxe_a -F -x "$gid_a" -n 5000000 10.9.0.2 >/tmp/client 2>&1 &
client=$!
check "ib_send_bw sends" wait_for 60 flows
# It waits for whoever has the rxe device open.
unbind &
unbind=$!
check "unbinding closes the pools" wait_for 60 none_live
check "ib_send_bw still runs" running $server
kill $client $server
wait $client $server
check "unbinding ends with the tools" wait_for 60 zero 1/iommu_mapped
wait $unbind
check "no pool is left" wait_for 30 no_pool
check "no access refused" zero refused
check "no mapping left" zero iommu_left
check "no bad unmap" zero iommu_bad_unmap
check "no bad sync" zero iommu_bad_sync
check "unload" rmmod mlx5_core
