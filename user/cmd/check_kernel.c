/* SPDX-License-Identifier: GPL-2.0-only */
/* BTF, tracepoints, rights and mounts. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "cmd/findings.h"
#include "sense/caps.h"

static void check_btf(const struct check_options *options,
		      struct findings *findings)
{
	int r = sense_probe(options->btf_path, findings->signals,
			    &findings->signal_count);

	switch (r) {
	case 0:
		findings_add(findings, "btf", FINDING_OK, NULL,
			     "kernel types are there; libbpf %s",
			     sense_libbpf_version());
		break;
	case -EPROTO:
		findings_add(findings, "btf", FINDING_ERROR,
			     "install a newer libbpf, or give a file it can "
			     "read with --btf",
			     "kernel types are there, but libbpf %s does not "
			     "understand them",
			     sense_libbpf_version());
		break;
	case -ENOENT:
		findings_add(findings, "btf", FINDING_ERROR,
			     "use a kernel with CONFIG_DEBUG_INFO_BTF: those "
			     "of Debian 11+, Fedora, Arch and Ubuntu 20.10+ "
			     "have it; or give a file with --btf",
			     "no kernel types (BTF) in %s",
			     options->btf_path ? options->btf_path
					       : "/sys/kernel/btf/vmlinux");
		break;
	default:
		findings_add(findings, "btf", FINDING_ERROR, NULL,
			     "kernel types cannot be read: %s", strerror(-r));
	}
}

static void check_signals(struct findings *findings)
{
	for (unsigned int i = 0; i < findings->signal_count; i++) {
		const struct bpf_signal *signal = &findings->signals[i];

		if (signal->is_essential && !signal->is_on)
			findings_add(findings, "tracepoints", FINDING_ERROR,
				     "report this kernel: control needs it",
				     "%s: %s", signal->tracepoint, signal->why);
	}
}

static void check_lockdown(const struct check_options *options,
			   struct findings *findings)
{
	_cleanup_free_ char *line = check_read_line(
		&options->root, "/sys/kernel/security/lockdown");
	char mode[32];

	if (!line || parse_bracketed(line, mode, sizeof(mode)))
		findings_add(findings, "lockdown", FINDING_OK, NULL,
			     "none that can be seen");
	else if (proc_is_confidential(&options->root))
		findings_add(findings, "lockdown", FINDING_ERROR,
			     "boot with lockdown=integrity, or without",
			     "confidentiality: the kernel lets no BPF program "
			     "read its memory");
	else
		findings_add(findings, "lockdown", FINDING_OK, NULL, "%s",
			     mode);
}

static const struct {
	int capability;
	const char *name;
	const char *lost;
} wanted[] = {
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
	 "pins, and who wrote a knob, are not to be had"},
	{CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE",
	 "the maps may not fit the memory-lock limit"},
	{CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE",
	 "knobs that are not this user's cannot be written"},
};

/* Maps count against RLIMIT_MEMLOCK before v5.11 (d5299b67dd59). */
static bool charges_memlock(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) && !parse_release(name.release, &major, &minor) &&
	       (major < 5 || (major == 5 && minor < 11));
}

static void check_rights(struct findings *findings)
{
	char missing[64];
	uint64_t mask;
	bool has_all = true;

	if (caps_read_effective(&mask))
		return;
	if (caps_name_missing_for_bpf(mask, missing, sizeof(missing))) {
		findings_add(findings, "capabilities", FINDING_ERROR,
			     "run as root, or grant them (CAP_SYS_ADMIN before "
			     "v5.8)",
			     "missing for loading the programs: %s", missing);
		has_all = false;
	}
	for (size_t i = 0; i < SWT_ARRAY_SIZE(wanted); i++) {
		if (caps_has(mask, wanted[i].capability) ||
		    (wanted[i].capability == CAP_SYS_RESOURCE &&
		     !charges_memlock()))
			continue;
		findings_add(findings, "capabilities", FINDING_WARN, NULL,
			     "no %s: %s", wanted[i].name, wanted[i].lost);
		has_all = false;
	}
	if (has_all)
		findings_add(findings, "capabilities", FINDING_OK, NULL,
			     "all that are used");
}

static void check_bpffs(struct findings *findings)
{
	struct statfs fs;

	if (!statfs("/sys/fs/bpf", &fs) && fs.f_type == BPF_FS_MAGIC)
		findings_add(findings, "bpffs", FINDING_OK, NULL,
			     "/sys/fs/bpf");
	else
		findings_add(
			findings, "bpffs", FINDING_OFF,
			"mount -t bpf bpf /sys/fs/bpf",
			"no bpf file system in /sys/fs/bpf: control works, "
			"but status and bpftool see nothing");
}

static void check_tracefs(const struct check_options *options,
			  struct findings *findings)
{
	_cleanup_free_ char *mounts = NULL;
	char where[256];

	if (proc_read_file(&options->root, "/proc/self/mountinfo", &mounts))
		return;
	if (parse_mount_point(mounts, "tracefs", NULL, where, sizeof(where)))
		findings_add(findings, "tracefs", FINDING_OK, NULL,
			     "not mounted, and not needed");
	else
		findings_add(findings, "tracefs", FINDING_OK, NULL,
			     "%s (not needed)", where);
}

static void check_selinux(const struct check_options *options,
			  struct findings *findings)
{
	_cleanup_free_ char *line =
		check_read_line(&options->root, "/sys/fs/selinux/enforce");

	if (line && !strcmp(line, "1"))
		findings_add(findings, "selinux", FINDING_WARN,
			     "if loading fails with EACCES, look with "
			     "'ausearch -m avc -c swaptend'",
			     "enforcing: it may deny bpf()");
}

void check_kernel(const struct check_options *options,
		  struct findings *findings)
{
	struct utsname name;

	if (!uname(&name))
		findings_add(findings, "kernel", FINDING_OK, NULL, "%s %s",
			     name.release, name.machine);
	check_btf(options, findings);
	check_signals(findings);
	check_lockdown(options, findings);
	check_rights(findings);
	check_bpffs(findings);
	check_tracefs(options, findings);
	check_selinux(options, findings);
}
