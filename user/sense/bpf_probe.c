/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel's BTF says each program can have; nothing is loaded. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "report/log.h"
#include "sense/bpf_private.h"

static const struct signal_spec specs[] = {
	{"on_shrink_inact", "mm_vmscan_lru_shrink_inactive",
	 "passes by priority: distress", NULL, 6, true, false},
	{"on_shrink_act", "mm_vmscan_lru_shrink_active",
	 "pages aged, anon aging without swap", NULL, 7, false, false},
	{"on_isolate_7", "mm_vmscan_lru_isolate", "pages isolated (v6.12+)",
	 NULL, 7, false, false},
	{"on_isolate_8", "mm_vmscan_lru_isolate", "pages isolated (to v6.1)",
	 NULL, 8, false, false},
	{"on_direct_begin", "mm_vmscan_direct_reclaim_begin",
	 "telling direct reclaim apart", "on_direct_end", -1, false, false},
	{"on_direct_end", "mm_vmscan_direct_reclaim_end",
	 "telling direct reclaim apart", "on_direct_begin", -1, false, false},
	{"on_memcg_begin", "mm_vmscan_memcg_reclaim_begin",
	 "telling cgroup-limit reclaim apart", "on_memcg_end", -1, false,
	 false},
	{"on_memcg_end", "mm_vmscan_memcg_reclaim_end",
	 "telling cgroup-limit reclaim apart", "on_memcg_begin", -1, false,
	 false},
	{"on_kswapd_wake", "mm_vmscan_kswapd_wake", "kswapd's wake-ups",
	 "on_kswapd_sleep", -1, false, false},
	{"on_kswapd_sleep", "mm_vmscan_kswapd_sleep", "kswapd's wake-ups",
	 "on_kswapd_wake", -1, false, false},
	{"on_bio_queue_1", "block_bio_queue", "the price of a read (v5.13+)",
	 NULL, 1, false, false},
	{"on_bio_queue_2", "block_bio_queue", "the price of a read (to v5.12)",
	 NULL, 2, false, false},
	{"on_bio_complete", "block_bio_complete",
	 "the price of a read from zram, dm and md", NULL, 2, false, false},
	{"on_rq_complete", "block_rq_complete",
	 "the price of a read from a disk", NULL, 3, false, false},
	/* The ends first: nothing begins that will not end. */
	{"on_zload_out", "zswap_load", "the price of zswap (v6.6+)",
	 "on_zload_in", 1, false, true},
	{"on_zload_in", "zswap_load", "the price of zswap (v6.6+)",
	 "on_zload_out", 1, false, true},
	{"on_zstore_out", "zswap_store", "the price of zswap (v6.6+)",
	 "on_zstore_in", 1, false, true},
	{"on_zstore_in", "zswap_store", "the price of zswap (v6.6+)",
	 "on_zstore_out", 1, false, true},
	{"on_fload_out", "zswap_frontswap_load", "the price of zswap (to v6.5)",
	 "on_fload_in", 3, false, true},
	{"on_fload_in", "zswap_frontswap_load", "the price of zswap (to v6.5)",
	 "on_fload_out", 3, false, true},
	{"on_fstore_out", "zswap_frontswap_store",
	 "the price of zswap (to v6.5)", "on_fstore_in", 3, false, true},
	{"on_fstore_in", "zswap_frontswap_store",
	 "the price of zswap (to v6.5)", "on_fstore_out", 3, false, true},
};

__printf_like(2, 0) static int print_libbpf(enum libbpf_print_level level,
					    const char *fmt, va_list args)
{
	_cleanup_free_ char *line = NULL;

	/* A verifier's log is long: whole, or not at all. */
	if (level == LIBBPF_DEBUG)
		return 0;
	if (vasprintf(&line, fmt, args) < 0) {
		line = NULL;
		return 0;
	}
	log_debug("libbpf: %s", line);
	return 0;
}

void sense_hush_libbpf(void)
{
	libbpf_set_print(print_libbpf);
}

const char *sense_libbpf_version(void)
{
	/* "v1.1": libbpf knows no patch level of itself. */
	return libbpf_version_string() + 1;
}

/* Arguments of a function's type; -1: it is none. */
static int count_args(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	return type && btf_is_func_proto(type) ? (int)btf_vlen(type) : -1;
}

/* Without the leading data pointer; -1: no such tracepoint. */
static int btf_tracepoint_args(const struct btf *btf, const char *tracepoint)
{
	char name[96];
	const struct btf_type *type;
	int id, count;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	if (id < 0)
		return -1;
	type = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	if (!type || !btf_is_ptr(type))
		return -1;
	count = count_args(btf, type->type);
	return count > 0 ? count - 1 : -1;
}

static int btf_function_args(const struct btf *btf, const char *function)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	return id < 0 ? -1 : count_args(btf, btf__type_by_id(btf, id)->type);
}

static bool btf_function_returns_bool(const struct btf *btf,
				      const char *function)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, id);

	if (type)
		type = btf__type_by_id(btf, type->type);
	if (!type || !btf_is_func_proto(type))
		return false;
	id = btf__resolve_type(btf, type->type);
	type = id < 0 ? NULL : btf__type_by_id(btf, id);
	return type && btf_is_int(type) &&
	       btf_int_encoding(type) & BTF_INT_BOOL;
}

static void judge_signal(const struct btf *btf, const struct signal_spec *spec,
			 struct bpf_signal *ret)
{
	const char *what = spec->is_function ? "function" : "tracepoint";

	*ret = (struct bpf_signal){
		.program = spec->program,
		.tracepoint = spec->tracepoint,
		.gives = spec->gives,
		.is_function = spec->is_function,
		.returns_bool =
			spec->is_function &&
			btf_function_returns_bool(btf, spec->tracepoint),
		.wanted_args = spec->wanted_args,
		.found_args =
			spec->is_function
				? btf_function_args(btf, spec->tracepoint)
				: btf_tracepoint_args(btf, spec->tracepoint),
		.is_essential = spec->is_essential,
	};
	if (ret->found_args < 0)
		snprintf(ret->why, sizeof(ret->why),
			 "this kernel has no such %s", what);
	else if (ret->wanted_args >= 0 && ret->found_args != ret->wanted_args)
		snprintf(ret->why, sizeof(ret->why),
			 "the %s has %d arguments here, not %d", what,
			 ret->found_args, ret->wanted_args);
	else
		ret->is_on = true;
}

struct bpf_signal *sense_find_signal(struct bpf_signal *signals,
				     unsigned int count, const char *program)
{
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(signals[i].program, program))
			return &signals[i];
	return NULL;
}

/* Half a pair would leave tasks marked for ever, or never mark them. */
static void switch_off_halves(const struct signal_spec *from,
			      struct bpf_signal *signals, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct bpf_signal *partner;

		if (!from[i].partner || !signals[i].is_on)
			continue;
		partner = sense_find_signal(signals, count, from[i].partner);
		if (!partner || partner->is_on)
			continue;
		signals[i].is_on = false;
		snprintf(signals[i].why, sizeof(signals[i].why),
			 "useless without %s", from[i].partner);
	}
}

void sense_judge(const struct btf *btf, const struct signal_spec *from,
		 struct bpf_signal *signals, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		judge_signal(btf, &from[i], &signals[i]);
	switch_off_halves(from, signals, count);
}

int sense_open_btf(struct btf **ret, const char *btf_path)
{
	const char *path = btf_path ? btf_path : "/sys/kernel/btf/vmlinux";
	struct btf *btf;

	if (access(path, R_OK))
		return -errno;
	btf = btf__parse(path, NULL);
	if (!btf)
		return -EPROTO;
	*ret = btf;
	return 0;
}

void sense_explain_btf(const char *btf_path, int r, char *error,
		       size_t error_size)
{
	if (r == -EPROTO && btf_path)
		snprintf(error, error_size,
			 "libbpf %s does not understand the BTF in '%s'",
			 sense_libbpf_version(), btf_path);
	else if (r == -EPROTO)
		snprintf(error, error_size,
			 "libbpf %s does not understand this kernel's BTF; "
			 "a newer libbpf is needed",
			 sense_libbpf_version());
	else if (btf_path)
		snprintf(error, error_size, "cannot read the BTF '%s': %s",
			 btf_path, strerror(-r));
	else
		snprintf(error, error_size,
			 "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF); "
			 "kernels of Debian 11+, Fedora, Arch and Ubuntu "
			 "20.10+ have it, or give one with --btf FILE");
}

int sense_probe(const char *btf_path, struct bpf_signal *signals,
		unsigned int *ret_count)
{
	struct btf *btf;
	int r;

	_Static_assert(SWT_ARRAY_SIZE(specs) <= BPF_MAX_SIGNALS, "signals");
	sense_hush_libbpf();
	r = sense_open_btf(&btf, btf_path);
	if (r)
		return r;
	sense_judge(btf, specs, signals, SWT_ARRAY_SIZE(specs));
	*ret_count = SWT_ARRAY_SIZE(specs);
	btf__free(btf);
	return 0;
}
