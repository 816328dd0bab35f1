# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Helpers for guest scripts: `. /lib/guest.sh`. tools/vm/run shows lines that start
# with "# ", "ok ", "not ok " or "skip "; all else goes to the log only.

say() { echo "# $*"; }
fail() { say "failed: $*"; exit 1; }

# A test case ends with one of these. One "not ok" fails the run.
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1 - $2"; }
skip() { echo "skip $1 - $2"; }

# check CASE COMMAND...: the case passes if the command does; else its output is shown
check() {
	local case="$1" out
	shift
	if out=$("$@" 2>&1); then
		ok "$case"
	else
		echo "$out" | sed 's/^/# | /'
		not_ok "$case" "$* failed"
	fi
}

# wait_for SECONDS COMMAND...: repeat the command until it succeeds
wait_for() {
	local end=$(($(cut -d. -f1 /proc/uptime) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(cut -d. -f1 /proc/uptime)" -lt $end ] || return 1
		sleep 0.2
	done
}

# result NAME <DATA: hand a file to the host, where it becomes build/vm/RUN/NAME.
# The sum tells the host about lines that another process of the guest tore apart.
result() {
	local file
	file=$(mktemp) && cat >"$file" || return 1
	echo "@result $1"
	base64 <"$file" | sed "s/^/@data $1 /"
	echo "@end $1 $(sha256sum <"$file" | cut -d' ' -f1)"
	rm "$file"
}

# The netdevs of the simulated functions that are in this namespace, in bus order.
sim_netdevs() {
	local dev
	for dev in /sys/class/net/*; do
		[ "$(basename "$(readlink "$dev/device/driver")")" = mlx5_core ] &&
			echo "$(readlink "$dev/device") ${dev##*/}"
	done | sort | cut -d' ' -f2
}

sim_netdevs_are() { [ "$(sim_netdevs | wc -l)" -ge "$1" ]; }

# sim_up [CXSIM PARAMETER...]: load the simulated ConnectX and the driver
sim_up() {
	modprobe cxsim "$@" || fail "cxsim does not load"
	modprobe mlx5_core || fail "mlx5_core does not load"
	wait_for 60 sim_netdevs_are 2 || fail "mlx5_core made no two netdevs"
}

in_a() { ip netns exec a "$@"; }
in_b() { ip netns exec b "$@"; }

# pair_up [MTU]: the two netdevs, up, one in each of two new namespaces:
# $dev_a with 10.9.0.1 in a, $dev_b with 10.9.0.2 in b. Needs tools=ip.
# In a namespace /sys is another one: read debugfs outside.
pair_up() {
	local mtu="${1:-1500}"
	set -- $(sim_netdevs)
	[ $# -ge 2 ] || fail "there are no two simulated netdevs"
	dev_a=$1 dev_b=$2
	ip netns add a && ip netns add b &&
		ip link set "$dev_a" netns a && ip link set "$dev_b" netns b &&
		in_a ip link set lo up && in_b ip link set lo up &&
		in_a ip addr add 10.9.0.1/24 dev "$dev_a" &&
		in_b ip addr add 10.9.0.2/24 dev "$dev_b" &&
		in_a ip link set "$dev_a" mtu "$mtu" up &&
		in_b ip link set "$dev_b" mtu "$mtu" up || fail "the pair does not come up"
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2 || fail "the pair does not ping"
}

# start_traffic [IPERF3 OPTION...]: 32 TCP and 2 UDP streams from a to b until
# stop_traffic, with the readers on CPUs 2 and 3. Needs tools=iperf3,taskset; $servers
# are the readers, $clients the senders, which log to /tmp/tcp? and /tmp/udp?.
start_traffic() {
	local server
	for server in 2 3; do
		in_b taskset -c $server iperf3 -s -p 520$server >/dev/null 2>&1 &
		in_b taskset -c $server iperf3 -s -p 530$server >/dev/null 2>&1 &
	done
	sleep 1
	servers=$(pidof iperf3)
	clients=
	for server in 2 3; do
		in_a iperf3 -c 10.9.0.2 -p 520$server -P 16 -t 0 "$@" >/tmp/tcp$server 2>&1 &
		clients="$clients $!"
		in_a iperf3 -c 10.9.0.2 -p 530$server -u -b 2M -l 1400 -t 0 "$@" >/tmp/udp$server 2>&1 &
		clients="$clients $!"
	done
}

stop_traffic() {
	killall iperf3
	sleep 1
	killall -9 iperf3 2>/dev/null
	wait
	true
}

# What follows is for the converted driver, with b as the receiver.

counter() { in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"; }

# The pools of b, those that wait for packets included. Column 5 is retained, 6 idle,
# 7 in flight.
pools() { grep "^$dev_b-" /sys/kernel/debug/rxpool/pools; }

in_flight() { pools | awk '$2 == "live" { sum += $7 } END { print sum + 0 }'; }

# Pages handed out, less those that came back or were lost, and those that are out:
# does not change while a pool lives, if no traffic flows.
balance() {
	{ in_b ethtool -S "$dev_b"; pools; } | awk '
		$1 == "rx_pool_alloc:" { sum += $2 }
		$1 ~ /^rx_pool_(burst|lost|return_owner|return_ring):$/ { sum -= $2 }
		$2 == "live" { sum -= $5 - $6 }
		END { print sum }'
}

# The stack keeps a few packets that were freed for another CPU (skb_defer_max) until
# that CPU receives again, however long that takes. Needs tools=taskset.
flush_deferred() {
	local cpu
	for cpu in 0 1 2 3; do
		taskset -c $cpu ping -c 1 -W 1 127.0.0.1 >/dev/null
	done
}

# settle: call it before traffic, when the rings have just been filled. Later one more
# descriptor of each keeps its pages until it is filled anew.
settle() {
	full_rings=$(($(in_flight) + 64 * $(pools | grep -c ' live ')))
	start=$(balance)
}

# settled: b's pages are all home, or lost, or with the device
settled() { at_rest || { flush_deferred; at_rest; }; }

at_rest() {
	pools
	echo "in flight $(in_flight) of $full_rings, balance $(balance) from $start"
	[ "$(in_flight)" -le "$full_rings" ] && [ "$(balance)" = "$start" ]
}

# all_home NAME: a case that passes once b's pages have settled
all_home() { wait_for 30 settled && ok "$1: pages" || check "$1: pages" settled; }

no_pool() {
	flush_deferred
	pools
	[ -z "$(pools)" ]
}

# transfer FROM TO ADDRESS: /tmp/sent over TCP between two namespaces, compared. Needs
# tools=socat.
transfer() {
	rm -f /tmp/got
	ip netns exec "$2" timeout 60 socat -u TCP-LISTEN:6000,reuseaddr CREATE:/tmp/got &
	ip netns exec "$1" timeout 60 socat -u OPEN:/tmp/sent TCP:"$3":6000,retry=50,interval=0.2 ||
		return 1
	wait $!
	cmp /tmp/sent /tmp/got
}

# xdp_on DEV PROGRAM...: an XDP program at a netdev in b until xdp_off. Needs tools=perl
# files=tools/test/guest/xdp.pl, which see for the programs.
xdp_on() {
	: >/tmp/xdp
	ip netns exec b perl ~/xdp.pl "$@" >/tmp/xdp 2>&1 &
	xdp="$xdp $!"
	wait_for 60 grep -q attached /tmp/xdp || fail "no XDP program: $* $(cat /tmp/xdp)"
}

xdp_off() {
	kill $xdp
	wait $xdp 2>/dev/null
	xdp=
}
