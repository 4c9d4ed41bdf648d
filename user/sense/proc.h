/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads /proc, /sys and cgroup files, whatever their size.  All paths are
 * relative to a root that tests replace: `struct sense_root` holds "" on a
 * real machine, or the path of a file tree that stands for "/".
 */
#ifndef SWAPTEND_PROC_H
#define SWAPTEND_PROC_H

#include "model.h"
#include "sense/parse.h"

struct sense_root {
	const char *prefix; /* "" or e.g. "/tmp/tree" */
};

/* Whole file, NUL-terminated, to be freed.  -errno of open or read. */
int proc_read_file(const struct sense_root *root, const char *path,
		   char **ret_text) __must_check;
/* The same below a directory fd: for cgroup files. */
int proc_read_file_at(int dir_fd, const char *name,
		      char **ret_text) __must_check;

/* Memory and swap now, for the system. */
struct memory_levels {
	uint64_t total_kib;
	uint64_t free_kib;
	uint64_t page_cache_kib; /* Cached + Buffers, without swap cache */
	uint64_t anon_mapped_kib;
	uint64_t file_mapped_kib;
	uint64_t swap_total_kib;
	uint64_t swap_free_kib;
};
/* From /proc/meminfo.  -EPROTO: MemTotal is missing. */
int proc_read_levels(const struct sense_root *root,
		     struct memory_levels *ret) __must_check;

/*
 * The same for one cgroup: anon and file mapped from its memory.stat (v1:
 * rss, mapped_file; v2: anon, file_mapped), total = min(limit, RAM); free is
 * total - usage; swap is the system's.  Own pages, not the subtree's, on v1
 * (its knob rules only those).  -ENOENT/-ENODEV: the group is gone.
 */
int proc_read_group_levels(int group_fd, bool is_v2,
			   const struct memory_levels *system,
			   struct memory_levels *ret) __must_check;

/* Fills the sample's levels (percentages, has_swap); passes are untouched. */
void proc_fill_sample(const struct memory_levels *levels,
		      struct sample *sample);

/*
 * Whether the kernel lets no BPF program read its memory
 * (lockdown=confidentiality); false also where securityfs does not tell.
 */
bool proc_is_confidential(const struct sense_root *root);

enum psi_state {
	PSI_ON,
	PSI_OFF,	  /* file there, but empty or EOPNOTSUPP: boot psi=1 */
	PSI_NOT_BUILT_IN, /* no file: CONFIG_PSI, or psi=0 */
	PSI_NO_RIGHTS,
};
enum psi_state proc_psi_state(const struct sense_root *root);

enum cgroup_mode {
	CGROUP_NONE,
	CGROUP_V1, /* the memory controller is on v1 */
	CGROUP_V2,
};
struct cgroup_host {
	enum cgroup_mode mode;
	bool is_hybrid;	  /* both hierarchies are mounted */
	char mount[4096]; /* of the hierarchy that owns `memory` */
};
/* Which hierarchy owns the memory controller, from mountinfo. */
int proc_cgroup_host(const struct sense_root *root,
		     struct cgroup_host *ret) __must_check;

#endif
