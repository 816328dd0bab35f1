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
