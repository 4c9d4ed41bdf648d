/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The journal's lines.  Each ends in the CRC-32 of what precedes it:
 *
 *   swaptend-journal 1 BOOT-ID CRC
 *   knob FILE-ID ORIGINAL LAST PREVIOUS PATH CRC
 *   forget FILE-ID PATH CRC
 *
 * A later "knob" line of the same path and file id replaces the earlier one.
 * Blanks, control bytes and backslashes in a path are written as \xNN.
 */
#ifndef SWAPTEND_JOURNAL_TEXT_H
#define SWAPTEND_JOURNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "act/journal.h"

/* A whole line with its newline, to be freed; NULL: no memory. */
char *journal_text_header(const char *boot_id);
char *journal_text_knob(const struct journal_entry *entry);
char *journal_text_forget(const struct journal_entry *entry);

/* Cuts the checksum off, in place.  False: the line is not what we wrote. */
bool journal_text_unseal(char *line, size_t length);
bool journal_text_is_header(const char *line, const char *boot_id);
/* ret->path points into the line.  -EPROTO: no record that we know. */
int journal_text_parse(char *line, struct journal_entry *ret,
		       bool *ret_is_forget) __must_check;

/* The next field between blanks, decimal digits only, at most `max`. */
bool journal_text_number(char **rest, uint64_t max, uint64_t *ret);

#endif
