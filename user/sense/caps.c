/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/caps.h"

#include <linux/capability.h>
#include <stdio.h>

#include "sense/proc.h"

int caps_read_effective(uint64_t *ret_mask)
{
	const struct sense_root root = {""};
	_cleanup_free_ char *text = NULL;
	int r = proc_read_file(&root, "/proc/self/status", &text);

	return r ? r : parse_status_mask(text, "CapEff", ret_mask);
}

bool caps_has(uint64_t mask, int capability)
{
	return mask >> capability & 1;
}

bool caps_name_missing_for_bpf(uint64_t mask, char *ret, size_t size)
{
	bool needs_bpf = !caps_has(mask, CAP_BPF);
	bool needs_perfmon = !caps_has(mask, CAP_PERFMON);

	if (caps_has(mask, CAP_SYS_ADMIN) || (!needs_bpf && !needs_perfmon))
		return false;
	snprintf(ret, size, "%s%s%s", needs_bpf ? "CAP_BPF" : "",
		 needs_bpf && needs_perfmon ? " " : "",
		 needs_perfmon ? "CAP_PERFMON" : "");
	return true;
}
