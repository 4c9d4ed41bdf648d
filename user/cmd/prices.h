/* SPDX-License-Identifier: GPL-2.0-only */
/* Prices as status, explain and check show them. */
#ifndef SWAPTEND_CMD_PRICES_H
#define SWAPTEND_CMD_PRICES_H

#include <stdio.h>

#include "report/json.h"
#include "sense/bpf.h"

/* Two lines, indented; says so where a price is not known. */
void prices_print(FILE *out, const struct swt_law *law);
struct report *prices_report(const struct swt_law *law);

/* What was measured of each device, by kind of I/O. */
void prices_print_devices(FILE *out, struct pins *pins);
struct report *prices_report_devices(struct pins *pins);

#endif
