/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned maps of the TLB programs, in a bpffs of our own that nobody else
 * sees: who pins them, who reads them instead of counting anew, and when not.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "sense/bpf_tlb.h"

static char mount_dir[] = "/tmp/swaptend-test-bpffs-XXXXXX";
static char dir[64]; /* as /sys/fs/bpf/swaptend */
static struct tlb_bpf *counting, *reading;

static int mount_bpffs(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("not root\n");
		return 0;
	}
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(mount_dir))
		return -1;
	if (mount("bpf", mount_dir, "bpf", 0, NULL)) {
		print_error("mount bpf: %s\n", strerror(errno));
		rmdir(mount_dir);
		return -1;
	}
	snprintf(dir, sizeof(dir), "%s/swaptend", mount_dir);
	return 0;
}

static int unmount_bpffs(void **state)
{
	(void)state;
	if (!*dir)
		return 0;
	return umount(mount_dir) || rmdir(mount_dir) ? -1 : 0;
}

static struct tlb_bpf *open_tlb(const struct tlb_bpf_options *options)
{
	struct tlb_bpf *tlb = NULL;
	char error[512] = "";

	if (tlb_bpf_open(&tlb, options, error, sizeof(error)))
		fail_msg("tlb_bpf_open: %s", error);
	return tlb;
}

/* As the controller has it. */
static void count_and_pin(void)
{
	const struct tlb_bpf_options options = {
		.pin_dir = dir,
		.receive_wanted = TLB_RECEIVE_FLUSH_FUNC,
	};

	if (!*dir)
		skip();
	counting = open_tlb(&options);
}

static struct tlb_bpf_options wants(void)
{
	return (struct tlb_bpf_options){
		.shared_dir = dir,
		.receive_wanted = TLB_RECEIVE_FLUSH_FUNC,
	};
}

static int close_all(void **state)
{
	(void)state;
	tlb_bpf_close(reading);
	tlb_bpf_close(counting);
	reading = counting = NULL;
	return 0;
}

static void pins_its_maps_for_root_and_takes_them_away(void **state)
{
	static const char *const names[] = {"tlb", "tlb_senders", "tlb_about"};
	char path[128];
	struct stat st;

	count_and_pin();
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	close_all(state);
	assert_int_equal(stat(dir, &st), -1);
}

/* Programs of that name in the kernel, of whatever process. */
static unsigned int count_programs(const char *name)
{
	unsigned int count = 0;
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {0};
		__u32 size = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &size))
			count += !strcmp(info.name, name);
		util_close_fd(&fd);
	}
	return count;
}

static uint64_t flushes_of(struct tlb_bpf *tlb)
{
	struct tlb_counts counts;
	uint64_t sum;

	assert_int_equal(tlb_bpf_read(tlb, &counts), 0);
	sum = tlb_sum_flushes(&counts, -1, -1).events;
	tlb_counts_done(&counts);
	return sum;
}

/* Each unmapping of touched memory is one at least. */
static void flush_some(unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_true(page != MAP_FAILED);
		*(volatile char *)page = 1;
		munmap(page, 4096);
	}
}

static void reads_the_pinned_maps_and_loads_nothing(void **state)
{
	const struct tlb_bpf_options options = wants();
	unsigned int nr_programs;
	uint64_t least, most, before;

	(void)state;
	count_and_pin();
	if (!tlb_bpf_has_flushes(counting)) {
		print_message("no tlb_flush on this kernel\n");
		skip();
	}
	nr_programs = count_programs("on_tlb_flush");
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), getpid());
	assert_int_equal(tlb_bpf_counting_pid(counting), 0);
	assert_int_equal(count_programs("on_tlb_flush"), nr_programs);
	before = flushes_of(reading);
	flush_some(100);
	least = flushes_of(counting);
	most = flushes_of(reading);
	assert_true(least >= before + 100);
	assert_true(most >= least);
	assert_true(most <= flushes_of(counting));
}

static void knows_of_the_pinned_maps_what_their_process_knows(void **state)
{
	const struct tlb_bpf_options options = wants();

	(void)state;
	count_and_pin();
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_has_flushes(reading),
			 tlb_bpf_has_flushes(counting));
	assert_int_equal(tlb_bpf_has_phases(reading),
			 tlb_bpf_has_phases(counting));
	assert_int_equal(tlb_bpf_receive(reading), tlb_bpf_receive(counting));
	assert_memory_equal(tlb_bpf_reasons(reading), tlb_bpf_reasons(counting),
			    sizeof(struct tlb_reasons));
}

static void reads_the_time_of_the_other_process_s_programs(void **state)
{
	const struct tlb_bpf_options options = wants();
	struct tlb_counts before, after;

	(void)state;
	count_and_pin();
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_read(reading, &before), 0);
	flush_some(100);
	assert_int_equal(tlb_bpf_read(reading, &after), 0);
	if (tlb_bpf_has_flushes(reading)) {
		assert_true(after.programs_runs >= before.programs_runs + 100);
		assert_true(after.programs_ns > before.programs_ns);
	}
	tlb_counts_done(&before);
	tlb_counts_done(&after);
}

static void counts_itself_what_the_pinned_maps_leave_out(void **state)
{
	struct tlb_bpf_options options = wants();

	(void)state;
	count_and_pin();
	options.with_task_switch = true;
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), 0);
}

static void does_not_tell_the_time_that_is_not_wanted(void **state)
{
	struct tlb_bpf_options options = wants();

	(void)state;
	count_and_pin();
	options.receive_wanted = TLB_RECEIVE_NONE;
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), getpid());
	assert_int_equal(tlb_bpf_receive(reading), TLB_RECEIVE_NONE);
	assert_null(tlb_bpf_missing(reading, 0));
}

static void change_about(void (*change)(struct swt_tlb_about *about))
{
	struct swt_tlb_about about;
	__u32 zero = 0;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/tlb_about", dir);
	fd = bpf_obj_get(path);
	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, &about), 0);
	change(&about);
	assert_int_equal(bpf_map_update_elem(fd, &zero, &about, BPF_ANY), 0);
	close(fd);
}

static void make_older(struct swt_tlb_about *about)
{
	about->abi_version--;
}

/* As a killed one leaves its pins. */
static void make_dead(struct swt_tlb_about *about)
{
	about->program_ids[about->nr_programs - 1] = INT32_MAX;
}

static void counts_itself_beside_maps_of_another_version(void **state)
{
	const struct tlb_bpf_options options = wants();

	(void)state;
	count_and_pin();
	change_about(make_older);
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), 0);
}

static void counts_itself_where_a_dead_process_left_its_pins(void **state)
{
	const struct tlb_bpf_options options = wants();

	(void)state;
	count_and_pin();
	change_about(make_dead);
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), 0);
	flush_some(1);
	if (tlb_bpf_has_flushes(reading))
		assert_true(flushes_of(reading) > 0);
}

static void counts_itself_where_nothing_is_pinned(void **state)
{
	const struct tlb_bpf_options options = wants();

	(void)state;
	if (!*dir)
		skip();
	reading = open_tlb(&options);
	assert_int_equal(tlb_bpf_counting_pid(reading), 0);
}

static unsigned int count_ended(void)
{
	const char *missing;
	unsigned int count = 0;

	for (unsigned int i = 0; (missing = tlb_bpf_missing(reading, i)); i++)
		count += strstr(missing, "ended meanwhile") != NULL;
	return count;
}

static void says_once_that_the_counting_process_ended(void **state)
{
	const struct tlb_bpf_options options = wants();
	const struct timespec pause = {.tv_nsec = 10000000};

	(void)state;
	count_and_pin();
	reading = open_tlb(&options);
	flushes_of(reading);
	assert_int_equal(count_ended(), 0);
	tlb_bpf_close(counting);
	counting = NULL;
	/* The kernel frees programs by and by: 10 s at most. */
	for (int i = 0; i < 1000 && !count_ended(); i++) {
		flushes_of(reading);
		nanosleep(&pause, NULL);
	}
	/* The map can still be read. */
	flushes_of(reading);
	assert_int_equal(count_ended(), 1);
}

#define CASE(name) cmocka_unit_test_teardown(name, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(pins_its_maps_for_root_and_takes_them_away),
		CASE(reads_the_pinned_maps_and_loads_nothing),
		CASE(knows_of_the_pinned_maps_what_their_process_knows),
		CASE(reads_the_time_of_the_other_process_s_programs),
		CASE(counts_itself_what_the_pinned_maps_leave_out),
		CASE(does_not_tell_the_time_that_is_not_wanted),
		CASE(counts_itself_beside_maps_of_another_version),
		CASE(counts_itself_where_a_dead_process_left_its_pins),
		CASE(counts_itself_where_nothing_is_pinned),
		CASE(says_once_that_the_counting_process_ended),
	};

	return cmocka_run_group_tests_name("tlb pins", tests, mount_bpffs,
					   unmount_bpffs);
}
