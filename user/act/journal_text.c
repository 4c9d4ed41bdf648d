/* SPDX-License-Identifier: GPL-2.0-only */
#include "act/journal_text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define HEADER_START "swaptend-journal 1 "

/* " " and eight hex digits. */
#define CHECKSUM_BYTES 9

/* CRC-32 of IEEE 802.3; lines are short, no table is needed. */
static uint32_t checksum(const char *text, size_t length)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < length; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < CHAR_BIT; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

static char *escape(const char *path)
{
	char *text = malloc(4 * strlen(path) + 1), *end = text;

	if (!text)
		return NULL;
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c <= ' ' || c == 0x7f || c == '\\')
			end += snprintf(end, sizeof("\\x00"), "\\x%02x", c);
		else
			*end++ = *path;
	}
	*end = '\0';
	return text;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c);

	return c && at ? (int)(at - digits) : -1;
}

/* In place. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high, low;

		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		if (text[1] != 'x' || (high = hex_digit(text[2])) < 0 ||
		    (low = hex_digit(text[3])) < 0)
			return false;
		*to++ = (char)(high << 4 | low);
		text += 3;
	}
	*to = '\0';
	return true;
}

/* Frees body; NULL: no memory. */
static char *seal(char *body)
{
	char *line;

	if (asprintf(&line, "%s %08" PRIx32 "\n", body,
		     checksum(body, strlen(body))) < 0)
		line = NULL;
	free(body);
	return line;
}

char *journal_text_header(const char *boot_id)
{
	char *body;

	if (asprintf(&body, HEADER_START "%s", boot_id) < 0)
		return NULL;
	return seal(body);
}

char *journal_text_knob(const struct journal_entry *entry)
{
	_cleanup_free_ char *path = escape(entry->path);
	char *body;

	if (!path ||
	    asprintf(&body, "knob %" PRIu64 " %d %d %d %s", entry->file_id,
		     entry->original, entry->last, entry->previous, path) < 0)
		return NULL;
	return seal(body);
}

char *journal_text_forget(const struct journal_entry *entry)
{
	_cleanup_free_ char *path = escape(entry->path);
	char *body;

	if (!path ||
	    asprintf(&body, "forget %" PRIu64 " %s", entry->file_id, path) < 0)
		return NULL;
	return seal(body);
}

bool journal_text_is_header(const char *line, const char *boot_id)
{
	size_t length = strlen(HEADER_START);

	return !strncmp(line, HEADER_START, length) &&
	       !strcmp(line + length, boot_id);
}

/*
 * Cuts the checksum off.  Compared as text: a number would let the case of a
 * hex digit change unseen.
 */
bool journal_text_unseal(char *line, size_t length)
{
	char expected[CHECKSUM_BYTES + 1];

	if (length <= CHECKSUM_BYTES)
		return false;
	length -= CHECKSUM_BYTES;
	snprintf(expected, sizeof(expected), " %08" PRIx32,
		 checksum(line, length));
	if (memcmp(line + length, expected, CHECKSUM_BYTES) != 0)
		return false;
	line[length] = '\0';
	return strlen(line) == length;
}

bool journal_text_number(char **rest, uint64_t max, uint64_t *ret)
{
	const char *field = strsep(rest, " ");
	char *end;
	uint64_t value;

	if (!field || !*field || field[strspn(field, "0123456789")])
		return false;
	errno = 0;
	value = strtoull(field, &end, 10);
	if (errno || value > max)
		return false;
	*ret = value;
	return true;
}

int journal_text_parse(char *line, struct journal_entry *ret,
		       bool *ret_is_forget)
{
	const char *kind = strsep(&line, " ");
	uint64_t file_id, original = 0, last = 0, previous = 0;
	bool is_forget = !strcmp(kind, "forget");

	if (!is_forget && strcmp(kind, "knob") != 0)
		return -EPROTO;
	if (!journal_text_number(&line, UINT64_MAX, &file_id))
		return -EPROTO;
	if (!is_forget && (!journal_text_number(&line, INT_MAX, &original) ||
			   !journal_text_number(&line, INT_MAX, &last) ||
			   !journal_text_number(&line, INT_MAX, &previous)))
		return -EPROTO;
	if (!line || *line != '/' || !unescape(line))
		return -EPROTO;
	*ret = (struct journal_entry){
		.path = line,
		.file_id = file_id,
		.original = (int)original,
		.last = (int)last,
		.previous = (int)previous,
	};
	*ret_is_forget = is_forget;
	return 0;
}
