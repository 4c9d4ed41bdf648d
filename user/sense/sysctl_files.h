/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which settings file sets vm.swappiness, and which one wins.  The boot
 * service (systemd-sysctl) and `sysctl --system` (procps) read the same
 * directories in their own ways, so there can be two winners.
 */
#ifndef SWAPTEND_SYSCTL_FILES_H
#define SWAPTEND_SYSCTL_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "sense/proc.h"

/* One line of one file that sets, or seems to set, the key. */
struct sysctl_setting {
	char *path;	   /* without the root's prefix */
	char *value;	   /* as written, trimmed */
	bool lacks_prefix; /* "swappiness = N": has no effect */
	bool is_masked;	   /* a file of the same name in an earlier directory */
	bool wins_at_boot; /* systemd-sysctl applies it last */
	bool wins_by_hand; /* `sysctl --system` applies it last */
};

struct sysctl_settings {
	struct sysctl_setting *items; /* in the order they are applied */
	size_t count;
};

/* Missing directories are no error.  -ENOMEM, -errno of a read. */
int sysctl_files_read(const struct sense_root *root,
		      struct sysctl_settings *ret) __must_check;
void sysctl_files_done(struct sysctl_settings *settings);

#endif
