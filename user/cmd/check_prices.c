/* SPDX-License-Identifier: GPL-2.0-only */
/* The two prices that the laws cost and auto would start with here. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "act/journal.h"
#include "cmd/findings.h"
#include "cmd/pricing.h"
#include "law/price.h"
#include "report/log.h"
#include "sense/swaps.h"

#define NS_PER_US 1000
#define NAME_SIZE 40 /* quoted: a line has no room for whole paths */

/* One of the two, with the words for it. */
struct side {
	uint32_t ns;	/* 0: not known */
	char text[256]; /* the price and where it is from, or why there is none
			 */
};

__printf_like(3, 4) static void set_known(struct side *side, uint32_t ns,
					  const char *fmt, ...)
{
	char from[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(from, sizeof(from), fmt, args);
	va_end(args);
	side->ns = ns;
	if (ns < 10 * NS_PER_US)
		snprintf(side->text, sizeof(side->text), "%u.%u us (%s)",
			 ns / NS_PER_US, ns % NS_PER_US / 100, from);
	else
		snprintf(side->text, sizeof(side->text), "%u us (%s)",
			 ns / NS_PER_US, from);
}

__printf_like(2, 3) static void set_unknown(struct side *side, const char *fmt,
					    ...)
{
	char why[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	side->ns = 0;
	snprintf(side->text, sizeof(side->text), "not known (%s)", why);
}

/* The system's are empty if only groups are controlled; all see the same. */
static bool read_live(struct pins *pins, struct swt_law *ret)
{
	uint64_t id = 0;

	if (!pins_read_law(pins, ret) && (ret->swap_in_ns || ret->file_read_ns))
		return true;
	return pins_next_target(pins, &id, ret) == 1;
}

/* What an instance that runs now goes by. */
static void take_live(const struct check_options *options, struct side *swap_in,
		      struct side *file_read)
{
	struct pins *pins;
	struct swt_law law;
	int pid;

	if (journal_peek_lock(options->run_dir, &pid) != -EBUSY ||
	    pins_open(&pins, BPF_PIN_DIR))
		return;
	if (read_live(pins, &law)) {
		if (law.swap_in_ns)
			set_known(swap_in, law.swap_in_ns, "%s, says pid %d",
				  price_source_name(law.swap_source), pid);
		if (law.file_read_ns)
			set_known(file_read, law.file_read_ns,
				  "%s, says pid %d",
				  price_source_name(law.file_source), pid);
	}
	pins_close(pins);
}

/* The last part of a path. */
static const char *quote_name(const char *path, char buf[NAME_SIZE])
{
	const char *slash = strrchr(path, '/');

	return log_quote(slash ? slash + 1 : path, buf, NAME_SIZE);
}

static void probe_swap(const struct swap_info *next, struct side *ret)
{
	char name[NAME_SIZE];
	uint32_t ns;
	int r = swaps_probe_ns(next, &ns);

	quote_name(next->device.path, name);
	if (r)
		set_known(ret, swaps_prior_ns(next->class), "prior, %s; %s: %s",
			  swaps_class_name(next->class), name, strerror(-r));
	else
		/* As `run` does: the write is taken to cost as much. */
		set_known(ret, ns < UINT32_MAX / 2 ? 2 * ns : UINT32_MAX,
			  "probed on %s, twice the read", name);
}

static void price_swap(const struct check_options *options, struct side *ret)
{
	struct swap_info swaps[SWAPS_MAX];
	const struct swap_info *next;
	unsigned int count;
	int r = swaps_read(&options->root, swaps, &count);

	if (r) {
		if (r == -ENOENT)
			set_unknown(ret, "this kernel has no swap support");
		else
			set_unknown(ret, "/proc/swaps: %s", strerror(-r));
		return;
	}
	next = swaps_next(swaps, count);
	if (!next)
		set_unknown(ret, count ? "all swap is full" : "no swap is on");
	else if (swaps_zswap_is_on(&options->root))
		set_known(ret, swaps_zswap_prior_ns(), "prior, zswap");
	else if (next->class == SWAP_ZRAM)
		set_known(ret,
			  pricing_weigh(swaps_prior_ns(next->class),
					options->zram_weight_pct),
			  "prior, zram");
	else
		probe_swap(next, ret);
}

/* Tried, as BTF does not tell whether a function may be traced. */
static void check_zswap(const struct check_options *options,
			struct findings *findings)
{
	char why[256];

	if (!swaps_zswap_is_on(&options->root) || options->btf_path)
		return;
	if (sense_try_zswap(findings->signals, findings->signal_count, why,
			    sizeof(why)))
		findings_add(findings, "zswap", FINDING_OFF, NULL,
			     "what it has is priced by default, at %u us a "
			     "page: %s",
			     swaps_zswap_prior_ns() / NS_PER_US, why);
	else
		findings_add(findings, "zswap", FINDING_OK, NULL,
			     "on; run will time its loads and stores");
}

static void price_files(const struct check_options *options, struct side *ret)
{
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count = 0;
	uint32_t ns;

	if (swaps_read(&options->root, swaps, &count))
		count = 0;
	ns = pricing_disks_read_ns(&options->root, swaps, count);
	if (ns)
		set_known(ret, ns, "of all disks since boot, /proc/diskstats");
	else
		set_unknown(ret, "/proc/diskstats tells too few reads");
}

void check_prices(const struct check_options *options,
		  struct findings *findings)
{
	struct side swap_in = {0}, file_read = {0};

	/* Reads of this machine's devices say nothing of another's. */
	if (*options->root.prefix) {
		findings_add(findings, "prices", FINDING_OFF, NULL,
			     "not measured: --root stands for another machine");
		return;
	}
	check_zswap(options, findings);
	take_live(options, &swap_in, &file_read);
	if (!swap_in.ns)
		price_swap(options, &swap_in);
	if (!file_read.ns)
		price_files(options, &file_read);
	if (swap_in.ns && file_read.ns)
		findings_add(findings, "prices", FINDING_OK, NULL,
			     "swap-in %s, file read %s: law cost will start "
			     "near %d",
			     swap_in.text, file_read.text,
			     price_swappiness(swap_in.ns, file_read.ns));
	else
		findings_add(
			findings, "prices", FINDING_OFF, NULL,
			"swap-in %s, file read %s; law cost keeps the base",
			swap_in.text, file_read.text);
}
