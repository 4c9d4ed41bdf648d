/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel's BTF says the programs of tlb.bpf.c can have. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "sense/bpf_tlb_private.h"

/*
 * In the order of attaching: what ends something before what begins it, so that
 * nothing can be begun that will not be ended.
 */
static const struct signal_spec specs[] = {
	{"on_shrink_inact", "mm_vmscan_lru_shrink_inactive", "phases", NULL, -1,
	 false, false},
	{"on_shrink_act", "mm_vmscan_lru_shrink_active",
	 "anon aging without swap", NULL, 7, false, false},
	{"on_isolate_7", "mm_vmscan_lru_isolate", "phases (v6.12+)",
	 "on_shrink_inact", 7, false, false},
	{"on_isolate_8", "mm_vmscan_lru_isolate", "phases (to v6.1)",
	 "on_shrink_inact", 8, false, false},
	{"on_direct_end", "mm_vmscan_direct_reclaim_end", "phases",
	 "on_direct_begin", -1, false, false},
	{"on_direct_begin", "mm_vmscan_direct_reclaim_begin", "phases",
	 "on_direct_end", -1, false, false},
	{"on_memcg_end", "mm_vmscan_memcg_reclaim_end", "phases",
	 "on_memcg_begin", -1, false, false},
	{"on_memcg_begin", "mm_vmscan_memcg_reclaim_begin", "phases",
	 "on_memcg_end", -1, false, false},
	{"on_node_end", "mm_vmscan_node_reclaim_end", "phases", "on_node_begin",
	 -1, false, false},
	{"on_node_begin", "mm_vmscan_node_reclaim_begin", "phases",
	 "on_node_end", -1, false, false},
	{"on_flush_out", "flush_tlb_func", "receiving (v5.13+)", "on_flush_in",
	 1, false, true},
	{"on_flush_in", "flush_tlb_func", "receiving (v5.13+)", "on_flush_out",
	 1, false, true},
	{"on_remote_out", "flush_tlb_func_remote", "receiving (to v5.12)",
	 "on_remote_in", 1, false, true},
	{"on_remote_in", "flush_tlb_func_remote", "receiving (to v5.12)",
	 "on_remote_out", 1, false, true},
	{"on_call_out", "call_function_exit", "receiving", "on_call_in", -1,
	 false, false},
	{"on_call_in", "call_function_entry", "receiving", "on_call_out", -1,
	 false, false},
	{"on_single_out", "call_function_single_exit", "receiving",
	 "on_single_in", -1, false, false},
	{"on_single_in", "call_function_single_entry", "receiving",
	 "on_single_out", -1, false, false},
	{"on_tlb_flush", "tlb_flush", "flushes", NULL, 2, false, false},
};

/* include/linux/mm_types.h; NR_TLB_FLUSH_REASONS, up to v6.18, is none. */
static void read_reasons(const struct btf *btf, struct tlb_reasons *ret)
{
	int id = btf__find_by_name_kind(btf, "tlb_flush_reason", BTF_KIND_ENUM);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);
	const struct btf_enum *values = type ? btf_enum(type) : NULL;

	ret->remote_send = ret->task_switch = -1;
	for (int i = 0; type && i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(btf, values[i].name_off);
		int value = values[i].val;

		if (!name || !strncmp(name, "NR_", 3) || value < 0 ||
		    value >= SWT_NR_TLB_REASONS)
			continue;
		snprintf(ret->name[value], sizeof(ret->name[value]), "%s",
			 name);
		if (!strcmp(name, "TLB_REMOTE_SEND_IPI"))
			ret->remote_send = value;
		if (!strcmp(name, "TLB_FLUSH_ON_TASK_SWITCH"))
			ret->task_switch = value;
	}
}

/* Without it the CPU's own flushes could not be told from those received. */
static bool has_initiating_cpu(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "flush_tlb_info", BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);
	const struct btf_member *members = type ? btf_members(type) : NULL;

	for (int i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, members[i].name_off),
			    "initiating_cpu"))
			return true;
	return false;
}

int tlb_probe(struct tlb_bpf *tlb, const char *btf_path)
{
	struct btf *btf;
	int r;

	_Static_assert(SWT_ARRAY_SIZE(specs) <= BPF_MAX_SIGNALS, "signals");
	r = sense_open_btf(&btf, btf_path);
	if (r)
		return r;
	tlb->signal_count = SWT_ARRAY_SIZE(specs);
	sense_judge(btf, specs, tlb->signals, tlb->signal_count);
	if (!has_initiating_cpu(btf)) {
		tlb_switch_off(tlb, "on_flush_in", "it does not tell for whom");
		tlb_switch_off(tlb, "on_flush_out",
			       "it does not tell for whom");
	}
	read_reasons(btf, &tlb->reasons);
	btf__free(btf);
	return 0;
}

static struct bpf_signal *signal_of(const struct tlb_bpf *tlb,
				    const char *program)
{
	return sense_find_signal((struct bpf_signal *)tlb->signals,
				 tlb->signal_count, program);
}

bool tlb_has(const struct tlb_bpf *tlb, const char *in, const char *out)
{
	return signal_of(tlb, in)->is_on && signal_of(tlb, out)->is_on;
}

enum tlb_receive tlb_receive_by(const struct tlb_bpf *tlb)
{
	if (tlb_has(tlb, "on_flush_in", "on_flush_out") ||
	    tlb_has(tlb, "on_remote_in", "on_remote_out"))
		return TLB_RECEIVE_FLUSH_FUNC;
	if (tlb_has(tlb, "on_call_in", "on_call_out") &&
	    tlb_has(tlb, "on_single_in", "on_single_out"))
		return TLB_RECEIVE_CALL;
	return TLB_RECEIVE_NONE;
}

void tlb_switch_off(struct tlb_bpf *tlb, const char *program, const char *why)
{
	struct bpf_signal *signal = signal_of(tlb, program);

	if (!signal->is_on)
		return;
	signal->is_on = false;
	snprintf(signal->why, sizeof(signal->why), "%s", why);
}

const char *tlb_why_off(const struct tlb_bpf *tlb, const char *program)
{
	return signal_of(tlb, program)->why;
}

void tlb_note_missing(struct tlb_bpf *tlb, const char *fmt, ...)
{
	va_list args;

	if (tlb->missing_count >= TLB_MAX_MISSING)
		return;
	va_start(args, fmt);
	vsnprintf(tlb->missing[tlb->missing_count++], sizeof(tlb->missing[0]),
		  fmt, args);
	va_end(args);
}

static void explain_receive(struct tlb_bpf *tlb, enum tlb_receive wanted)
{
	bool is_old = signal_of(tlb, "on_remote_in")->found_args >= 0;

	if (wanted == TLB_RECEIVE_FLUSH_FUNC && tlb->receive < wanted)
		tlb_note_missing(
			tlb, "the time in %s is not measured (%s)%s",
			is_old ? "flush_tlb_func_remote" : "flush_tlb_func",
			tlb_why_off(tlb,
				    is_old ? "on_remote_in" : "on_flush_in"),
			tlb->receive == TLB_RECEIVE_CALL
				? "; that of all function-call interrupts is, "
				  "which is more"
				: "");
	if (wanted >= TLB_RECEIVE_CALL && tlb->receive == TLB_RECEIVE_NONE)
		tlb_note_missing(tlb,
				 "the cost of receiving is not measured: "
				 "call_function_entry: %s",
				 tlb_why_off(tlb, "on_call_in"));
}

void tlb_explain_missing(struct tlb_bpf *tlb, enum tlb_receive wanted)
{
	bool is_old = signal_of(tlb, "on_isolate_8")->found_args == 8;

	if (!tlb_bpf_has_flushes(tlb))
		tlb_note_missing(tlb,
				 "flushes are not counted, by reason, phase or "
				 "sender: tlb_flush: %s",
				 tlb_why_off(tlb, "on_tlb_flush"));
	else if (tlb->reasons.remote_send < 0)
		tlb_note_missing(tlb,
				 "senders are not counted: this kernel has "
				 "no TLB_REMOTE_SEND_IPI");
	if (tlb_bpf_has_flushes(tlb) && !tlb_bpf_has_phases(tlb))
		tlb_note_missing(tlb,
				 "aging and evicting are not told apart from "
				 "other reclaim: mm_vmscan_lru_isolate: %s",
				 tlb_why_off(tlb, is_old ? "on_isolate_8"
							 : "on_isolate_7"));
	if (!tlb_has(tlb, "on_direct_begin", "on_direct_end"))
		tlb_note_missing(tlb, "direct reclaim is not told apart: %s",
				 tlb_why_off(tlb, "on_direct_begin"));
	if (!tlb_has(tlb, "on_memcg_begin", "on_memcg_end"))
		tlb_note_missing(tlb,
				 "reclaim at a cgroup's limit is not told "
				 "apart: %s",
				 tlb_why_off(tlb, "on_memcg_begin"));
	if (!signal_of(tlb, "on_shrink_act")->is_on)
		tlb_note_missing(tlb,
				 "anon pages aged without swap are not "
				 "counted: mm_vmscan_lru_shrink_active: %s",
				 tlb_why_off(tlb, "on_shrink_act"));
	explain_receive(tlb, wanted);
}
