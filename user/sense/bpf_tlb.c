/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/bpf_tlb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "report/log.h"
#include "sense/bpf_tlb_private.h"

static const char *const pinned_maps[] = TLB_PINNED_MAPS;

static const char *const of_function[] = {"on_flush_in", "on_flush_out",
					  "on_remote_in", "on_remote_out"};
static const char *const of_interrupt[] = {"on_call_in", "on_call_out",
					   "on_single_in", "on_single_out"};

static void switch_off_all(struct tlb_bpf *tlb, const char *const names[4],
			   const char *why)
{
	for (size_t i = 0; i < 4; i++)
		tlb_switch_off(tlb, names[i], why);
}

/*
 * Reasons that are told by the CPU that flushes for another: in an interrupt,
 * whose task has nothing to do with it.
 */
static uint32_t receiver_reasons(const struct tlb_reasons *reasons)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < SWT_NR_TLB_REASONS; i++)
		if (!strcmp(reasons->name[i], "TLB_REMOTE_SHOOTDOWN") ||
		    !strcmp(reasons->name[i], "TLB_REMOTE_WRONG_CPU"))
			mask |= 1u << i;
	return mask;
}

static int configure(struct tlb_bpf *tlb, const struct tlb_bpf_options *options,
		     bool has_task_storage)
{
	struct tlb_skel *skeleton = tlb->skeleton;
	struct bpf_map *unused = has_task_storage ? skeleton->maps.thread_phases
						  : skeleton->maps.task_phases;
	int r = 0;

	for (unsigned int i = 0; !r && i < tlb->signal_count; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(
			skeleton->obj, tlb->signals[i].program);

		r = program ? bpf_program__set_autoload(program,
							tlb->signals[i].is_on)
			    : -ENOENT;
	}
	skeleton->rodata->cfg_has_task_storage = has_task_storage;
	skeleton->rodata->cfg_send_reason = tlb->reasons.remote_send;
	skeleton->rodata->cfg_skipped_reason =
		options->with_task_switch ? -1 : tlb->reasons.task_switch;
	skeleton->rodata->cfg_receiver_reasons =
		receiver_reasons(&tlb->reasons);
	skeleton->data->has_swap = options->has_swap;
	if (!r)
		r = bpf_map__set_autocreate(unused, false);
	if (!r)
		r = bpf_map__set_max_entries(skeleton->maps.sending,
					     (uint32_t)tlb->cpu_count);
	return r;
}

static int try_load(struct tlb_bpf *tlb, const struct tlb_bpf_options *options,
		    bool has_task_storage)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts);
	int r;

	open_opts.btf_custom_path = options->btf_path;
	tlb_skel__destroy(tlb->skeleton);
	tlb->skeleton = tlb_skel__open_opts(&open_opts);
	if (!tlb->skeleton)
		return -errno;
	r = configure(tlb, options, has_task_storage);
	return r ? r : tlb_skel__load(tlb->skeleton);
}

/* v5.11 has task storage, but not for tracing; functions may be off limits. */
static int load(struct tlb_bpf *tlb, const struct tlb_bpf_options *options)
{
	bool has_task_storage =
		libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
	int first, r = try_load(tlb, options, has_task_storage);

	first = r;
	if (r && has_task_storage)
		r = try_load(tlb, options, false);
	if (!r)
		return 0;
	switch_off_all(tlb, of_function, strerror(-first));
	r = try_load(tlb, options, has_task_storage);
	if (r && has_task_storage)
		r = try_load(tlb, options, false);
	return r;
}

static void detach(struct tlb_bpf *tlb, const char *program)
{
	for (unsigned int i = 0; i < tlb->signal_count; i++)
		if (!strcmp(tlb->signals[i].program, program)) {
			bpf_link__destroy(tlb->links[i]);
			tlb->links[i] = NULL;
		}
}

static void attach_one(struct tlb_bpf *tlb, unsigned int i)
{
	struct bpf_signal *signal = &tlb->signals[i];
	struct bpf_program *program = bpf_object__find_program_by_name(
		tlb->skeleton->obj, signal->program);

	if (!signal->is_on || tlb->links[i])
		return;
	tlb->links[i] = bpf_program__attach(program);
	if (tlb->links[i])
		return;
	signal->is_on = false;
	snprintf(signal->why, sizeof(signal->why),
		 "the kernel refused to attach it: %s", strerror(errno));
}

static bool is_one_of(const char *name, const char *const names[4])
{
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void attach_set(struct tlb_bpf *tlb, const char *const names[4])
{
	for (unsigned int i = 0; i < tlb->signal_count; i++)
		if (is_one_of(tlb->signals[i].program, names))
			attach_one(tlb, i);
}

/* Half a pair would see begins without ends. */
static void drop_half(struct tlb_bpf *tlb, const char *in, const char *out)
{
	if (tlb_has(tlb, in, out))
		return;
	detach(tlb, in);
	detach(tlb, out);
	tlb_switch_off(tlb, in, tlb_why_off(tlb, out));
	tlb_switch_off(tlb, out, tlb_why_off(tlb, in));
}

/* The exact way, or else the other; never both, they would count twice. */
static void attach_receive(struct tlb_bpf *tlb)
{
	attach_set(tlb, of_function);
	drop_half(tlb, "on_flush_in", "on_flush_out");
	drop_half(tlb, "on_remote_in", "on_remote_out");
	tlb->receive = tlb_receive_by(tlb);
	if (tlb->receive == TLB_RECEIVE_FLUSH_FUNC) {
		switch_off_all(tlb, of_interrupt, "not needed");
		return;
	}
	attach_set(tlb, of_interrupt);
	drop_half(tlb, "on_call_in", "on_call_out");
	drop_half(tlb, "on_single_in", "on_single_out");
	tlb->receive = tlb_receive_by(tlb);
}

/* A list's phase ends with its own event: aging would never, without. */
static void drop_endless(struct tlb_bpf *tlb)
{
	static const char *const ends[] = {"on_shrink_inact", "on_shrink_act"};
	static const char *const begins[] = {"on_isolate_7", "on_isolate_8"};

	for (size_t i = 0; i < SWT_ARRAY_SIZE(ends); i++) {
		if (tlb_has(tlb, ends[i], ends[i]))
			continue;
		for (size_t j = 0; j < SWT_ARRAY_SIZE(begins); j++) {
			detach(tlb, begins[j]);
			tlb_switch_off(tlb, begins[j],
				       tlb_why_off(tlb, ends[i]));
		}
	}
}

static void attach(struct tlb_bpf *tlb)
{
	attach_receive(tlb);
	for (unsigned int i = 0; i < tlb->signal_count; i++)
		if (!is_one_of(tlb->signals[i].program, of_function) &&
		    !is_one_of(tlb->signals[i].program, of_interrupt))
			attach_one(tlb, i);
	drop_endless(tlb);
	drop_half(tlb, "on_direct_begin", "on_direct_end");
	drop_half(tlb, "on_memcg_begin", "on_memcg_end");
	drop_half(tlb, "on_node_begin", "on_node_end");
}

static bool has_anything(const struct tlb_bpf *tlb)
{
	return tlb_bpf_has_flushes(tlb) || tlb->receive != TLB_RECEIVE_NONE;
}

/* Pinning is a convenience: counting goes on without. */
static void try_pin(struct tlb_bpf *tlb, const struct tlb_bpf_options *options)
{
	const char *dir = options->pin_dir;
	int r = 0;

	if (!dir)
		return;
	sense_unpin(dir, pinned_maps, SWT_ARRAY_SIZE(pinned_maps));
	if (!sense_can_pin(dir))
		r = -EMEDIUMTYPE;
	/* There already: the controller's. */
	else if (mkdir(dir, 0700) && errno != EEXIST)
		r = -errno;
	if (!r)
		r = tlb_describe(tlb, options);
	if (!r)
		r = sense_pin(tlb->skeleton->obj, dir, pinned_maps,
			      SWT_ARRAY_SIZE(pinned_maps));
	if (r)
		tlb_note_missing(tlb, "nothing is pinned: %.100s: %s", dir,
				 r == -EMEDIUMTYPE ? "not in a bpf file system"
						   : strerror(-r));
	else
		tlb->pin_dir = strdup(dir);
}

static int probe_or_explain(struct tlb_bpf *tlb,
			    const struct tlb_bpf_options *options, char *error,
			    size_t error_size)
{
	int r = tlb_probe(tlb, options->btf_path);

	if (r)
		sense_explain_btf(options->btf_path, r, error, error_size);
	if (options->receive_wanted < TLB_RECEIVE_FLUSH_FUNC)
		switch_off_all(tlb, of_function, "not wanted");
	if (options->receive_wanted < TLB_RECEIVE_CALL)
		switch_off_all(tlb, of_interrupt, "not wanted");
	return r;
}

static int start(struct tlb_bpf *tlb, const struct tlb_bpf_options *options,
		 char *error, size_t error_size)
{
	int r = probe_or_explain(tlb, options, error, error_size);

	if (r)
		return r;
	sense_raise_memlock();
	r = load(tlb, options);
	if (r && sense_is_locked_down(error, error_size))
		return -ENOTSUP;
	if (r) {
		snprintf(error, error_size,
			 "cannot load the BPF programs: %s; 'swaptend check' "
			 "tells what is missing",
			 strerror(-r));
		return r;
	}
	attach(tlb);
	if (!has_anything(tlb)) {
		snprintf(error, error_size, "tlb_flush: %s",
			 tlb_why_off(tlb, "on_tlb_flush"));
		return -ENOTSUP;
	}
	tlb_explain_missing(tlb, options->receive_wanted);
	tlb->counts_fd = bpf_map__fd(tlb->skeleton->maps.tlb);
	tlb->senders_fd = bpf_map__fd(tlb->skeleton->maps.tlb_senders);
	try_pin(tlb, options);
	return 0;
}

static int share_or_start(struct tlb_bpf *tlb,
			  const struct tlb_bpf_options *options, char *error,
			  size_t error_size)
{
	int r = options->shared_dir ? tlb_open_shared(tlb, options) : -ENOENT;

	if (!r)
		return 0;
	if (r != -ENOENT)
		log_debug("the maps pinned in %s are not read: %s",
			  options->shared_dir, strerror(-r));
	return start(tlb, options, error, error_size);
}

int tlb_bpf_open(struct tlb_bpf **ret, const struct tlb_bpf_options *options,
		 char *error, size_t error_size)
{
	struct tlb_bpf *tlb = calloc(1, sizeof(*tlb));
	int r;

	if (!tlb) {
		snprintf(error, error_size, "no memory");
		return -ENOMEM;
	}
	tlb->stats_fd = tlb->counts_fd = tlb->senders_fd = -1;
	sense_hush_libbpf();
	tlb->cpu_count = libbpf_num_possible_cpus();
	r = tlb->cpu_count < 0 ? tlb->cpu_count : 0;
	if (r)
		snprintf(error, error_size, "cannot tell how many CPUs: %s",
			 strerror(-r));
	else
		r = share_or_start(tlb, options, error, error_size);
	if (r) {
		tlb_bpf_close(tlb);
		return r;
	}
	*ret = tlb;
	return 0;
}

void tlb_bpf_close(struct tlb_bpf *tlb)
{
	if (!tlb)
		return;
	for (unsigned int i = 0; i < tlb->signal_count; i++)
		bpf_link__destroy(tlb->links[i]);
	if (tlb->pin_dir)
		sense_unpin(tlb->pin_dir, pinned_maps,
			    SWT_ARRAY_SIZE(pinned_maps));
	util_close_fd(&tlb->stats_fd);
	tlb_close_shared(tlb);
	tlb_skel__destroy(tlb->skeleton);
	free(tlb->pin_dir);
	free(tlb);
}
