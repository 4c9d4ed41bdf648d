/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/proc_tlb.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "sense/parse_stat.h"

/* CPUs come and go seldom; twice while a file is read is none of theirs. */
#define TORN_TRIES 3

static int read_interrupts(const struct sense_root *root,
			   struct interrupts *ret)
{
	int r = -EAGAIN;

	for (int i = 0; i < TORN_TRIES; i++) {
		_cleanup_free_ char *text = NULL;

		r = proc_read_file(root, "/proc/interrupts", &text);
		if (!r)
			r = parse_interrupts(text, ret);
		if (r || !ret->is_torn)
			break;
	}
	return r;
}

void proc_tlb_look(const struct sense_root *root, struct tlb_look *ret)
{
	_cleanup_free_ char *text = NULL;

	memset(ret, 0, sizeof(*ret));
	ret->interrupts_error = read_interrupts(root, &ret->interrupts);
	ret->ticks_error = proc_read_file(root, "/proc/stat", &text);
	if (!ret->ticks_error)
		ret->ticks_error = parse_stat_cpu(text, "cpu", &ret->ticks);
}

/* "0x0007": a mask; the file is there where MGLRU is built in. */
static bool mglru_is_on(const struct sense_root *root)
{
	_cleanup_free_ char *text = NULL;

	return !proc_read_file(root, "/sys/kernel/mm/lru_gen/enabled", &text) &&
	       strtoul(text, NULL, 16) != 0;
}

void proc_tlb_machine(const struct sense_root *root,
		      const struct tlb_look *look, struct tlb_machine *ret)
{
	_cleanup_free_ char *text = NULL;
	struct utsname name;

	memset(ret, 0, sizeof(*ret));
	/* Fails only for a bad address. */
	if (!uname(&name)) {
		snprintf(ret->node, sizeof(ret->node), "%s", name.nodename);
		snprintf(ret->release, sizeof(ret->release), "%s",
			 name.release);
		snprintf(ret->arch, sizeof(ret->arch), "%s", name.machine);
	}
	ret->nr_online = look->interrupts.nr_online;
	ret->is_hyperv = look->interrupts.is_hyperv;
	ret->has_mglru = mglru_is_on(root);
	if (proc_read_file(root, "/proc/cpuinfo", &text))
		return;
	ret->is_guest = parse_cpuinfo_flag(text, "hypervisor");
	ret->has_broadcast = parse_cpuinfo_flag(text, "invlpgb");
}

bool proc_tlb_has_swap(const struct sense_root *root)
{
	_cleanup_free_ char *text = NULL;
	struct swap_device device;
	const char *rest;

	if (proc_read_file(root, "/proc/swaps", &text))
		return false;
	rest = text;
	return parse_swaps_next(&rest, &device) > 0;
}
