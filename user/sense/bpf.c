/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/bpf.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "report/log.h"
#include "sense/bpf_private.h"
#include "sense/proc.h"

/* The maps that are pinned, in the order they are pinned. */
static const char *const pinned_maps[] = {"reclaim", "law", "targets", "lost",
					  "cost"};

static const char *explain_load(int r)
{
	switch (-r) {
	case EPERM:
		return "not permitted: CAP_BPF and CAP_PERFMON are needed "
		       "(CAP_SYS_ADMIN before v5.8), no kernel lockdown, and "
		       "before v5.11 a larger RLIMIT_MEMLOCK; 'swaptend check' "
		       "tells which";
	case EACCES:
		return "the verifier or a security module refused it; "
		       "'swaptend check' tells more, --verbose shows the log";
	case ENOMEM:
		return "no memory for the maps; lower the number of groups or "
		       "raise the limit of the cgroup swaptend is in";
	case ESRCH:
		return "this kernel's BTF lacks a type that is needed";
	default:
		return "'swaptend check' tells what this kernel lacks";
	}
}

bool sense_is_locked_down(char *error, size_t error_size)
{
	const struct sense_root root = {""};

	if (!proc_is_confidential(&root))
		return false;
	snprintf(error, error_size,
		 "kernel lockdown (confidentiality): no BPF program may read "
		 "the kernel's memory; boot with lockdown=integrity, or "
		 "without");
	return true;
}

static int configure(struct sense_bpf *sense, const struct bpf_options *options)
{
	struct swaptend_bpf *skeleton = sense->skeleton;
	int r;

	for (unsigned int i = 0; i < sense->signal_count; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(
			skeleton->obj, sense->signals[i].program);

		if (!program)
			return -ENOENT;
		r = bpf_program__set_autoload(program, sense->signals[i].is_on);
		if (r)
			return r;
	}
	skeleton->data->cfg_interval_ns =
		(uint64_t)options->interval_ms * 1000000;
	skeleton->rodata->cfg_load_is_bool =
		sense_find_signal(sense->signals, sense->signal_count,
				  "on_zload_out")
			->returns_bool;
	r = bpf_map__set_max_entries(skeleton->maps.reclaim,
				     options->max_groups + 1);
	if (!r)
		r = bpf_map__set_max_entries(skeleton->maps.targets,
					     options->max_groups);
	return r;
}

static int attach(struct sense_bpf *sense, char *error, size_t error_size)
{
	for (unsigned int i = 0; i < sense->signal_count; i++) {
		struct bpf_signal *signal = &sense->signals[i];
		int r;

		/* Functions: sense_set_zswap(). */
		if (!signal->is_on || signal->is_function)
			continue;
		sense->links[i] =
			bpf_program__attach(bpf_object__find_program_by_name(
				sense->skeleton->obj, signal->program));
		if (sense->links[i])
			continue;
		r = -errno;
		signal->is_on = false;
		snprintf(signal->why, sizeof(signal->why),
			 "the kernel refused to attach it: %s", strerror(-r));
		if (signal->is_essential) {
			snprintf(error, error_size, "cannot attach %s: %s",
				 signal->tracepoint, strerror(-r));
			return r;
		}
	}
	return 0;
}

static int ring_rung(void *context, void *data, size_t size)
{
	struct sense_bpf *sense = context;

	(void)data; /* it only wakes; control reads the maps */
	(void)size;
	return sense->on_ring ? sense->on_ring(sense->ring_context) : 0;
}

/* Left by a crashed or older run: the caller holds the instance lock. */
static void remove_pins(const char *dir)
{
	static const char *const of_tlb[] = TLB_PINNED_MAPS;

	sense_unpin(dir, of_tlb, SWT_ARRAY_SIZE(of_tlb));
	sense_unpin(dir, pinned_maps, SWT_ARRAY_SIZE(pinned_maps));
}

static void describe_stale(const char *dir)
{
	struct pins *old;
	struct swt_law law;
	int r = pins_open(&old, dir);

	if (r == -EPROTO) {
		log_info("replacing the maps pinned in %s: their layout is "
			 "not that of ABI %d",
			 dir, SWT_ABI_VERSION);
	} else if (!r) {
		if (!pins_read_law(old, &law))
			log_info("replacing the maps that pid %u left pinned "
				 "in %s",
				 law.pid, dir);
		pins_close(old);
	}
}

static int pin_maps(struct sense_bpf *sense, const char *dir)
{
	describe_stale(dir);
	remove_pins(dir);
	if (mkdir(dir, 0700))
		return -errno;
	return sense_pin(sense->skeleton->obj, dir, pinned_maps,
			 SWT_ARRAY_SIZE(pinned_maps));
}

/* Pinning is a convenience: without it control goes on. */
static void try_pin(struct sense_bpf *sense, const char *dir)
{
	int r;

	if (!dir)
		return;
	if (!sense_can_pin(dir)) {
		snprintf(sense->pin_error, sizeof(sense->pin_error),
			 "%.100s is not in a bpf file system; "
			 "mount -t bpf bpf /sys/fs/bpf",
			 dir);
		return;
	}
	r = pin_maps(sense, dir);
	if (!r)
		sense->pin_dir = strdup(dir);
	else
		snprintf(sense->pin_error, sizeof(sense->pin_error),
			 "cannot pin below %.100s: %s", dir, strerror(-r));
}

/* Of the two maps that remember who reclaims, one stays unmade. */
static int choose_runs(struct swaptend_bpf *skeleton, bool has_task_storage)
{
	skeleton->rodata->cfg_has_task_storage = has_task_storage;
	return bpf_map__set_autocreate(has_task_storage
					       ? skeleton->maps.thread_runs
					       : skeleton->maps.task_runs,
				       false);
}

static int try_load(struct sense_bpf *sense, const struct bpf_options *options,
		    bool has_task_storage)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts);
	int r;

	open_opts.btf_custom_path = options->btf_path;
	swaptend_bpf__destroy(sense->skeleton);
	sense->skeleton = swaptend_bpf__open_opts(&open_opts);
	if (!sense->skeleton)
		return -errno;
	r = configure(sense, options);
	if (!r)
		r = choose_runs(sense->skeleton, has_task_storage);
	return r ? r : swaptend_bpf__load(sense->skeleton);
}

/* Those of functions alone, or all. */
static void switch_off_prices(struct sense_bpf *sense, bool are_all, int r)
{
	for (unsigned int i = 0; i < sense->signal_count; i++) {
		struct bpf_signal *signal = &sense->signals[i];
		bool is_of_block = !strncmp(signal->tracepoint, "block_", 6);

		if (!signal->is_on ||
		    !(signal->is_function || (are_all && is_of_block)))
			continue;
		signal->is_on = false;
		snprintf(signal->why, sizeof(signal->why),
			 "the programs did not load with it: %s", strerror(-r));
	}
}

/* v5.11 has the map of task storage, but not for tracing. */
static int load_either(struct sense_bpf *sense,
		       const struct bpf_options *options, bool has_task_storage)
{
	int r = try_load(sense, options, has_task_storage);

	if (r && r != -EPERM && has_task_storage)
		r = try_load(sense, options, false);
	return r;
}

static int load(struct sense_bpf *sense, const struct bpf_options *options,
		char *error, size_t error_size)
{
	bool has_task_storage =
		!options->no_task_storage &&
		libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL) == 1;
	int r = load_either(sense, options, has_task_storage);

	/* Functions may be off limits where the rest is not. */
	if (r && sense_has_functions(sense)) {
		switch_off_prices(sense, false, r);
		r = load_either(sense, options, has_task_storage);
	}
	/* Control without prices is better than none. */
	if (r && r != -EPERM && r != -ENOMEM) {
		switch_off_prices(sense, true, r);
		r = load_either(sense, options, has_task_storage);
	}
	if (r && sense_is_locked_down(error, error_size))
		return -ENOTSUP;
	if (r)
		snprintf(error, error_size, "cannot load the BPF programs: %s",
			 explain_load(r));
	return r;
}

static int start(struct sense_bpf *sense, const struct bpf_options *options,
		 char *error, size_t error_size)
{
	int r = load(sense, options, error, error_size);

	if (r)
		return r;
	sense->cpu_count = libbpf_num_possible_cpus();
	if (sense->cpu_count > 0)
		sense->row_by_cpu = calloc((size_t)sense->cpu_count,
					   sizeof(*sense->row_by_cpu));
	sense->ring =
		ring_buffer__new(bpf_map__fd(sense->skeleton->maps.doorbell),
				 ring_rung, sense, NULL);
	if (!sense->row_by_cpu || !sense->ring) {
		snprintf(error, error_size, "no memory for reading the maps");
		return -ENOMEM;
	}
	r = sense_make_system_row(sense);
	if (r) {
		snprintf(error, error_size, "cannot write to the maps: %s",
			 strerror(-r));
		return r;
	}
	try_pin(sense, options->pin_dir);
	return attach(sense, error, error_size);
}

static int probe_or_explain(struct sense_bpf *sense,
			    const struct bpf_options *options, char *error,
			    size_t error_size)
{
	const struct bpf_signal *passes;
	int r = sense_probe(options->btf_path, sense->signals,
			    &sense->signal_count);

	if (r)
		sense_explain_btf(options->btf_path, r, error, error_size);
	if (r)
		return r == -EPROTO ? r : -ENOENT;
	passes = sense_find_signal(sense->signals, sense->signal_count,
				   "on_shrink_inact");
	if (passes->is_on)
		return 0;
	snprintf(error, error_size, "mm_vmscan_lru_shrink_inactive: %s",
		 passes->why);
	return -ENOTSUP;
}

int sense_open(struct sense_bpf **ret, const struct bpf_options *options,
	       char *error, size_t error_size)
{
	struct sense_bpf *sense = calloc(1, sizeof(*sense));
	int r;

	if (!sense) {
		snprintf(error, error_size, "no memory");
		return -ENOMEM;
	}
	sense->on_ring = options->on_ring;
	sense->ring_context = options->ring_context;
	sense_hush_libbpf();
	r = probe_or_explain(sense, options, error, error_size);
	if (!r) {
		sense_raise_memlock();
		r = start(sense, options, error, error_size);
	}
	if (r) {
		sense_close(sense);
		return r;
	}
	/* libbpf had the kernel's BTF in memory, 9 MiB that are free now. */
	malloc_trim(0);
	*ret = sense;
	return 0;
}

void sense_close(struct sense_bpf *sense)
{
	if (!sense)
		return;
	for (size_t i = 0; i < sense->signal_count; i++)
		bpf_link__destroy(sense->links[i]);
	if (sense->pin_dir)
		remove_pins(sense->pin_dir);
	ring_buffer__free(sense->ring);
	swaptend_bpf__destroy(sense->skeleton);
	free(sense->pin_dir);
	free(sense->row_by_cpu);
	free(sense);
}
