#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The KUnit suites, each case of their KTAP output as a case of ours.
# vm: ko=rxpool,*_kunit timeout=480 append=log_buf_len=4M allow=BUG:_debug-test:,WARNING:.*rxpool.(stack.overflows|release.burst)
# test: kernels=6.1,6.12,6.1-rt,6.12-rt,6.1-debug quick
# test: full=6.1-cloud,6.12-cloud,6.12-debug,6.1-kcsan,6.12-kcsan
. /lib/guest.sh

# KTAP to our lines. Depth is in the indent, cases stand above the suite they belong to,
# parameters above their case. A suite says how many cases it has, and ends with a line.
ktap() {
	awk -v module="$1" '
	function close_from(depth) {
		for (; open >= depth; open--)
			print "not ok " name[open] " - it did not end"
	}
	/^ *# Subtest: / {
		depth = int(match($0, /#/) / 4)
		close_from(depth)
		sub(/^ *# Subtest: /, "")
		name[depth] = (depth > 1 ? name[depth - 1] "." : "") $0
		plan[depth] = ""
		seen[depth] = 0
		open = depth
		suites++
		next
	}
	/^ *1\.\.[0-9]+$/ {
		depth = int(match($0, /1/) / 4)
		if (depth == open)
			plan[depth] = substr($1, 4)
		next
	}
	/^ *(not )?ok [0-9]+ / {
		depth = int(match($0, /[no]/) / 4)
		good = $1 == "ok"
		why = good ? "" : " - see the log"
		sub(/^ *(not )?ok [0-9]+ (- )?/, "")
		skipped = sub(/ # SKIP */, " - ")
		close_from(depth + 2)
		if (open == depth + 1) {
			if (plan[open] != "" && plan[open] != seen[open])
				print "not ok " name[open] " - " seen[open] " of " plan[open] " cases"
			open--
		}
		seen[depth]++
		if (depth)
			print (skipped ? "skip " : good ? "ok " : "not ok ") name[depth] "." $0 why
		else if (!good)
			print "not ok " $0 why
		next
	}
	/(EXPECTATION|ASSERTION) FAILED|: failed at / { show = 5 }
	show && show-- { print "# | " $0 }
	END {
		close_from(1)
		if (!suites)
			print "not ok " module " - it has no suite"
	}'
}

# A memory cgroup makes the bulk allocator give single pages to those who charge.
mkdir -p /tmp/cgroup && mount -t cgroup2 none /tmp/cgroup &&
	echo +memory >/tmp/cgroup/cgroup.subtree_control &&
	mkdir /tmp/cgroup/any || fail "no memory cgroup"

modprobe rxpool || fail "rxpool does not load"
modules=$(find /lib/modules -name '*_kunit.ko' | sed 's:.*/::; s/\.ko$//' | sort)
[ "$modules" ] || fail "there are no suites"

# Quietly fail what a case asks for, also allocations that might sleep.
for knobs in /sys/kernel/debug/failslab /sys/kernel/debug/fail_page_alloc; do
	[ -d $knobs ] || continue
	echo N >$knobs/ignore-gfp-wait
	echo 0 >$knobs/verbose
	[ ! -f $knobs/min-order ] || echo 0 >$knobs/min-order
done

# A report of misuse names who did it first, and who now.
both_returns_named() {
	awk -v first="$1" -v second="$2" '
		/BUG: debug-test: / { named = now = 0 }
		/and now:/ { now = 1 }
		!now && index($0, " " first "+") { named = 1 }
		named && now && index($0, " " second "+") { found = 1 }
		END { exit !found }' /tmp/log
}

# Once more with all pools watched.
for debug in 0 1; do
	echo $debug >/sys/module/rxpool/parameters/debug
	# Once as it is where code is not patched by an emulator.
	echo $((1 - debug)) >/sys/module/rxpool/parameters/learn
	for module in $modules; do
		dmesg -c >/dev/null
		modprobe "$module" || fail "$module does not load"
		dmesg | sed 's/^\[[^]]*\] //' >/tmp/log
		ktap "$module" </tmp/log | sed "s/^\(ok\|not ok\|skip\) /&debug=$debug: /"
		[ "$module" != rxpool_kunit ] || {
			check "debug=$debug: second release, both named" \
				both_returns_named first_return second_return
			check "debug=$debug: second put, both named" \
				both_returns_named first_put second_put
		}
		rmmod "$module"
	done
done

# All that was loaded, the last first.
unload() {
	for _ in 1 2 3; do
		rmmod $(lsmod | awk '$3 == 0 { print $1 }' FS=' +') 2>/dev/null
	done
	[ "$(lsmod | wc -l)" = 1 ]
}
check "unload" unload
