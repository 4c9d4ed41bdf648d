/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/prices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "law/law.h"
#include "law/price.h"

#define MINOR_BITS 20 /* include/linux/kdev_t.h */
#define NS_PER_US 1000

static const char *const io_names[SWT_NR_IOS] = {
	[SWT_IO_SWAP_IN] = "swap_in",
	[SWT_IO_SWAP_OUT] = "swap_out",
	[SWT_IO_FILE_READ] = "file_read",
	[SWT_IO_FILE_REFAULT] = "file_refault",
};

static void print_one(FILE *out, const char *what, uint32_t ns, uint32_t source)
{
	if (!ns)
		fprintf(out, "%s not known yet", what);
	else
		fprintf(out, "%s %u.%u us (%s)", what, ns / NS_PER_US,
			ns % NS_PER_US / 100,
			price_source_name((enum price_source)source));
}

/* The value by what came back, for laws that go by it; false: none. */
static bool weigh_value(const struct swt_law *shown, int *ret)
{
	struct prices prices = {
		.swap_in_ns = shown->swap_in_ns,
		.file_read_ns = shown->file_read_ns,
		.anon_refault_permille = shown->anon_refault_permille,
		.file_refault_permille = shown->file_refault_permille,
	};
	int fixed;
	const struct law *law = law_find(shown->law, &fixed);

	/* NULL: one of a later version. */
	if (!law || !law->weighs_refaults || !prices.swap_in_ns ||
	    !prices.file_read_ns)
		return false;
	price_weigh(&prices);
	*ret = price_swappiness(prices.swap_in_ns, prices.file_read_ns);
	return true;
}

void prices_print(FILE *out, const struct swt_law *law)
{
	int weighed;

	fputs("  prices a page: ", out);
	print_one(out, "swap-in", law->swap_in_ns, law->swap_source);
	print_one(out, ", file read", law->file_read_ns, law->file_source);
	if (law->swap_in_ns && law->file_read_ns)
		fprintf(out, "; they say %d",
			price_swappiness(law->swap_in_ns, law->file_read_ns));
	if (weigh_value(law, &weighed))
		fprintf(out, ", weighted by what came back %d", weighed);
	fprintf(out,
		"\n  came back of those evicted lately: anonymous %u.%u %%, "
		"file %u.%u %%; ",
		law->anon_refault_permille / 10,
		law->anon_refault_permille % 10,
		law->file_refault_permille / 10,
		law->file_refault_permille % 10);
	fprintf(out, "%u KiB/s swapped out\n", law->swap_out_kib_s);
}

static void set_ns(struct report *report, const char *key, uint32_t ns)
{
	if (ns)
		report_set_int(report, key, ns);
	else
		report_set_null(report, key);
}

struct report *prices_report(const struct swt_law *law)
{
	struct report *report = report_new_object();
	int weighed;

	set_ns(report, "swap_in_ns", law->swap_in_ns);
	report_set_string(
		report, "swap_in_source",
		price_source_name((enum price_source)law->swap_source));
	set_ns(report, "file_read_ns", law->file_read_ns);
	report_set_string(
		report, "file_read_source",
		price_source_name((enum price_source)law->file_source));
	if (law->swap_in_ns && law->file_read_ns)
		report_set_int(
			report, "swappiness",
			price_swappiness(law->swap_in_ns, law->file_read_ns));
	else
		report_set_null(report, "swappiness");
	if (weigh_value(law, &weighed))
		report_set_int(report, "weighted_swappiness", weighed);
	else
		report_set_null(report, "weighted_swappiness");
	if (law->refault_pct >= 0)
		report_set_int(report, "refault_pct", law->refault_pct);
	else
		report_set_null(report, "refault_pct");
	report_set_int(report, "anon_refault_permille",
		       law->anon_refault_permille);
	report_set_int(report, "file_refault_permille",
		       law->file_refault_permille);
	report_set_int(report, "swap_out_kib_s", law->swap_out_kib_s);
	return report;
}

static void name_device(uint32_t dev, char *ret, size_t size)
{
	if (dev == SWT_DEV_ZSWAP)
		snprintf(ret, size, "zswap");
	else
		snprintf(ret, size, "%u:%u", dev >> MINOR_BITS,
			 dev & ((1U << MINOR_BITS) - 1));
}

static uint64_t ns_per_page(const struct swt_cost_io *io)
{
	return io->sampled_pages ? io->sampled_ns / io->sampled_pages : 0;
}

/* NULL: none or no memory. */
static struct sense_cost *read_devices(struct pins *pins, unsigned int *count)
{
	struct sense_cost *rows = calloc(SENSE_MAX_COSTS, sizeof(*rows));

	*count = 0;
	if (rows && pins_read_costs(pins, rows, count))
		*count = 0;
	return rows;
}

void prices_print_devices(FILE *out, struct pins *pins)
{
	unsigned int count;
	_cleanup_free_ struct sense_cost *rows = read_devices(pins, &count);

	for (unsigned int i = 0; i < count; i++) {
		char name[32];

		name_device(rows[i].dev, name, sizeof(name));
		fprintf(out, "device %s:", name);
		for (int io = 0; io < SWT_NR_IOS; io++) {
			const struct swt_cost_io *cost = &rows[i].cost.io[io];

			if (cost->sampled_bios)
				fprintf(out,
					" %s %" PRIu64 " ns a page (%" PRIu64
					" of about %" PRIu64 " sampled);",
					io_names[io], ns_per_page(cost),
					(uint64_t)cost->sampled_bios,
					(uint64_t)cost->bios_estimate);
		}
		fputc('\n', out);
	}
}

static struct report *report_io(const struct swt_cost_io *io)
{
	struct report *report = report_new_object();
	struct report *buckets = report_new_array();

	report_set_int(report, "bios_estimate", (int64_t)io->bios_estimate);
	report_set_int(report, "sampled_bios", (int64_t)io->sampled_bios);
	report_set_int(report, "sampled_pages", (int64_t)io->sampled_pages);
	report_set_int(report, "sampled_ns", (int64_t)io->sampled_ns);
	for (int i = 0; i < SWT_COST_BUCKETS; i++)
		report_append_int(buckets, (int64_t)io->log2_ns[i]);
	report_set(report, "log2_ns", buckets);
	return report;
}

struct report *prices_report_devices(struct pins *pins)
{
	struct report *list = report_new_array();
	unsigned int count;
	_cleanup_free_ struct sense_cost *rows = read_devices(pins, &count);

	for (unsigned int i = 0; i < count; i++) {
		struct report *device = report_new_object();
		char name[32];

		name_device(rows[i].dev, name, sizeof(name));
		report_set_string(device, "device", name);
		for (int io = 0; io < SWT_NR_IOS; io++)
			report_set(device, io_names[io],
				   report_io(&rows[i].cost.io[io]));
		report_append(list, device);
	}
	return list;
}
