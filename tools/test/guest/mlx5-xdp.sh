#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# XDP on the converted driver, both kinds of RQ: each verdict, packets in several
# buffers, and a program that cuts buffers off. All pages come home.
# vm: modules=mlx5_core,veth ko=cxsim tools=ip,ethtool,socat timeout=700
# test: drivers=rxpool
. /lib/guest.sh

# An object file with one program in section $2, made of the instructions $3...,
# each as 16 hex digits. No compiler is needed for such little programs.
object() {
	local file="$1" section="$2" code
	shift 2
	code=$(printf %s "$@")
	{
		elf_header 5
		# section headers: null, strings, the program, its license, symbols
		entry 0 0 0 0 0 0 0 0
		entry 1 3 0 384 64 0 1 0
		entry 9 1 6 448 $((${#code} / 2)) 0 8 0
		entry 20 1 3 $((448 + ${#code} / 2)) 8 0 1 0
		entry 28 2 0 $((456 + ${#code} / 2)) 48 1 8 24
		name "" .strtab "$section" license .symtab prog
		bytes "$code"
		printf 'GPL\0\0\0\0\0'
		le 8 0; le 8 0; le 8 0
		le 4 36; le 1 18; le 1 0; le 2 2; le 8 0; le 8 $((${#code} / 2))
	} >"$file"
}

# A number in little endian: le BYTES NUMBER
le() {
	local i=0 out=
	while [ $i -lt "$1" ]; do
		out="$out\\$(printf %03o $((($2 >> (8 * i)) & 255)))"
		i=$((i + 1))
	done
	printf "$out"
}

# Bytes given as hex digits.
bytes() {
	local byte
	for byte in $(printf %s "$1" | sed 's/../& /g'); do
		le 1 $((0x$byte))
	done
}

elf_header() {
	printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0'
	le 2 1; le 2 247; le 4 1; le 8 0; le 8 0; le 8 64; le 4 0
	le 2 64; le 2 0; le 2 0; le 2 64; le 2 "$1"; le 2 1
}

# entry NAME TYPE FLAGS OFFSET SIZE LINK ALIGN ENTSIZE
entry() {
	le 4 "$1"; le 4 "$2"; le 8 "$3"; le 8 0; le 8 "$4"; le 8 "$5"; le 4 "$6"
	le 4 "$([ "$2" = 2 ] && echo 1 || echo 0)"; le 8 "$7"; le 8 "$8"
}

# The string table, each name at a place that entry knows.
name() {
	printf '%s\0%-7s\0%-10s\0%-7s\0%-7s\0%s\0' "$@" | tr ' ' '\0'
	head -c $((64 - 41)) /dev/zero
}

insn_mov_r0() { printf 'b7000000%02x000000' "$1"; }
insn_mov_r1() { printf 'b7010000%02x000000' "$1"; }
insn_mov_r2() { printf 'b7020000%s' "$1"; }	# little endian, 8 digits
insn_call() { printf '85000000%02x000000' "$1"; }
exit_insn=9500000000000000

stat() {
	in_b ethtool -S "$dev_b" | sed -n "s/^ *$1: //p"
}

attach() {
	in_b ip link set "$dev_b" xdpdrv obj "$1" sec "$2"
}

detach() {
	in_b ip link set "$dev_b" xdpdrv off
}

# Packets that go in but need not come out.
blast() {
	local i=0
	while [ $i -lt 20 ]; do
		head -c 100000 /dev/zero | in_a socat -u -b "$1" - UDP-SENDTO:10.9.0.2:7000
		i=$((i + 1))
	done
	sleep 1
}

pings() {
	wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
}

# 6.1 itself takes a redirected page from its pool when it makes an skb of it.
lost=0
none_lost() { [ "$(stat rx_pool_lost)" = $lost ]; }

sim_up
pair_up
in_a ip neigh replace 10.9.0.2 lladdr "$(in_b ip -br link show "$dev_b" | awk '{ print $3 }')" dev "$dev_a"
modprobe veth && in_b ip link add v0 mtu 9000 type veth peer name v1 mtu 9000 &&
	in_b ip link set v0 up && in_b ip link set v1 up || fail "no veth pair"
in_b ethtool -K v1 gro on	# or it would take no XDP frames
veth=$(in_b ip -o link show v0 | cut -d: -f1)

for sec in xdp xdp.frags; do
	object "/tmp/drop.$sec" $sec "$(insn_mov_r0 1)" $exit_insn
	object "/tmp/pass.$sec" $sec "$(insn_mov_r0 2)" $exit_insn
	object "/tmp/tx.$sec" $sec "$(insn_mov_r0 3)" $exit_insn
	# bpf_redirect(v0, 0)
	object "/tmp/redirect.$sec" $sec "$(insn_mov_r1 "$veth")" "$(insn_mov_r2 00000000)" \
		"$(insn_call 23)" $exit_insn
	# bpf_xdp_adjust_tail(ctx, -5000), then pass
	object "/tmp/trim.$sec" $sec "$(insn_mov_r2 78ecffff)" "$(insn_call 65)" \
		"$(insn_mov_r0 2)" $exit_insn
done

programs() {
	local verdict
	for verdict in pass drop tx redirect pass; do
		check "$1, $verdict: attach" attach "/tmp/$verdict.$2" "$2"
		blast "$3"
		[ $verdict = redirect ] || check "$1, $verdict: none lost" none_lost
		say "$1, $verdict: drop $(stat rx_xdp_drop) tx $(stat rx_xdp_tx_xmit) redirect $(stat rx_xdp_redirect) lost $(stat rx_pool_lost) packets $(stat rx_packets)"
		[ $verdict != pass ] || check "$1, $verdict: ping" pings
		detach
		[ $verdict != redirect ] || lost=$(stat rx_pool_lost)
	done
	check "$1: ping" pings
}

programs striding xdp 1400
in_b ethtool --set-priv-flags "$dev_b" rx_striding_rq off
programs cyclic xdp 1400

in_a ip link set "$dev_a" mtu 9000
in_b ip link set "$dev_b" mtu 9000
programs "cyclic, several buffers" xdp.frags 8500
check "trim: attach" attach /tmp/trim.xdp.frags xdp.frags
blast 8500
check "trim: none lost" none_lost
detach
check "transmitted" [ "$(stat rx_xdp_tx_xmit)" -gt 0 ]
check "redirected" [ "$(stat rx_xdp_redirect)" -gt 0 ]

in_b ip link set "$dev_b" down
sleep 2
check "all pages back" [ "$(awk '$1 ~ /^'"$dev_b"'-/' /sys/kernel/debug/rxpool/pools | wc -l)" = 0 ]
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
