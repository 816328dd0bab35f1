#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The guest of `make soak`: actions at random under traffic, in batches. After each
# batch all is put right again, and then nothing may be amiss. Action N of a seed is
# the same action with the same arguments in each run.
# vm: modules=mlx5_core ko=cxsim tools=ip,devlink,ethtool,iperf3,socat,taskset,perl
# vm: files=tools/test/guest/xdp.pl memory=3072
# vm: allow=overlapping_mappings_aren't_supported,at_add.dma.entry,DMA-API:_Mapped_at,cacheline_tracking_ENOMEM
# (Pages that a redirect's receiver keeps stay mapped until their pool misses them. And when
# memory is made short DMA_API_DEBUG has none either, and ends its watch.)
. /lib/guest.sh

BATCH=8
HOLDERS=6	# sockets with unread packets, at most

argument() { sed -n "s/.*soak\.$1=\([0-9]*\).*/\1/p" /proc/cmdline; }
seed=$(argument seed) minutes=$(argument minutes) number=$(argument from)
sim=/sys/kernel/debug/cxsim
driver=/sys/bus/pci/drivers/mlx5_core
kinds="rings channels rss striding mtu features link xdp xdp_off hold release knob command
	shortage step unbind reload fatal namespace"
tried=0 refused=0 held="" full=0 packets=0 thin=0

# -- chance ---------------------------------------------------------------------------

# What follows depends on $1 only.
chance() {
	state=$((($1 & 0x3fffffff) * 0x9e3779b1 & 0xffffffff))
	for _ in 1 2; do
		state=$(((state ^ (state >> 16)) * 0x45d9f3b & 0xffffffff))
	done
}

# No subshell may do this, which would forget it: $r is one of 0...$1-1, $it one of "$@".
rnd() {
	state=$(((state * 1103515245 + 12345) & 0x7fffffff))
	r=$(((state >> 12) % $1))
}

pick() {
	rnd $#
	shift $r
	it=$1
}

# Either end: $ns, $dev, and $n, the number of the simulated function.
side() {
	pick a b
	ns=$it
	[ $ns = a ] && n=0 || n=1
	dev=sim$n
}

# -- what to tell ----------------------------------------------------------------------

now() { cut -d. -f1 /proc/uptime; }

# Connections that are not over yet, also those that nobody has open any more.
connections() {
	local space
	for space in a b; do
		ip netns exec $space cat /proc/net/tcp /proc/net/tcp6 |
			awk -v space=$space '$4 ~ /^0[1-5789B]$/ { print space, $2, $3, "state", $4, "queues", $5 }'
	done
}

# What does not get on, and where.
stuck() {
	local task
	connections | sed 's/^/# | /' | head -n 20
	for task in /proc/[0-9]*; do
		grep -qs '^State:.*D ' "$task/status" && ! grep -q '^cxsim/' "$task/comm" || continue
		say "stuck: $(cat "$task/comm")"
		head -n 8 "$task/stack" | sed 's/^/# | /'
	done
}

trouble() {
	say "TROUBLE after action $number ($did), seed $seed: $*"
	stuck
	sed 's/^/# | /' /sys/kernel/debug/rxpool/pools
	sed 's/^/# | /' /tmp/out 2>/dev/null | tail -n 20
	exit 1
}

# Must be so, sooner or later: sure WHAT COMMAND...
sure() {
	local what="$1" began=$(now) slow=
	shift
	until "$@" >/tmp/out 2>&1; do
		[ "$(now)" -lt $((began + 120)) ] || trouble "not so: $what"
		[ "$slow" ] || [ "$(now)" -lt $((began + 30)) ] || {
			slow=1
			say "slow: $what"
			stuck
		}
		sleep 0.3
	done
}

# limited SECONDS COMMAND...: by its path, or timeout would run busybox's own ip.
limited() {
	local seconds="$1" tool
	tool=$(command -v "$2")
	shift 2
	timeout -s KILL "$seconds" "$tool" "$@"
}

# May be refused, but must come to an end.
try() {
	tried=$((tried + 1))
	limited 120 "$@" >/tmp/out 2>&1
	case $? in
	0) ;;
	137) trouble "this does not end: $*" ;;
	*)
		refused=$((refused + 1))
		echo "refused: $*: $(tail -n 1 /tmp/out)"	# in the log only
		;;
	esac
}

there() { try ip netns exec $ns "$@"; }

# -- the two ends ----------------------------------------------------------------------

netdev_of() { ls "/sys/bus/pci/devices/10000:00:0$1.0/net/"; }
is_back() { [ "$(netdev_of "$1")" ]; }

# Take the netdev of a function into its namespace: join FUNCTION
join() {
	local space=a
	[ "$1" = 0 ] || space=b
	sure "function $1 makes no netdev" is_back "$1"
	ip link set "$(netdev_of "$1")" name "sim$1" &&
		ip link set "sim$1" netns $space &&
		ip -n $space addr add "10.9.0.$(($1 + 1))/24" dev "sim$1" ||
		trouble "netdev of function $1 does not join $space"
	try ip -n $space link set "sim$1" up
}

space_up() {
	ip netns add "$1" && ip -n "$1" link set lo up || trouble "no namespace $1"
	# A connection that nobody has open any more would keep pages and the namespace for
	# minutes, and so would one that waits ever longer before it tries again.
	ip netns exec "$1" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_orphan_retries
		echo 7 >/proc/sys/net/ipv4/tcp_retries2'
}

# -- traffic ---------------------------------------------------------------------------

listening() { [ "$(in_b cat /proc/net/tcp6 /proc/net/tcp | grep -c ' 0A ')" -ge 4 ]; }

# TCP and UDP, both ways.
traffic() {
	local port
	for port in 5201 5202 5203 5204; do
		ip netns exec b iperf3 -s -p $port >/dev/null 2>&1 &
	done
	sure "iperf3 listens" listening
	ip netns exec a iperf3 -c 10.9.0.2 -p 5201 -P 8 -t 0 >/dev/null 2>&1 &
	ip netns exec a iperf3 -c 10.9.0.2 -p 5202 -P 8 -t 0 -R >/dev/null 2>&1 &
	ip netns exec a iperf3 -c 10.9.0.2 -p 5203 -u -b 2M -l 1400 -P 2 -t 0 >/dev/null 2>&1 &
	ip netns exec a iperf3 -c 10.9.0.2 -p 5204 -u -b 2M -l 300 -P 2 -t 0 -R >/dev/null 2>&1 &
}

no_iperf() { ! killall -9 iperf3; }
quiet() { sure "iperf3 ends" no_iperf; }

received() { awk '$1 == "rx_ucast" { sum += $2 } END { print sum + 0 }' $sim/0/stats $sim/1/stats; }

# -- the actions; the first line of each says what was drawn ---------------------------

do_rings() {
	side
	# With checkers a large ring is not filled before the driver gives it up.
	if [ -e /sys/kernel/debug/kmemleak ]; then
		pick 64 128 256 512 1024
	else
		pick 128 256 512 1024 2048 4096 8192
	fi
	did="$did $ns rx $it"
	there ethtool -G $dev rx $it
}

do_channels() {
	side; pick 1 2 3 4
	did="$did $ns $it"
	there ethtool -L $dev combined $it
}

do_rss() {
	side; pick "default" "equal 1" "equal 2" "weight 1 0" "weight 1 2" "hfunc xor" "hfunc toeplitz"
	did="$did $ns $it"
	there ethtool -X $dev $it
}

do_striding() {
	side; pick on off
	did="$did $ns $it"
	there ethtool --set-priv-flags $dev rx_striding_rq $it
}

do_mtu() {
	pick 576 1500 3000 3498 9000
	did="$did $it"
	try ip -n a link set sim0 mtu $it
	try ip -n b link set sim1 mtu $it
}

do_features() {
	side; pick "gro off" "gro on" "rx off" "rx on" "rxvlan off" "rxvlan on" "tso off" "tso on" \
		"rx-fcs on" "rx-fcs off" "rxhash off" "rxhash on"
	did="$did $ns $it"
	there ethtool -K $dev $it
}

do_link() {
	side; rnd 20
	did="$did $ns down for $((r / 10)).$((r % 10)) s"
	try ip -n $ns link set $dev down
	sleep $((r / 10)).$((r % 10))
	try ip -n $ns link set $dev up
}

xdp_says() { [ -s /tmp/xdp.$ns ]; }

xdp_off() {
	eval "set -- \$xdp_$1; xdp_$1="
	[ $# = 0 ] || { kill -9 "$1"; wait "$1"; } 2>/dev/null
}

do_xdp() {
	side; pick pass drop tx echo "trim 100" "cpumap 3" redirect
	local program="$it"
	pick "" frags
	did="$did $ns $program $it"
	# One program at a time: two might send each other packets for ever.
	xdp_off a
	xdp_off b
	[ "$program" != redirect ] ||
		program="redirect $(ip netns exec $ns cat /sys/class/net/$dev/ifindex)"
	: >/tmp/xdp.$ns
	ip netns exec $ns perl ~/xdp.pl $dev $program $it >/tmp/xdp.$ns 2>&1 &
	eval "xdp_$ns=$!"
	sure "XDP is attached or refused" xdp_says
	grep -q attached /tmp/xdp.$ns || refused=$((refused + 1))
}

do_xdp_off() {
	side
	did="$did $ns"
	xdp_off $ns
}

do_release() {
	set -- $held
	[ $# -gt 0 ] || return
	kill -9 "$1"
	wait "$1" 2>/dev/null
	shift
	held="$*"
}

reads() { ip netns exec $ns grep -q ":$port 00000000:0000 07" /proc/net/udp; }

do_hold() {
	side; pick 100 700 1400
	did="$did $ns datagrams of $it"
	set -- $held
	[ $# -lt $HOLDERS ] || do_release
	port=$(printf %04X $((20000 + number % 10000)))
	ip netns exec $ns socat -u UDP-RECV:$((0x$port)) /dev/null 2>/dev/null &
	sure "socat reads" reads
	kill -STOP $!
	held="$held $!"
	local to=10.9.0.$((n + 1)) from=a
	[ $ns = b ] || from=b
	head -c $((it * 60)) /dev/zero |
		limited 20 ip netns exec $from socat -u -b $it - UDP-SENDTO:$to:$((0x$port)) 2>/dev/null
	ip netns exec $ns grep -q ":$port .* 00000000:00000000 " /proc/net/udp || full=$((full + 1))
}

knobs_off() {
	local function knob
	for function in 0 1; do
		for knob in drop_rx zero_len err_rx err_tx fail_status; do
			echo 0 >$sim/$function/$knob
		done
		echo N >$sim/$function/hold_rq
		echo N >$sim/$function/hold_link
	done
}

# mlx5's recovery of a queue in error takes devlink's lock, and those who close a queue
# wait for it under locks that come after devlink's: the stock driver's own inversion.
lockdep() { [ ! -e /proc/sys/kernel/prove_locking ] || echo "$1" >/proc/sys/kernel/prove_locking; }

do_knob() {
	side; pick "drop_rx 50" "zero_len 20" "err_rx 30" "err_tx 30" "hold_rq Y" "hold_link Y"
	did="$did $ns $it"
	set -- $it
	case $1 in err_*) lockdep 0 ;; esac
	echo "$2" >$sim/$n/"$1"
	sleep 2
	knobs_off
}

# The device refuses a command while channels are made anew.
do_command() {
	side; pick 0x400 0x904 0x908 0x909 0x905 0x200
	did="$did $ns $it fails"
	local opcode=$it
	pick 256 512 1024 2048
	echo $opcode >$sim/$n/fail_opcode
	echo 0xf >$sim/$n/fail_status
	there ethtool -G $dev rx $it
	try ip -n $ns link set $dev down
	try ip -n $ns link set $dev up
	echo 0 >$sim/$n/fail_status
	try ip -n $ns link set $dev up
}

# faults SLAB PAGE TASK_ONLY WAITING_SPARED: probabilities in percent
faults() {
	local knobs
	for knobs in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
		[ -d $knobs ] || continue
		echo 0 >$knobs/verbose
		echo -1 >$knobs/times
		echo "$3" >$knobs/task-filter
		echo "$4" >$knobs/ignore-gfp-wait
		[ ! -f $knobs/min-order ] || echo 0 >$knobs/min-order
	done
	[ ! -d /sys/kernel/debug/failslab ] || echo "$1" >/sys/kernel/debug/failslab/probability
	[ ! -d /sys/kernel/debug/fail_page_alloc ] || echo "$2" >/sys/kernel/debug/fail_page_alloc/probability
}

# No memory for whoever cannot wait: the receive queues.
do_shortage() {
	pick "0 100" "0 30" "5 5" "20 0" "30 100"
	did="$did slab, page $it %"
	faults $it N Y
	sleep 2
	faults 0 0 N Y
}

# One reconfiguration, of which some step finds no memory.
do_step() {
	side; pick 256 512 1024 2048
	local ring=$it
	pick 1 2 5 10
	did="$did $ns rx $ring, $it % fail"
	[ -e /proc/self/make-it-fail ] || return 0
	faults $it $it Y N
	try ip netns exec $ns sh -c "echo 1 >/proc/self/make-it-fail; exec ethtool -G $dev rx $ring"
	faults 0 0 N Y
	try ip -n $ns link set $dev up
}

do_unbind() {
	side; rnd 15
	did="$did $ns"
	echo "10000:00:0$n.0" >$driver/unbind
	[ "$(cat $sim/$n/iommu_mapped)" = 0 ] || trouble "mappings stay after unbinding"
	sleep 0.$r
	echo "10000:00:0$n.0" >$driver/bind
	join $n
}

do_reload() {
	local mapped
	sure "mlx5_core unloads" rmmod mlx5_core
	mapped=$(cat $sim/iommu_mapped)
	[ "$mapped" = 0 ] || trouble "$mapped mappings stay after unloading"
	sure "mlx5_core loads" modprobe mlx5_core
	join 0
	join 1
}

resets() { sed -n 's/^resets //p' $sim/$n/stats; }
was_reset() { [ "$(resets)" -gt "$before" ]; }

do_fatal() {
	side
	did="$did $ns"
	before=$(resets)
	# The driver would give up if it is soon after the last time.
	try devlink health set pci/10000:00:0$n.0 reporter fw_fatal grace_period 0
	echo Y >$sim/$n/fatal
	sure "the driver notices" was_reset
	join $n
}

do_namespace() {
	side
	did="$did $ns"
	quiet
	while [ "$held" ]; do
		do_release
	done
	xdp_off a
	xdp_off b
	ip netns del $ns
	sure "the netdev leaves its namespace" is_back $n
	space_up $ns
	join $n
	traffic
}

# -- and all is well again -------------------------------------------------------------

# guest.sh has the same for b alone.
no_pools() {
	flush_deferred
	[ "$(wc -l </sys/kernel/debug/rxpool/pools)" = 1 ]
}

no_connections() { [ -z "$(connections)" ]; }

links() {
	ip -n a link set sim0 "$1" && ip -n b link set sim1 "$1"
}

usual_mtu() { ip -n a link set sim0 mtu 1500 && ip -n b link set sim1 mtu 1500; }
pings() { in_a ping -c 2 -W 2 10.9.0.2 && in_b ping -c 2 -W 2 10.9.0.1; }

# What pages were handed out, less what came back or was lost, less what is out.
book() {
	{ ip netns exec $1 ethtool -S $2; grep "^$2-" /sys/kernel/debug/rxpool/pools; } | awk '
		$1 == "rx_pool_alloc:" { sum += $2 }
		$1 ~ /^rx_pool_(burst|lost|return_owner|return_ring):$/ { sum -= $2 }
		$2 == "live" { sum -= $5 - $6 }
		END { print sum }'
}

books() {
	flush_deferred
	set -- "$(book a sim0) $(book b sim1)"
	echo "balance $1, was $balance"
	[ "$1" = "$balance" ]
}

zero() { [ "$(cat $sim/$1)" = 0 ] || trouble "$1 is $(cat $sim/$1)"; }

# The kernel has complained of nothing: taints of bad pages, oopses, lockups. Warnings taint,
# too, but some are allowed; the host looks at each.
sound() {
	[ "$(($(cat /proc/sys/kernel/tainted) & 0x40a0))" = 0 ] || trouble "see the kernel's log"
	! grep -qs 'debug_locks: *0' /proc/lockdep_stats || trouble "lockdep has complained"
}

mend() {
	quiet
	knobs_off
	faults 0 0 N Y
	xdp_off a
	xdp_off b
	sure "MTU 1500" usual_mtu
	sure "links up" links up
	sure "connections end" no_connections
	sure "links down" links down
	while [ "$held" ]; do
		do_release
	done
	sure "all pools end" no_pools
	sure "links up" links up
	sure "both ends ping" pings
	lockdep 1
	balance="$(book a sim0) $(book b sim1)"
	in_a ping -c 300 -i 0.01 -s 1400 10.9.0.2 >/dev/null
	sure "the pools' books are in order" books
	for count in refused iommu_left iommu_bad_unmap iommu_bad_sync; do
		zero $count
	done
	sound
}

leaks() {
	[ -e /sys/kernel/debug/kmemleak ] || { say "this kernel has no kmemleak"; return; }
	# What is reported twice, some seconds apart, is no copy that was on its way.
	for _ in 1 2; do
		sleep 6
		echo scan >/sys/kernel/debug/kmemleak
	done
	cat /sys/kernel/debug/kmemleak >/tmp/out
	[ ! -s /tmp/out ] || trouble "kmemleak has found something"
}

batch() {
	local before i=0
	before=$(received)
	traffic
	while [ $i -lt $BATCH ] && [ "$(now)" -lt $end ]; do
		i=$((i + 1)) number=$((number + 1))
		chance $((seed + number * 1000003))
		pick $kinds
		local kind=$it
		did=$kind
		do_$kind
		say "$number: $did"
		eval "n_$kind=\$((n_$kind + 1))"
		sound
		rnd 10
		sleep 0.$r
	done
	quiet
	packets=$(received)
	# Unbinds can leave a batch without traffic, but not three in a row.
	[ $i -lt $BATCH ] || thin=$((thin + 1))
	[ $((packets - before)) -lt 1000 ] || thin=0
	[ $thin -lt 3 ] || trouble "three batches in a row with less than 1000 packets each"
	mend
	say "settled after $number actions: $packets packets, $refused of $tried commands refused, $(awk '/^MemFree/ { print int($2 / 1024) }' /proc/meminfo) MB free"
}

did=start
for kind in $kinds; do
	eval "n_$kind=0"
done
# The seed also says whether there is an IOMMU, and whether the pool checks itself.
chance $seed
pick 0 1 1
sim_up iommu=$it
pick N Y
[ ! -e /sys/module/rxpool/parameters/debug ] || echo $it >/sys/module/rxpool/parameters/debug
number=${number:-0}
say "seed $seed, $minutes minutes, from action $((number + 1)), pool debugging $it"
end=$(($(now) + minutes * 60))
# Unloading is mostly waiting for grace periods.
echo 1 >/sys/kernel/rcu_expedited
space_up a
space_up b
join 0
join 1
mend
while [ "$(now)" -lt $end ]; do
	batch
done
leaks
[ $((refused * 2)) -le $tried ] || trouble "$refused of $tried commands were refused"
say "seed $seed: actions up to $number, $packets packets, $full sockets held some"
say "$refused of $tried commands were refused, which may be right: see the log"
summary=
for kind in $kinds; do
	eval "summary=\"\$summary \$n_$kind x \$kind,\""
done
say "done:${summary%,}"
sure "links down" links down
sure "all pools end" no_pools
did=end
sure "mlx5_core unloads" rmmod mlx5_core
zero iommu_mapped
zero iommu_left
ok "soak"
