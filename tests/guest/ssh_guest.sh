#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A busy loop, for pmctop on another machine. ssh_test.sh ends the machine.
spin
