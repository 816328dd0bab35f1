#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The simulated NIC refuses what no driver registered, counts it and says so.
# vm: ko=cxsim allow=cxsim:_refused_access timeout=60
# test: kernels=6.1,6.12 quick=1
. /lib/guest.sh

sim=/sys/kernel/debug/cxsim

# refuses ADDRESS COUNT
refuses() {
	! echo "$1" >$sim/1/access || return 1
	[ "$(cat $sim/1/refused)" = "$2" ] && [ "$(cat $sim/refused)" = "$2" ] &&
		[ "$(cat $sim/0/refused)" = 0 ]
}

logged() { dmesg | grep "cxsim: refused access: function 1: $1"; }

modprobe cxsim || fail "cxsim does not load"
check "memory that exists" eval "echo 0x100000 >$sim/1/access"
check "memory that does not" refuses 0x8000000000 1
check "... is logged" logged "not memory"
rmmod cxsim
modprobe cxsim iommu=1 || fail "cxsim does not load"
check "a physical address" refuses 0x100000 1
check "... is logged" logged "I/O address not mapped"
check "an I/O address that is not mapped" refuses 0x20000005000 2
check "... is logged" logged "I/O address not mapped"
check "unload" rmmod cxsim
