/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap, pressure information, the kind of LRU, counters. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "cmd/findings.h"
#include "report/log.h"

static bool is_zram(const struct swap_device *device)
{
	return !strncmp(device->path, "/dev/zram", strlen("/dev/zram"));
}

struct swap_view {
	unsigned int count;
	int best_zram_priority, best_disk_priority;
	char disk[300]; /* quoted */
};

static void note_device(struct swap_view *view,
			const struct swap_device *device)
{
	view->count++;
	if (is_zram(device)) {
		if (device->priority > view->best_zram_priority)
			view->best_zram_priority = device->priority;
	} else if (device->priority > view->best_disk_priority) {
		view->best_disk_priority = device->priority;
		log_quote(device->path, view->disk, sizeof(view->disk));
	}
}

static void judge_swap(const struct check_options *options,
		       const struct swap_view *view, struct findings *findings)
{
	_cleanup_free_ char *zswap = check_read_line(
		&options->root, "/sys/module/zswap/parameters/enabled");
	bool has_zram = view->best_zram_priority > INT_MIN;

	if (has_zram && view->best_disk_priority > view->best_zram_priority)
		findings_add(findings, "swap-order", FINDING_WARN,
			     "swapoff, then swapon -p with a higher priority "
			     "for zram",
			     "%s is used before zram: its priority %d is above "
			     "%d",
			     view->disk, view->best_disk_priority,
			     view->best_zram_priority);
	if (has_zram && zswap && (*zswap == 'Y' || *zswap == '1'))
		findings_add(findings, "zswap", FINDING_WARN,
			     "echo N > /sys/module/zswap/parameters/enabled",
			     "zswap in front of zram compresses twice");
}

static void check_swap(const struct check_options *options,
		       struct findings *findings)
{
	struct swap_view view = {0, INT_MIN, INT_MIN, ""};
	_cleanup_free_ char *text = NULL;
	struct swap_device device;
	char quoted[300];
	const char *rest;
	int r = proc_read_file(&options->root, "/proc/swaps", &text);

	if (r) {
		findings_add(findings, "swap", FINDING_OFF, NULL, "%s%s",
			     r == -ENOENT ? "this kernel has no swap support"
					  : "/proc/swaps: ",
			     r == -ENOENT ? "" : strerror(-r));
		return;
	}
	for (rest = text; parse_swaps_next(&rest, &device) > 0;) {
		note_device(&view, &device);
		findings_add(findings, "swap", FINDING_OK, NULL,
			     "%s: priority %d, %llu of %llu KiB used%s",
			     log_quote(device.path, quoted, sizeof(quoted)),
			     device.priority,
			     (unsigned long long)device.used_kib,
			     (unsigned long long)device.size_kib,
			     device.is_deleted ? ", file deleted" : "");
	}
	if (!view.count)
		findings_add(findings, "swap", FINDING_WARN,
			     "swapon a device; run waits for it and needs no "
			     "restart",
			     "none: swappiness has no effect");
	judge_swap(options, &view, findings);
}

static void check_psi(const struct check_options *options,
		      struct findings *findings)
{
	switch (proc_psi_state(&options->root)) {
	case PSI_ON:
		findings_add(findings, "psi", FINDING_OK, NULL, "on");
		break;
	case PSI_OFF:
		findings_add(findings, "psi", FINDING_OFF,
			     "boot with psi=1 to have it",
			     "built in, but switched off; control does not "
			     "need it");
		break;
	case PSI_NOT_BUILT_IN:
		findings_add(findings, "psi", FINDING_OFF, NULL,
			     "not built in (CONFIG_PSI), or off by psi=0; "
			     "control does not need it");
		break;
	case PSI_NO_RIGHTS:
		findings_add(findings, "psi", FINDING_OFF, NULL,
			     "may not be read; control does not need it");
		break;
	}
}

static void check_lru(const struct check_options *options,
		      struct findings *findings)
{
	_cleanup_free_ char *line = check_read_line(
		&options->root, "/sys/kernel/mm/lru_gen/enabled");
	const char *digits = line;

	if (digits && !strncmp(digits, "0x", 2))
		digits += 2;
	if (!line)
		findings_add(findings, "mglru", FINDING_OK, NULL,
			     "not in this kernel: the classic LRU");
	else if (strspn(digits, "0") == strlen(digits))
		findings_add(findings, "mglru", FINDING_OK, NULL,
			     "built in, but off: the classic LRU");
	else
		findings_add(findings, "mglru", FINDING_WARN,
			     "echo 0 > /sys/kernel/mm/lru_gen/enabled for the "
			     "classic LRU",
			     "on (%s): swappiness matters less there, and "
			     "priority may stay at 12 however hard reclaim is",
			     line);
}

/* Once each page: what limits of cgroups did is in "all" alone up to v7.0. */
static void report_reclaim(const char *vmstat, struct findings *findings)
{
	struct vmstat_reclaim reclaim;
	uint64_t scanned, stolen;

	parse_vmstat_reclaim(vmstat, &reclaim);
	if (!reclaim.all_scan_pages.is_known ||
	    !reclaim.all_steal_pages.is_known)
		return;
	scanned = reclaim.all_scan_pages.value;
	stolen = reclaim.all_steal_pages.value;
	findings_add(findings, "reclaim", FINDING_OK, NULL,
		     "since boot %" PRIu64 " pages scanned, %" PRIu64
		     " reclaimed (%" PRIu64 " %%); %" PRIu64
		     " scanned outside cgroup limits",
		     scanned, stolen, scanned ? 100 * stolen / scanned : 0,
		     reclaim.global_scan_pages.value);
}

static void check_counters(const struct check_options *options,
			   struct findings *findings)
{
	static const char *const keys[] = {"pswpin",
					   "pswpout",
					   "pgscan_anon",
					   "pgscan_file",
					   "workingset_refault_anon",
					   "workingset_refault_file"};
	_cleanup_free_ char *text = NULL;
	char missing[256] = "";

	if (proc_read_file(&options->root, "/proc/vmstat", &text))
		return;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(keys); i++) {
		size_t used = strlen(missing);

		if (!parse_stat_field(text, keys[i]).is_known)
			snprintf(missing + used, sizeof(missing) - used, " %s",
				 keys[i]);
	}
	report_reclaim(text, findings);
	if (missing[0])
		findings_add(findings, "vmstat", FINDING_OFF, NULL,
			     "/proc/vmstat lacks%s; control does not need them",
			     missing);
}

void check_memory(const struct check_options *options,
		  struct findings *findings)
{
	check_swap(options, findings);
	check_psi(options, findings);
	check_lru(options, findings);
	check_counters(options, findings);
}
