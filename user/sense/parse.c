/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/parse.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define BLANKS " \t\n"
#define DELETED "\\040(deleted)"

/*
 * v1 writes "no limit" as the largest multiple of the page size in an s64, and
 * before 3.19 as the largest s64 or u64.  No machine's limit is within 1 MiB,
 * more than the largest page size, of that.
 */
#define UNLIMITED_FROM_BYTES (((uint64_t)1 << 63) - ((uint64_t)1 << 20))

/* A piece of the text, not NUL-terminated. */
struct span {
	const char *start;
	size_t len;
};

static bool span_is(struct span span, const char *word)
{
	return span.len == strlen(word) && !memcmp(span.start, word, span.len);
}

/* Takes the next line off *text, without its newline; false at the end. */
static bool next_line(const char **text, struct span *ret)
{
	size_t len = strcspn(*text, "\n");

	if (!**text)
		return false;
	*ret = (struct span){*text, len};
	*text += len;
	if (**text)
		(*text)++;
	return true;
}

/* Takes the next word off *line; an empty span at the end. */
static struct span next_word(struct span *line, const char *separators)
{
	struct span word;

	while (line->len && strchr(separators, *line->start)) {
		line->start++;
		line->len--;
	}
	word = (struct span){line->start, 0};
	while (word.len < line->len &&
	       !strchr(separators, word.start[word.len]))
		word.len++;
	line->start += word.len;
	line->len -= word.len;
	return word;
}

static int span_u64(struct span span, uint64_t *ret)
{
	uint64_t value = 0;

	if (!span.len)
		return -EINVAL;
	for (size_t i = 0; i < span.len; i++) {
		unsigned int digit = (unsigned char)span.start[i] - '0';

		if (digit > 9)
			return -EINVAL;
		/* Junk after the overflow is still no number. */
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return strspn(span.start + i, "0123456789") >=
					       span.len - i
				       ? -ERANGE
				       : -EINVAL;
	}
	*ret = value;
	return 0;
}

static int span_int(struct span span, int min, int max, int *ret)
{
	bool is_negative = span.len && *span.start == '-';
	uint64_t magnitude;
	int64_t value;
	int r;

	if (is_negative) {
		span.start++;
		span.len--;
	}
	r = span_u64(span, &magnitude);
	if (r)
		return r;
	if (magnitude > (uint64_t)INT_MAX + 1)
		return -ERANGE;
	value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
	if (value < min || value > max)
		return -ERANGE;
	*ret = (int)value;
	return 0;
}

/* The only word of a text, blanks around it; empty: none, or more than one. */
static struct span only_word(const char *text)
{
	struct span rest = {text, strlen(text)};
	struct span word = next_word(&rest, BLANKS);

	if (next_word(&rest, BLANKS).len)
		word.len = 0;
	return word;
}

int parse_u64(const char *text, uint64_t *ret)
{
	return span_u64(only_word(text), ret);
}

int parse_int(const char *text, int min, int max, int *ret)
{
	return span_int(only_word(text), min, max, ret);
}

int parse_limit_bytes(const char *text, uint64_t *ret_bytes)
{
	struct span word = only_word(text);
	uint64_t bytes;

	if (span_is(word, "max") || span_is(word, "-1"))
		bytes = UINT64_MAX;
	else if (span_u64(word, &bytes))
		return -EINVAL;
	*ret_bytes = bytes >= UNLIMITED_FROM_BYTES ? UINT64_MAX : bytes;
	return 0;
}

struct count parse_stat_field(const char *text, const char *key)
{
	struct count count = {0};
	struct span line;

	while (next_line(&text, &line)) {
		if (!span_is(next_word(&line, " "), key))
			continue;
		count.is_known =
			!span_u64(next_word(&line, " "), &count.value) &&
			!next_word(&line, " ").len;
		break;
	}
	return count.is_known ? count : (struct count){0};
}

/* What follows "key:" at the start of a line. */
static bool find_after_colon(const char *text, const char *key,
			     struct span *ret)
{
	size_t len = strlen(key);
	struct span line;

	while (next_line(&text, &line)) {
		if (line.len <= len || memcmp(line.start, key, len) ||
		    line.start[len] != ':')
			continue;
		*ret = (struct span){line.start + len + 1, line.len - len - 1};
		return true;
	}
	return false;
}

struct count parse_meminfo_kib(const char *text, const char *key)
{
	struct count count = {0};
	struct span rest;

	/* Lines without the unit count pages or nothing of the kind. */
	if (!find_after_colon(text, key, &rest) ||
	    span_u64(next_word(&rest, BLANKS), &count.value) ||
	    !span_is(next_word(&rest, BLANKS), "kB"))
		return (struct count){0};
	count.is_known = true;
	return count;
}

static int span_hex(struct span digits, uint64_t *ret)
{
	uint64_t mask = 0;

	if (!digits.len || digits.len > 16)
		return -EINVAL;
	for (size_t i = 0; i < digits.len; i++) {
		static const char hex[] = "0123456789abcdef";
		const char *digit = memchr(hex, digits.start[i], 16);

		/* The kernel writes %016llx: never a capital. */
		if (!digit)
			return -EINVAL;
		mask = mask << 4 | (uint64_t)(digit - hex);
	}
	*ret = mask;
	return 0;
}

int parse_status_mask(const char *text, const char *key, uint64_t *ret)
{
	struct span rest;

	if (!find_after_colon(text, key, &rest))
		return -ENOENT;
	return span_hex(next_word(&rest, BLANKS), ret);
}

int parse_release(const char *text, int *ret_major, int *ret_minor)
{
	struct span rest = {text, strcspn(text, BLANKS "-+~")};
	struct span major = next_word(&rest, ".");
	struct span minor = next_word(&rest, ".");
	int a, b;

	if (span_int(major, 0, INT_MAX, &a) || span_int(minor, 0, INT_MAX, &b))
		return -EINVAL;
	*ret_major = a;
	*ret_minor = b;
	return 0;
}

int parse_bracketed(const char *text, char *ret, size_t size)
{
	const char *start = strchr(text, '[');
	size_t len;

	if (!start)
		return -ENOENT;
	start++;
	len = strcspn(start, "]\n");
	if (start[len] != ']')
		return -ENOENT;
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(ret, start, len);
	ret[len] = '\0';
	return 0;
}

int parse_psi_total_us(const char *text, const char *kind, uint64_t *ret_us)
{
	static const char key[] = "total=";
	struct span line, word;

	while (next_line(&text, &line)) {
		if (!span_is(next_word(&line, " "), kind))
			continue;
		while ((word = next_word(&line, " ")).len) {
			if (word.len < sizeof(key) ||
			    memcmp(word.start, key, sizeof(key) - 1))
				continue;
			word.start += sizeof(key) - 1;
			word.len -= sizeof(key) - 1;
			return span_u64(word, ret_us) ? -EINVAL : 0;
		}
		return -EINVAL;
	}
	return -ENOENT;
}

/*
 * seq_path() writes blank, tab, newline and backslash as \ooo.  Returns the
 * length of the whole; what does not fit is cut.
 */
static size_t unescape(struct span from, char *ret, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < from.len; i++, n++) {
		const char *s = from.start + i;
		char c = *s;

		if (c == '\\' && from.len - i >= 4 && s[1] >= '0' &&
		    s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
		    s[3] <= '7') {
			c = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				   (s[3] - '0'));
			i += 3;
		}
		if (n + 1 < size)
			ret[n] = c;
	}
	ret[n < size ? n : size - 1] = '\0';
	return n;
}

static int copy_path(struct span from, char *ret, size_t size)
{
	/* Never longer than what it is made of, and checked before writing. */
	char byte;

	if (unescape(from, &byte, 1) >= size)
		return -ENAMETOOLONG;
	unescape(from, ret, size);
	return 0;
}

static bool parse_swap_line(struct span line, struct swap_device *ret)
{
	struct swap_device device = {0};
	struct span path = next_word(&line, " \t");
	struct span type = next_word(&line, " \t");
	const size_t suffix = sizeof(DELETED) - 1;

	if (span_u64(next_word(&line, " \t"), &device.size_kib) ||
	    span_u64(next_word(&line, " \t"), &device.used_kib) ||
	    span_int(next_word(&line, " \t"), INT_MIN, INT_MAX,
		     &device.priority))
		return false;
	if (path.len > suffix &&
	    !memcmp(path.start + path.len - suffix, DELETED, suffix)) {
		device.is_deleted = true;
		path.len -= suffix;
	}
	unescape(path, device.path, sizeof(device.path));
	unescape(type, device.type, sizeof(device.type));
	*ret = device;
	return true;
}

int parse_swaps_next(const char **text, struct swap_device *ret)
{
	struct span line;

	while (next_line(text, &line))
		if (parse_swap_line(line, ret))
			return 1;
	return 0;
}

/* One line of mountinfo: ID PARENT DEV ROOT POINT OPTIONS [TAG...] - TYPE ...
 */
struct mount_line {
	struct span point;
	struct span options; /* of this mount */
	struct span type;
	struct span super_options;
};

static bool next_mount(const char **text, struct mount_line *ret)
{
	struct span line, word;

	while (next_line(text, &line)) {
		for (int i = 0; i < 4; i++)
			(void)next_word(&line, " "); /* not needed */
		ret->point = next_word(&line, " ");
		ret->options = next_word(&line, " ");
		do
			word = next_word(&line, " ");
		while (word.len && !span_is(word, "-"));
		ret->type = next_word(&line, " ");
		(void)next_word(&line, " "); /* the source */
		ret->super_options = next_word(&line, " ");
		if (ret->type.len)
			return true;
	}
	return false;
}

static bool has_item(struct span list, const char *item)
{
	struct span word;

	while ((word = next_word(&list, ",")).len)
		if (span_is(word, item))
			return true;
	return false;
}

int parse_mount_point(const char *mountinfo, const char *fs_type,
		      const char *option, char *ret, size_t size)
{
	struct mount_line mount;

	while (next_mount(&mountinfo, &mount))
		if (span_is(mount.type, fs_type) &&
		    (!option || has_item(mount.super_options, option)))
			return copy_path(mount.point, ret, size);
	return -ENOENT;
}

bool parse_mount_is_read_only(const char *mountinfo, const char *path)
{
	struct mount_line mount;
	char point[PATH_MAX];
	bool is_read_only = false;

	/* A later line at the same point lies on top. */
	while (next_mount(&mountinfo, &mount))
		if (!copy_path(mount.point, point, sizeof(point)) &&
		    !strcmp(point, path))
			is_read_only = has_item(mount.options, "ro") ||
				       has_item(mount.super_options, "ro");
	return is_read_only;
}

/* "4:memory:/a": ID, controllers, path; the path may hold colons. */
int parse_cgroup_path(const char *text, const char *controller, char *ret,
		      size_t size)
{
	struct span line;

	while (next_line(&text, &line)) {
		const char *id_end = memchr(line.start, ':', line.len);
		const char *end = line.start + line.len, *path;
		struct span names;

		if (!id_end)
			continue;
		path = memchr(id_end + 1, ':', (size_t)(end - id_end) - 1);
		if (!path)
			continue;
		names.start = id_end + 1;
		names.len = (size_t)(path - names.start);
		if (controller ? !has_item(names, controller) : names.len != 0)
			continue;
		path++;
		if ((size_t)(end - path) >= size)
			return -ENAMETOOLONG;
		memcpy(ret, path, (size_t)(end - path));
		ret[end - path] = '\0';
		return 0;
	}
	return -ENOENT;
}
