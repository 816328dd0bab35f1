#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Two NUMA nodes. The queues' interrupts move to the other node under traffic, and a
# process holds a packet of each queue: pages go on being recycled.
# vm: modules=mlx5_core ko=cxsim tools=ip,ethtool,iperf3,socat,taskset cpus=4 numa=2 timeout=400
# test: drivers=rxpool
. /lib/guest.sh

# Pages handed out, and how many of them were recycled, at one moment.
handed_out() {
	in_b ethtool -S "$dev_b" | sed -n 's/^ *rx_pool_\(alloc\|recycled\): //p'
}

# At least 99 % of the pages handed out in one of the next ten-second windows.
recycles() {
	local window=0 alloc recycled
	while [ $((window += 1)) -le 6 ]; do
		set -- $(handed_out)
		sleep 10
		set -- "$@" $(handed_out)
		alloc=$(($3 - $1)) recycled=$(($4 - $2))
		echo "$recycled of $alloc pages recycled"
		[ "$alloc" -gt 1000 ] && [ $((recycled * 100)) -ge $((alloc * 99)) ] && return
	done
	return 1
}

# The completion interrupts of b's device, and how many each CPU took, summed up.
irqs() { sed -n "s/^ *\([0-9]*\):.*mlx5_comp[0-9]*@pci:$bus.*/\1/p" /proc/interrupts; }
taken() {
	awk -v bus="@pci:$bus" 'index($0, bus) && /mlx5_comp/ { for (i = 2; i <= 5; i++) sum[i] += $i }
		END { print sum[2] + sum[3], sum[4] + sum[5] }' /proc/interrupts
}

# move CPU...: the interrupts to these CPUs, in turn
move() {
	local irq cpus="$*"
	for irq in $(irqs); do
		[ $# -gt 0 ] || set -- $cpus
		echo "$1" >"/proc/irq/$irq/smp_affinity_list" || return 1
		shift
	done
	# Seen from the counts: only the other node's grow.
	sleep 2
	set -- $(taken)
	sleep 2
	set -- "$@" $(taken)
	echo "on node 0: $1, then $3; on node 1: $2, then $4"
	case "$cpus" in
	*3*) [ "$4" -gt "$2" ] && [ $((($3 - $1) * 10)) -le $(($4 - $2)) ] ;;
	*) [ "$3" -gt "$1" ] && [ $((($4 - $2) * 10)) -le $(($3 - $1)) ] ;;
	esac
}

sim_up
bus=$(basename "$(readlink "/sys/class/net/$(sim_netdevs | sed -n 2p)/device")")
pair_up
check "two nodes" [ -d /sys/devices/system/node/node1 ]
in_b ethtool -L "$dev_b" combined 2
wait_for 30 in_a ping -c 1 -W 1 10.9.0.2
say "interrupts: $(irqs | tr '\n' ' ')"

for cpu in 1 3; do
	ip netns exec b taskset -c $cpu iperf3 -s -p 520$cpu >/dev/null 2>&1 &
done
sleep 1
for cpu in 1 3; do
	ip netns exec a iperf3 -c 10.9.0.2 -p 520$cpu -P 8 -t 600 -w 256K >/dev/null 2>&1 &
done
check "to node 0" move 0 1
check "on node 0: recycled" recycles
check "to node 1" move 2 3
check "on node 1: recycled" recycles

ip netns exec b socat -u UDP-RECV:7000 CREATE:/dev/null &
reader=$!
wait_for 10 in_b grep -q ':1B58 ' /proc/net/udp
kill -STOP $reader
for flow in 1 2 3 4 5 6 7 8; do
	head -c 1000 /dev/zero | in_a socat -u - UDP-SENDTO:10.9.0.2:7000,sourceport=710$flow
done
check "packets are held" in_b grep -q ':1B58 .* 00000000:0000[1-9A-F]' /proc/net/udp
check "with packets held: recycled" recycles
say "burst $(counter rx_pool_burst), lost $(counter rx_pool_lost)"

kill -KILL $reader $(pidof iperf3)
in_b ip link set "$dev_b" down
wait_for 30 no_pool
check "no page is left" no_pool
check "no refused accesses" [ "$(cat /sys/kernel/debug/cxsim/refused)" = 0 ]
