#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Metrics of real counters: the texts of a run, and its recording. monitoring_check.py serves them
# to Prometheus outside.

spin -c 1 &
spin=$!
pingpong -c 0 1000000000 >/dev/null &
pingpong=$!
sleep 0.5
echo "== texts"
pmctop --format openmetrics -S none -m ipc,cpu_percent -e context-switches,page-faults,runq_time \
	-n 16 -d 0.25 --record /tmp/run.data
kill -KILL $spin $pingpong
echo "== run.data"
gzip -c /tmp/run.data | base64
