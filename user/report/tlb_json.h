/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of `swaptend tlb` as JSON: what --json prints and --save keeps.
 * Unknown is null, never 0.
 */
#ifndef SWAPTEND_TLB_JSON_H
#define SWAPTEND_TLB_JSON_H

#include "report/json.h"
#include "tlb.h"

#define TLB_JSON_FORMAT "swaptend-tlb"
/* Raise it when a key changes its meaning or goes away. */
#define TLB_JSON_VERSION 1

/* To be freed with report_free(). */
struct report *tlb_json_new(const struct tlb_run *run);

#endif
