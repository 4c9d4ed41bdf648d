/* SPDX-License-Identifier: GPL-2.0-only */
/* The knobs: cgroups' own, vm.swappiness, and who else sets it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "act/knob.h"
#include "cmd/findings.h"
#include "report/log.h"
#include "sense/sysctl_files.h"
#include "target.h"

#define SWAPPINESS "/proc/sys/vm/swappiness"

/* Names that a line has room for; the rest is counted. */
#define NAMED_GROUPS 3

static int read_swappiness(const struct sense_root *root)
{
	_cleanup_free_ char *line = check_read_line(root, SWAPPINESS);
	int value;

	return line && !parse_int(line, 0, SWAPPINESS_MAX, &value) ? value : -1;
}

struct deviants {
	const char *mount; /* with the root's prefix */
	int global;
	unsigned int groups, differing;
	char names[256];
};

static int look_at_group(const char *path, uint64_t id, size_t pattern_index,
			 void *context)
{
	const struct sense_root root = {""};
	struct deviants *deviants = context;
	_cleanup_free_ char *file = NULL;
	_cleanup_free_ char *line = NULL;
	size_t used = strlen(deviants->names);
	char quoted[80];
	int value;

	(void)id;
	(void)pattern_index;
	if (asprintf(&file, "%s%s/memory.swappiness", deviants->mount, path) <
	    0)
		return -ENOMEM;
	line = check_read_line(&root, file);
	/* Vanished meanwhile. */
	if (!line || parse_int(line, 0, SWAPPINESS_MAX, &value))
		return 0;
	deviants->groups++;
	if (value == deviants->global)
		return 0;
	if (deviants->differing++ < NAMED_GROUPS)
		snprintf(deviants->names + used, sizeof(deviants->names) - used,
			 " %s (%d)", log_quote(path, quoted, sizeof(quoted)),
			 value);
	return 0;
}

/* A v1 group copies its parent's value when it is made, and keeps it. */
static void check_v1_groups(const struct check_options *options,
			    const struct cgroup_host *host,
			    struct findings *findings)
{
	static const char *const everything[] = {"/**"};
	_cleanup_free_ char *mount = NULL;
	struct deviants deviants = {
		.global = read_swappiness(&options->root),
	};
	struct target_walker *walker;

	if (deviants.global < 0 ||
	    asprintf(&mount, "%s%s", options->root.prefix, host->mount) < 0 ||
	    target_walker_new(&walker, mount, everything, 1, false))
		return;
	deviants.mount = mount;
	if (!target_walk(walker, look_at_group, &deviants)) {
		if (deviants.differing)
			findings_add(
				findings, "cgroup-values", FINDING_WARN,
				"run with --target PATTERN to control them",
				"%u of %u groups have a value of their own, "
				"which vm.swappiness does not reach:%s%s",
				deviants.differing, deviants.groups,
				deviants.names,
				deviants.differing > NAMED_GROUPS ? " ..."
								  : "");
		else
			findings_add(
				findings, "cgroup-values", FINDING_OK, NULL,
				"%u groups, all at vm.swappiness; yet each "
				"keeps its own when that changes",
				deviants.groups);
	}
	target_walker_free(walker);
}

/* include/linux/proc_ns.h: PROC_CGROUP_INIT_INO, the host's namespace. */
#define HOST_NAMESPACE "cgroup:[4026531835]"

static void check_namespace(const struct check_options *options,
			    struct findings *findings)
{
	_cleanup_free_ char *path = NULL;
	char target[64];
	ssize_t length;

	if (asprintf(&path, "%s/proc/self/ns/cgroup", options->root.prefix) < 0)
		return;
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return;
	target[length] = '\0';
	if (strcmp(target, HOST_NAMESPACE))
		findings_add(
			findings, "cgroup-namespace", FINDING_WARN,
			"give the container the host's (cgroupns=host) "
			"and its hierarchy",
			"this process is in a cgroup namespace of its own, "
			"and sees only a part of the host's tree");
}

static void check_own_group(const struct check_options *options,
			    const struct cgroup_host *host,
			    struct findings *findings)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX], quoted[160];
	const char *controller = host->mode == CGROUP_V1 ? "memory" : NULL;

	if (proc_read_file(&options->root, "/proc/self/cgroup", &text) ||
	    parse_cgroup_path(text, controller, path, sizeof(path)))
		return;
	findings_add(findings, "cgroup-self", FINDING_OK, NULL,
		     "this process is in %s",
		     log_quote(path, quoted, sizeof(quoted)));
}

void check_cgroups(const struct check_options *options,
		   struct findings *findings)
{
	struct cgroup_host host;
	int r = proc_cgroup_host(&options->root, &host);

	check_namespace(options, findings);
	if (r || host.mode == CGROUP_NONE) {
		findings_add(findings, "cgroup", FINDING_OFF, NULL,
			     "no hierarchy with the memory controller: only "
			     "--target system");
		return;
	}
	check_own_group(options, &host, findings);
	if (host.mode == CGROUP_V2) {
		findings_add(findings, "cgroup", FINDING_OK, NULL,
			     "v2 in %s: no swappiness per group, so only "
			     "--target system",
			     host.mount);
		return;
	}
	findings_add(findings, "cgroup", FINDING_OK, NULL,
		     "v1 memory controller in %s%s: --target takes its groups",
		     host.mount, host.is_hybrid ? " (hybrid)" : "");
	check_v1_groups(options, &host, findings);
}

static void explain_refusal(const struct check_options *options,
			    struct findings *findings, int error)
{
	_cleanup_free_ char *mounts = NULL;
	bool is_mount = !proc_read_file(&options->root, "/proc/self/mountinfo",
					&mounts) &&
			parse_mount_is_read_only(mounts, "/proc/sys");

	if (error == EROFS)
		findings_add(findings, "knob", FINDING_ERROR,
			     "systemd: no ProtectKernelTunables=; container: "
			     "the knob is the host's; --observe works",
			     SWAPPINESS " is read-only here%s",
			     is_mount ? ": /proc/sys is mounted so" : "");
	else
		findings_add(findings, "knob", FINDING_ERROR,
			     "run as root on the host; --observe works",
			     SWAPPINESS " may not be written: %s",
			     strerror(error));
}

static void probe_range(const struct check_options *options, const char *path,
			struct findings *findings)
{
	enum knob_restored outcome;
	struct journal *journal = NULL;
	struct knob *knob = NULL;
	int lock_fd = -1, pid, r;

	r = journal_lock(options->run_dir, &lock_fd, &pid);
	if (!r)
		r = journal_open(&journal, options->run_dir);
	if (!r)
		r = knob_open(&knob, path);
	if (!r)
		r = knob_probe_range(knob, journal);
	if (!r)
		r = knob_restore(knob, journal, &outcome);
	if (!r)
		findings_add(findings, "range", FINDING_OK, NULL, "0..%d",
			     knob_range_max(knob));
	else
		findings_add(findings, "range", FINDING_WARN,
			     r == -EBUSY ? "status shows the range that the "
					   "running instance found"
					 : NULL,
			     "cannot be probed: %s", strerror(-r));
	if (journal && journal_finish(journal))
		findings_add(findings, "range", FINDING_WARN, NULL,
			     "the journal cannot be removed");
	knob_free(knob);
	journal_close(journal);
	util_close_fd(&lock_fd);
}

static void check_sysctl_files(const struct check_options *options, int live,
			       struct findings *findings)
{
	struct sysctl_settings settings = {0};
	bool is_explained = false;
	int value, r = sysctl_files_read(&options->root, &settings);

	if (r) {
		findings_add(findings, "sysctl-file", FINDING_WARN, NULL,
			     "the files that set it cannot be read: %s",
			     strerror(-r));
		return;
	}
	for (size_t i = 0; i < settings.count; i++) {
		const struct sysctl_setting *item = &settings.items[i];
		const char *fate = item->lacks_prefix ? "no effect: the key "
							"lacks vm."
				   : item->is_masked  ? "masked"
						      : "overridden";

		if (item->wins_at_boot && item->wins_by_hand)
			fate = "wins";
		else if (item->wins_at_boot)
			fate = "wins at boot (systemd-sysctl)";
		else if (item->wins_by_hand)
			fate = "wins with 'sysctl --system'";
		if ((item->wins_at_boot || item->wins_by_hand) &&
		    !parse_int(item->value, 0, SWAPPINESS_MAX, &value))
			is_explained |= value == live;
		findings_add(findings, "sysctl-file",
			     item->lacks_prefix ? FINDING_WARN : FINDING_OK,
			     NULL, "%s: %s, %s", item->path, item->value, fate);
	}
	if (settings.count && !is_explained)
		findings_add(findings, "sysctl-file", FINDING_WARN, NULL,
			     "vm.swappiness is %d, which none of them sets",
			     live);
	sysctl_files_done(&settings);
}

void check_knob(const struct check_options *options, struct findings *findings)
{
	int live = read_swappiness(&options->root);
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;

	if (live < 0 ||
	    asprintf(&path, "%s" SWAPPINESS, options->root.prefix) < 0) {
		findings_add(findings, "knob", FINDING_ERROR, NULL,
			     SWAPPINESS " cannot be read");
		return;
	}
	/* Mount flags lie in some containers: only opening tells. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		explain_refusal(options, findings, errno);
	else
		findings_add(findings, "knob", FINDING_OK, NULL,
			     "vm.swappiness is %d and can be written", live);
	if (options->probe && fd >= 0)
		probe_range(options, path, findings);
	else
		findings_add(
			findings, "range", FINDING_OK, NULL,
			"not probed; --probe writes 200 and puts the value "
			"back");
	check_sysctl_files(options, live, findings);
}
