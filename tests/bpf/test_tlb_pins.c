/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pinned maps of the TLB programs, in a bpffs of our own that nobody else
 * sees: who may read them, and when they go.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sense/bpf_tlb.h"

static char mount_dir[] = "/tmp/swaptend-test-bpffs-XXXXXX";
static char dir[64]; /* as /sys/fs/bpf/swaptend */
static struct tlb_bpf *counting;

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

static int close_all(void **state)
{
	(void)state;
	tlb_bpf_close(counting);
	counting = NULL;
	return 0;
}

static void pins_its_maps_for_root_and_takes_them_away(void **state)
{
	static const char *const names[] = {"tlb", "tlb_senders"};
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

#define CASE(name) cmocka_unit_test_teardown(name, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(pins_its_maps_for_root_and_takes_them_away),
	};

	return cmocka_run_group_tests_name("tlb pins", tests, mount_bpffs,
					   unmount_bpffs);
}
