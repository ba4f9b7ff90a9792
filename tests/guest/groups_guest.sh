#!/bin/sh
# SPDX-License-Identifier: MIT
#
# More hardware events than counters: 6 general ones and the one for cycles. Run on one CPU, because the
# emulated counters count the whole machine. groups_check.py checks the output outside.

pmu=armv8_pmuv3
spin -c 0 &
sleep 0.3

# Names of each kind: generic, raw, the kernel's aliases, terms, libpfm4's.
fourteen="cycles,instructions,cycles:u,instructions:u,r8,r11,r8:u,r11:k,cpu_cycles,inst_retired"
fourteen="$fourteen,$pmu/event=0x11/,$pmu/inst_retired/u,arm_n1::CPU_CYCLES:u,arm_n1::INST_RETIRED"
echo "== fourteen"
pmctop --format json -n 4 -d 1 -S none -e "$fourteen"
echo "== text"
pmctop -b -n 1 -d 1 -S none -e "$fourteen"

forty=
for i in 1 2 3 4 5 6 7 8 9 10; do
	mode=u
	[ $i = 10 ] && mode=k
	forty="$forty,$pmu/event=0x11,name=cycles.$i/,$pmu/event=0x8,name=instructions.$i/"
	forty="$forty,$pmu/event=0x11,name=cycles.$mode$i/$mode"
	forty="$forty,$pmu/event=0x8,name=instructions.$mode$i/$mode"
done
echo "== forty"
pmctop --format json -n 4 -d 1 -S none -e "${forty#,}"
echo "== overview with fourteen"
pmctop --format json -n 3 -d 0.5 -e "$fourteen"
# Metrics of the vendor's table for this CPU.
echo "== vendor"
pmctop --format json -n 3 -d 1 -S none -m vendor_ipc -m frontend_stalled_cycles -m branch_percentage
echo "== vendor list"
pmctop --list metrics vendor_ipc
killall spin
wait

echo "== short"
pmctop --format json -d 1 -n 5 -S none -e "$fourteen" >/tmp/short.json &
while ! [ -s /tmp/short.json ]; do sleep 0.1; done
swarm 300 1 >/tmp/swarm
wait
cat /tmp/swarm /tmp/short.json
