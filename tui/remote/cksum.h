// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CKSUM_H
#define PMCTOP_CKSUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The sum that cksum(1) prints (POSIX.1-2017, XCU cksum): a CRC with the polynomial 0x04C11DB7 of
 * the bytes and then of their number, least significant byte first. Every POSIX host has that
 * program. The sum finds a copy that was cut or damaged. It is no protection from the host, which
 * can do anything with its copy; ssh protects the bytes on their way.
 */
uint32_t cksum(const void *bytes, size_t n);

#endif
