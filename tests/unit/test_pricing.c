/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From counters to prices, out of a file tree and with programs that say what
 * the test wants: sense_*() of user/sense/bpf_maps.c are those below.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tree.h"

#include "cmd/pricing.h"

#define SECOND_NS UINT64_C(1000000000)

/* 8:7 and 8:0, major * 2^20 + minor */
#define PARTITION 8388615
#define DISK 8388608

/* A machine: its files, and what its programs counted. */
struct machine {
	char path[TREE_PATH_BYTES];
	struct pricing pricing;
	struct sense_cost rows[SENSE_MAX_COSTS];
	unsigned int row_count;
	uint32_t told[SWAPS_MAX]; /* devices that are swap */
	unsigned int told_count;
	bool is_zswap_timed; /* as the programs were told */
	uint64_t now_ns;
};

static struct machine *machine;

int sense_read_costs(struct sense_bpf *sense,
		     struct sense_cost ret[SENSE_MAX_COSTS],
		     unsigned int *ret_count)
{
	(void)sense;
	memcpy(ret, machine->rows, sizeof(machine->rows));
	*ret_count = machine->row_count;
	return 0;
}

void sense_forget_cost(struct sense_bpf *sense, uint32_t dev)
{
	unsigned int i = 0;

	(void)sense;
	while (i < machine->row_count && machine->rows[i].dev != dev)
		i++;
	assert_in_range(i, 0, machine->row_count - 1);
	machine->rows[i] = machine->rows[--machine->row_count];
	memset(&machine->rows[machine->row_count], 0, sizeof(*machine->rows));
}

void sense_set_swap_devices(struct sense_bpf *sense, const uint32_t *devs,
			    unsigned int count)
{
	(void)sense;
	assert_in_range(count, 0, SWAPS_MAX);
	memcpy(machine->told, devs, count * sizeof(*devs));
	machine->told_count = count;
}

int sense_set_zswap(struct sense_bpf *sense, bool is_on, char *why,
		    size_t why_size)
{
	(void)sense;
	(void)why;
	(void)why_size;
	machine->is_zswap_timed = is_on;
	return 0;
}

static void put(const char *path, const char *text)
{
	tree_put(machine->path, path, text);
}

static void put_swaps(const char *lines)
{
	_cleanup_free_ char *text = NULL;

	assert_true(asprintf(&text, "Filename Type Size Used Priority\n%s",
			     lines) > 0);
	put("/proc/swaps", text);
}

static int plant(void **state)
{
	(void)state;
	machine = calloc(1, sizeof(*machine));
	if (!machine || !tree_plant(machine->path))
		return -1;
	machine->pricing.root.prefix = machine->path;
	machine->pricing.zram_weight_pct = 100;
	machine->now_ns = 1000 * SECOND_NS;
	put_swaps("");
	put("/proc/vmstat", "pswpout 0\n");
	put("/sys/class/block/sdx7/dev", "8:7\n");
	return 0;
}

static int fell(void **state)
{
	(void)state;
	tree_fell(machine->path);
	free(machine);
	return 0;
}

/* swapon, swapoff: the kernel gives notice. */
static void switch_swaps(const char *lines)
{
	put_swaps(lines);
	assert_int_equal(pricing_set_swaps(&machine->pricing, NULL, true), 0);
}

static void pass(uint64_t ns)
{
	machine->now_ns += ns;
	pricing_update(&machine->pricing, NULL, machine->now_ns);
}

static struct swt_cost_io *io_of(uint32_t dev, int io)
{
	unsigned int i = 0;

	while (i < machine->row_count && machine->rows[i].dev != dev)
		i++;
	assert_in_range(i, 0, SENSE_MAX_COSTS - 1);
	if (i == machine->row_count)
		machine->row_count++;
	machine->rows[i].dev = dev;
	return &machine->rows[i].cost.io[io];
}

/* So many I/Os of one page each, all of them sampled. */
static void happen(uint32_t dev, int io, uint64_t bios, uint64_t ns)
{
	struct swt_cost_io *cost = io_of(dev, io);

	cost->bios_estimate += bios;
	cost->sampled_bios += bios;
	cost->sampled_pages += bios;
	cost->sampled_ns += bios * ns;
}

/* What was read and never written counts as if writing took as long. */
static void assert_swap_price(uint32_t ns, enum price_source source)
{
	if (source == PRICE_MEASURED)
		ns *= 2;
	assert_int_equal(machine->pricing.prices.swap_in_ns, ns);
	assert_int_equal(machine->pricing.prices.swap_source, source);
}

static void the_price_of_swap_is_what_its_device_took(void **state)
{
	(void)state;
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	assert_int_equal(machine->told_count, 1);
	assert_int_equal(machine->told[0], PARTITION);
	pass(SECOND_NS);
	/* None was measured: that of its class. */
	assert_swap_price(100000, PRICE_PRIOR);
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

static void a_price_goes_with_its_device(void **state)
{
	(void)state;
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	happen(PARTITION, SWT_IO_SWAP_OUT, 64, 250000);
	pass(SECOND_NS);
	switch_swaps("");
	pass(SECOND_NS);
	assert_swap_price(0, PRICE_UNKNOWN);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_swap_price(100000, PRICE_PRIOR);
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 70000);
	pass(SECOND_NS);
	assert_swap_price(70000, PRICE_MEASURED);
}

static void another_device_of_that_name_has_another_price(void **state)
{
	(void)state;
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
	/* swapoff and swapon of a larger one, before anyone looked. */
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	switch_swaps("/none/sdx7 partition 4000 0 -2\n");
	pass(SECOND_NS);
	assert_swap_price(100000, PRICE_PRIOR);
}

static void what_stays_on_keeps_its_price(void **state)
{
	(void)state;
	put("/sys/class/block/sdx8/dev", "8:8\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n"
		     "/none/sdx8 partition 1000 0 -3\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

/* Before v5.12 a bio knows the disk only. */
static void a_partition_has_the_price_of_its_disk(void **state)
{
	(void)state;
	put("/sys/dev/block/8:7/partition", "7\n");
	put("/sys/dev/block/dev", "8:0\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(DISK, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
	switch_swaps("");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_swap_price(100000, PRICE_PRIOR);
}

/* A path of NVMe multipath is not registered, and its bios have device 0. */
static void a_device_without_a_number_is_one_of_its_own(void **state)
{
	(void)state;
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(0, SWT_IO_SWAP_IN, 64, 20000);
	pass(SECOND_NS);
	happen(0, SWT_IO_SWAP_IN, 64, 20000);
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

/* A swap file of our own; its line of /proc/swaps. */
static void put_swap_file(char line[128], const char *size_kib)
{
	_cleanup_free_ char *text = calloc(1, 512 * 1024 + 1);
	char path[96];
	int fd;

	assert_non_null(text);
	memset(text, 'x', 512 * 1024);
	put("/swapfile", text);
	snprintf(path, sizeof(path), "%s/swapfile", machine->path);
	fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 && errno == EINVAL) {
		print_message("no direct I/O below /tmp\n");
		skip();
	}
	assert_true(fd >= 0);
	close(fd);
	snprintf(line, 128, "%s file %s 0 -2\n", path, size_kib);
}

/* Only who probes again sees that the file is shorter than was said. */
static void a_device_that_comes_back_is_probed_again(void **state)
{
	char line[128], long_line[128];

	(void)state;
	put_swap_file(long_line, "4096");
	put_swap_file(line, "512");
	switch_swaps(line);
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.prices.swap_source, PRICE_PROBED);
	switch_swaps("");
	switch_swaps(long_line);
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.prices.swap_source, PRICE_PRIOR);
	switch_swaps(line);
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.prices.swap_source, PRICE_PROBED);
}

static void swap_that_came_without_notice_is_found(void **state)
{
	(void)state;
	switch_swaps("");
	pass(SECOND_NS);
	put_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(5 * SECOND_NS);
	assert_swap_price(100000, PRICE_PRIOR);
	assert_int_equal(machine->told_count, 1);
	assert_int_equal(machine->told[0], PARTITION);
}

/* 9:0 and following are read, of which sysfs has those below `there`. */
static void use_devices(unsigned int count, unsigned int there)
{
	for (unsigned int i = 0; i < count; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/dev/block/9:%u/dev", i);
		if (i < there)
			put(path, "");
		happen(9 * 1048576 + i, SWT_IO_FILE_READ, 1, 1000);
	}
	pass(5 * SECOND_NS);
}

static void a_crowded_map_is_cleared_of_what_is_gone(void **state)
{
	(void)state;
	happen(0, SWT_IO_FILE_READ, 1, 1000);
	use_devices(24, 10);
	/* With the one that has no number, which stays. */
	assert_int_equal(machine->row_count, 11);
	for (unsigned int i = 0; i < 11; i++)
		assert_in_range(machine->rows[i].dev & 0xfffff, 0, 9);
	/* Whoever comes back starts anew. */
	happen(9 * 1048576 + 20, SWT_IO_SWAP_IN, 64, 250000);
	put("/sys/class/block/sdx7/dev", "9:20\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

static void a_map_with_room_is_left_alone(void **state)
{
	(void)state;
	use_devices(24, 10);
	assert_int_equal(machine->row_count, 24);
}

static void without_sysfs_no_device_is_gone(void **state)
{
	(void)state;
	use_devices(30, 0);
	assert_int_equal(machine->row_count, 30);
}

/* More than the map ever held, one after the other. */
static void devices_that_come_and_go_find_room(void **state)
{
	(void)state;
	put("/sys/dev/block/8:7/dev", "8:7\n");
	for (unsigned int i = 0; i < 100; i++) {
		happen(10 * 1048576 + i, SWT_IO_FILE_READ, 1, 1000);
		pass(5 * SECOND_NS);
	}
	assert_in_range(machine->row_count, 0, 25);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

#define ZSWAP "/sys/module/zswap/parameters/enabled"

static void zswap_that_nobody_counts_has_the_price_of_zswap(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 8000000);
	pass(SECOND_NS);
	assert_swap_price(6000, PRICE_PRIOR);
}

static void zswap_that_is_counted_is_mixed_with_what_is_behind_it(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	put("/proc/vmstat", "zswpin 5000\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	put("/proc/vmstat", "zswpin 5192\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 406000);
	pass(SECOND_NS);
	/* (192 * 6,000 + 64 * 2 * 406,000) / 256 */
	assert_swap_price(207500, PRICE_PRIOR);
}

/* The programs time them: 2 us to load, 5 us to store. */
static void happen_in_zswap(uint64_t loads, uint64_t stores)
{
	happen(SWT_DEV_ZSWAP, SWT_IO_SWAP_IN, loads, 2000);
	happen(SWT_DEV_ZSWAP, SWT_IO_SWAP_OUT, stores, 5000);
}

static void assert_prices(uint32_t ns, enum price_source source)
{
	assert_int_equal(machine->pricing.prices.swap_in_ns, ns);
	assert_int_equal(machine->pricing.prices.swap_source, source);
}

static void zswap_that_is_timed_has_the_price_that_was_measured(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	put("/proc/vmstat", "zswpin 0\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_prices(6000, PRICE_PRIOR);
	happen_in_zswap(15, 0);
	put("/proc/vmstat", "zswpin 15\n");
	pass(SECOND_NS);
	/* Fewer than 16 are no measurement. */
	assert_prices(6000, PRICE_PRIOR);
	happen_in_zswap(185, 200);
	put("/proc/vmstat", "zswpin 200\n");
	pass(SECOND_NS);
	assert_prices(7000, PRICE_MEASURED);
}

/* Whoever reclaims compresses: dearer than the load, it counts in full. */
static void a_store_counts_as_often_as_pages_were_stored(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	happen_in_zswap(400, 100);
	pass(SECOND_NS);
	/* 2,000 + 5,000 * 100 / 400 */
	assert_prices(3250, PRICE_MEASURED);
}

static void timed_zswap_is_mixed_with_what_is_behind_it(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	put("/proc/vmstat", "zswpin 5000\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	put("/proc/vmstat", "zswpin 5192\n");
	happen_in_zswap(192, 192);
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 406000);
	pass(SECOND_NS);
	/* (192 * 7,000 + 64 * 2 * 406,000) / 256 */
	assert_prices(208250, PRICE_MEASURED);
}

/* 8 reads are no measurement: the part of the price that is a prior shows. */
static void a_price_is_no_better_than_its_parts(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	put("/proc/vmstat", "zswpin 0\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	put("/proc/vmstat", "zswpin 192\n");
	happen_in_zswap(192, 192);
	happen(PARTITION, SWT_IO_SWAP_IN, 8, 406000);
	pass(SECOND_NS);
	/* (192 * 7,000 + 8 * 100,000) / 200 */
	assert_prices(10720, PRICE_PRIOR);
}

static void zswap_is_timed_while_it_is_on_and_forgotten_with_it(void **state)
{
	(void)state;
	put(ZSWAP, "N\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	assert_false(machine->is_zswap_timed);
	put(ZSWAP, "Y\n");
	pass(5 * SECOND_NS);
	assert_true(machine->is_zswap_timed);
	happen_in_zswap(100, 100);
	pass(SECOND_NS);
	assert_prices(7000, PRICE_MEASURED);
	put(ZSWAP, "N\n");
	/* As another compressor would: not of what comes next. */
	happen_in_zswap(100, 100);
	pass(5 * SECOND_NS);
	assert_false(machine->is_zswap_timed);
	assert_prices(100000, PRICE_PRIOR);
	put(ZSWAP, "Y\n");
	pass(5 * SECOND_NS);
	assert_prices(6000, PRICE_PRIOR);
}

static void a_crowded_map_keeps_zswap(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen_in_zswap(100, 100);
	use_devices(24, 0);
	put("/sys/dev/block/8:7/dev", "8:7\n");
	pass(5 * SECOND_NS);
	assert_int_equal(machine->row_count, 1);
	assert_prices(7000, PRICE_MEASURED);
}

static void zswap_may_be_switched_at_any_time(void **state)
{
	(void)state;
	put(ZSWAP, "N\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 250000);
	pass(SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
	put(ZSWAP, "Y\n");
	pass(5 * SECOND_NS);
	assert_swap_price(6000, PRICE_PRIOR);
	put(ZSWAP, "N\n");
	pass(5 * SECOND_NS);
	assert_swap_price(250000, PRICE_MEASURED);
}

static void put_count(const char *key, uint64_t value)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %llu\n", key,
		 (unsigned long long)value);
	put("/proc/vmstat", line);
}

static void what_was_swapped_out_since_boot_is_not_of_now(void **state)
{
	(void)state;
	put_count("pswpout", 900000000);
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.swap_out_kib_s, 0);
}

static void swap_outs_of_a_second_are_of_the_last_ten(void **state)
{
	(void)state;
	pass(SECOND_NS);
	put_count("pswpout", 1000);
	pass(SECOND_NS);
	/* 1,000 pages of 4 KiB in 10 s */
	assert_int_equal(machine->pricing.swap_out_kib_s, 400);
}

/* As after a night in which nothing was reclaimed but a little. */
static void swap_outs_of_an_hour_are_not_of_the_last_second(void **state)
{
	(void)state;
	pass(SECOND_NS);
	put_count("pswpout", 3600000);
	pass(3600 * SECOND_NS);
	/* 1,000 pages of 4 KiB a second */
	assert_int_equal(machine->pricing.swap_out_kib_s, 4000);
	put_count("pswpout", 3601000);
	pass(SECOND_NS);
	/* A tenth is forgotten, as many come anew. */
	assert_int_equal(machine->pricing.swap_out_kib_s, 4000);
}

static void refaults_of_an_hour_are_not_of_the_last_second(void **state)
{
	(void)state;
	put("/proc/vmstat", "workingset_refault_file 0\npgsteal_file 0\n");
	pass(SECOND_NS);
	put("/proc/vmstat",
	    "workingset_refault_file 3600\npgsteal_file 36000\n");
	pass(3600 * SECOND_NS);
	/* 10 refaults and 100 evictions, with 64 of doubt: 74 / 164 */
	assert_int_equal(machine->pricing.prices.file_refault_permille, 451);
	assert_false(machine->pricing.prices.has_refault_pct);
}

static void files_come_back_where_nobody_counts_it(void **state)
{
	(void)state;
	put("/proc/vmstat", "pgsteal_file 0\n");
	pass(SECOND_NS);
	put("/proc/vmstat", "pgsteal_file 100000\n");
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.prices.file_refault_permille, 1000);
	assert_int_equal(machine->pricing.prices.anon_refault_permille, 1000);
	assert_false(machine->pricing.prices.has_refault_pct);
	assert_false(machine->pricing.prices.is_trial_due);
}

static void refaults_were_of_files_before_5_9(void **state)
{
	(void)state;
	put("/proc/vmstat", "workingset_refault 7\npgsteal_file 0\n");
	pass(SECOND_NS);
	put("/proc/vmstat", "workingset_refault 1007\npgsteal_file 3936\n");
	pass(SECOND_NS);
	/* Too early: 1,064 of the 984 + 64 that had time to come back. */
	assert_int_equal(machine->pricing.prices.file_refault_permille, 1000);
	assert_false(machine->pricing.prices.has_refault_pct);
	pass(4 * SECOND_NS);
	/* 600 + 64 of 2,361 + 64: what is remembered after 4 of 10 s */
	assert_int_equal(machine->pricing.prices.file_refault_permille, 273);
	assert_true(machine->pricing.prices.has_refault_pct);
	/* 600 of 2,361 */
	assert_int_equal(machine->pricing.prices.refault_pct, 25);
	assert_int_equal(machine->pricing.prices.anon_refault_permille, 1000);
}

static void zswap_and_what_is_behind_it_are_of_the_same_time(void **state)
{
	(void)state;
	put(ZSWAP, "Y\n");
	put_count("zswpin", 5000);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	put_count("zswpin", 5000 + 19200);
	happen(PARTITION, SWT_IO_SWAP_IN, 6400, 406000);
	pass(1000 * SECOND_NS);
	/* (192 * 6,000 + 64 * 2 * 406,000) / 256 */
	assert_swap_price(207500, PRICE_PRIOR);
}

/* 10 s in steps of 1.9 ms leave 1/e, not what 1 ms a step would leave. */
static void no_fraction_of_a_millisecond_is_lost(void **state)
{
	(void)state;
	pass(SECOND_NS);
	put_count("pswpout", 1000000);
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.swap_out_kib_s, 400000);
	for (int i = 0; i < 5263; i++)
		pass(1900000);
	assert_in_range(machine->pricing.swap_out_kib_s, 146000, 149000);
}

static void put_refaults(uint64_t anon, uint64_t file)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "workingset_refault_anon %llu\nworkingset_refault_file %llu\n",
		 (unsigned long long)anon, (unsigned long long)file);
	put("/proc/vmstat", text);
}

static void what_is_waited_for_is_of_the_last_second(void **state)
{
	const struct prices *prices = &machine->pricing.prices;

	(void)state;
	put_refaults(5000, 5000);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 500000);
	pass(SECOND_NS);
	/* What there was at the first look is of any time. */
	assert_int_equal(prices->anon_stall_permille, 0);
	happen(DISK, SWT_IO_FILE_READ, 1000, 300000);
	put_refaults(5100, 6000);
	pass(SECOND_NS);
	/* 100 * (500 + 500) us, 1000 * 300 us */
	assert_int_equal(prices->anon_stall_permille, 100);
	assert_int_equal(prices->file_stall_permille, 300);
	pass(SECOND_NS / 2);
	assert_int_equal(prices->anon_stall_permille, 50);
	assert_int_equal(prices->file_stall_permille, 150);
	pass(SECOND_NS);
	assert_int_equal(prices->anon_stall_permille, 0);
	assert_int_equal(prices->file_stall_permille, 0);
	/* A minute's are not all of its last second. */
	put_refaults(5100, 66000);
	pass(60 * SECOND_NS);
	assert_int_equal(prices->file_stall_permille, 300);
}

/* The mean of ten seconds would take as long to say so. */
static void random_reads_after_a_scan_cost_what_they_take_now(void **state)
{
	(void)state;
	put_refaults(0, 0);
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	happen(DISK, SWT_IO_FILE_READ, 8192, 10000);
	pass(SECOND_NS);
	happen(DISK, SWT_IO_FILE_READ, 300, 3000000);
	put_refaults(0, 300);
	pass(SECOND_NS);
	/* 300 * 3 ms */
	assert_int_equal(machine->pricing.prices.file_stall_permille, 900);
	assert_in_range(machine->pricing.prices.file_read_ns, 10000, 1000000);
}

static void nothing_looks_free_where_nobody_counts_it(void **state)
{
	(void)state;
	put("/proc/vmstat", "workingset_refault 0\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	happen(DISK, SWT_IO_FILE_READ, 1000, 300000);
	put("/proc/vmstat", "workingset_refault 1000\n");
	pass(SECOND_NS);
	assert_int_equal(machine->pricing.prices.file_stall_permille, 0);
}

static void evictions_are_told_by_the_sample(void **state)
{
	const struct prices *prices = &machine->pricing.prices;

	(void)state;
	put_count("pgsteal_anon", 900);
	pass(SECOND_NS);
	assert_int_equal(prices->anon_stolen_pages, 0);
	put_count("pgsteal_anon", 1700);
	pass(SECOND_NS / 10);
	assert_int_equal(prices->anon_stolen_pages, 800);
	pass(SECOND_NS / 10);
	assert_int_equal(prices->anon_stolen_pages, 0);
}

/* A file price of 2.5 ms, and then so many file pages evicted for good. */
static void evict_files(uint64_t pages)
{
	_cleanup_free_ char *text = NULL;

	put("/proc/vmstat", "workingset_refault_file 0\npgsteal_file 0\n");
	switch_swaps("/none/sdx7 partition 1000 0 -2\n");
	pass(SECOND_NS);
	happen(DISK, SWT_IO_FILE_READ, 8192, 2500000);
	assert_true(asprintf(&text,
			     "workingset_refault_file 0\npgsteal_file %llu\n",
			     (unsigned long long)pages) > 0);
	put("/proc/vmstat", text);
	pass(4 * SECOND_NS);
}

static void dear_files_are_no_stream_before_much_was_seen(void **state)
{
	(void)state;
	/* The prior of an SSD, 100 us: 64 * 25 = 1,600 pages of doubt. */
	evict_files(1500);
	assert_false(machine->pricing.prices.has_refault_pct);
	/* 1,600 / 3,100 */
	assert_int_equal(machine->pricing.prices.file_refault_permille, 516);
}

static void dear_files_are_a_stream_once_much_was_seen(void **state)
{
	(void)state;
	evict_files(1600);
	assert_true(machine->pricing.prices.has_refault_pct);
	assert_int_equal(machine->pricing.prices.refault_pct, 0);
}

/* 2 ns against 2.5 ms: a million times, but 256 MiB are enough. */
static void no_more_than_256_mib_are_doubted(void **state)
{
	(void)state;
	happen(PARTITION, SWT_IO_SWAP_IN, 64, 1);
	evict_files(65535);
	assert_false(machine->pricing.prices.has_refault_pct);
	evict_files(131072);
	assert_true(machine->pricing.prices.has_refault_pct);
}

#define MACHINE_TEST(f) cmocka_unit_test_setup_teardown(f, plant, fell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(the_price_of_swap_is_what_its_device_took),
		MACHINE_TEST(a_price_goes_with_its_device),
		MACHINE_TEST(another_device_of_that_name_has_another_price),
		MACHINE_TEST(what_stays_on_keeps_its_price),
		MACHINE_TEST(a_partition_has_the_price_of_its_disk),
		MACHINE_TEST(a_device_without_a_number_is_one_of_its_own),
		MACHINE_TEST(a_device_that_comes_back_is_probed_again),
		MACHINE_TEST(swap_that_came_without_notice_is_found),
		MACHINE_TEST(a_crowded_map_is_cleared_of_what_is_gone),
		MACHINE_TEST(a_map_with_room_is_left_alone),
		MACHINE_TEST(without_sysfs_no_device_is_gone),
		MACHINE_TEST(devices_that_come_and_go_find_room),
		MACHINE_TEST(zswap_that_nobody_counts_has_the_price_of_zswap),
		MACHINE_TEST(
			zswap_that_is_counted_is_mixed_with_what_is_behind_it),
		MACHINE_TEST(what_was_swapped_out_since_boot_is_not_of_now),
		MACHINE_TEST(swap_outs_of_a_second_are_of_the_last_ten),
		MACHINE_TEST(swap_outs_of_an_hour_are_not_of_the_last_second),
		MACHINE_TEST(refaults_of_an_hour_are_not_of_the_last_second),
		MACHINE_TEST(files_come_back_where_nobody_counts_it),
		MACHINE_TEST(refaults_were_of_files_before_5_9),
		MACHINE_TEST(zswap_and_what_is_behind_it_are_of_the_same_time),
		MACHINE_TEST(no_fraction_of_a_millisecond_is_lost),
		MACHINE_TEST(what_is_waited_for_is_of_the_last_second),
		MACHINE_TEST(random_reads_after_a_scan_cost_what_they_take_now),
		MACHINE_TEST(nothing_looks_free_where_nobody_counts_it),
		MACHINE_TEST(evictions_are_told_by_the_sample),
		MACHINE_TEST(dear_files_are_no_stream_before_much_was_seen),
		MACHINE_TEST(no_more_than_256_mib_are_doubted),
		MACHINE_TEST(dear_files_are_a_stream_once_much_was_seen),
		MACHINE_TEST(zswap_may_be_switched_at_any_time),
		MACHINE_TEST(
			zswap_that_is_timed_has_the_price_that_was_measured),
		MACHINE_TEST(a_store_counts_as_often_as_pages_were_stored),
		MACHINE_TEST(timed_zswap_is_mixed_with_what_is_behind_it),
		MACHINE_TEST(a_price_is_no_better_than_its_parts),
		MACHINE_TEST(
			zswap_is_timed_while_it_is_on_and_forgotten_with_it),
		MACHINE_TEST(a_crowded_map_keeps_zswap),
	};

	return cmocka_run_group_tests_name("pricing", tests, NULL, NULL);
}
