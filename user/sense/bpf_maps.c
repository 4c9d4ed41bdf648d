/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading and writing the maps, of our own object or as others pinned them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "sense/bpf_private.h"

struct pins {
	int reclaim_fd, law_fd, targets_fd, lost_fd, cost_fd;
	struct swt_reclaim *row_by_cpu; /* one per possible CPU */
	int cpu_count;
};

/* swt_reclaim is nothing but u64 counters and, last, two times. */
#define ROW_WORDS (sizeof(struct swt_reclaim) / sizeof(uint64_t))

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add_row(struct swt_reclaim *sum, const struct swt_reclaim *row)
{
	const uint64_t *from = (const uint64_t *)row;
	uint64_t *to = (uint64_t *)sum;
	uint64_t latest_ns = later(sum->last_pass_ns, row->last_pass_ns);
	uint64_t latest_jiffies =
		later(sum->last_pass_jiffies, row->last_pass_jiffies);

	for (size_t i = 0; i < ROW_WORDS; i++)
		to[i] += from[i];
	sum->last_pass_ns = latest_ns;
	sum->last_pass_jiffies = latest_jiffies;
}

static int read_row(int map_fd, struct swt_reclaim *row_by_cpu, int cpu_count,
		    uint64_t cgroup_id, struct swt_reclaim *ret)
{
	struct swt_reclaim sum = {0};
	int r = bpf_map_lookup_elem(map_fd, &cgroup_id, row_by_cpu);

	if (!r)
		for (int cpu = 0; cpu < cpu_count; cpu++)
			add_row(&sum, &row_by_cpu[cpu]);
	if (r && r != -ENOENT)
		return r;
	*ret = sum;
	return r;
}

static int read_lost(int map_fd, int cpu_count, uint64_t ret[SWT_NR_LOST])
{
	_cleanup_free_ uint64_t *by_cpu =
		calloc((size_t)cpu_count, sizeof(*by_cpu));

	if (!by_cpu)
		return -ENOMEM;
	for (uint32_t reason = 0; reason < SWT_NR_LOST; reason++) {
		int r = bpf_map_lookup_elem(map_fd, &reason, by_cpu);

		if (r)
			return r;
		ret[reason] = 0;
		for (int cpu = 0; cpu < cpu_count; cpu++)
			ret[reason] += by_cpu[cpu];
	}
	return 0;
}

/* swt_cost is nothing but u64 counters. */
#define COST_WORDS (sizeof(struct swt_cost) / sizeof(uint64_t))

static int read_cost(int map_fd, const struct swt_cost *by_cpu, int cpu_count,
		     uint32_t dev, struct sense_cost *ret)
{
	uint64_t *to = (uint64_t *)&ret->cost;
	int r = bpf_map_lookup_elem(map_fd, &dev, (void *)by_cpu);

	if (r)
		return r;
	*ret = (struct sense_cost){.dev = dev};
	for (int cpu = 0; cpu < cpu_count; cpu++)
		for (size_t i = 0; i < COST_WORDS; i++)
			to[i] += ((const uint64_t *)&by_cpu[cpu])[i];
	return 0;
}

static int read_costs(int map_fd, int cpu_count,
		      struct sense_cost ret[SENSE_MAX_COSTS],
		      unsigned int *ret_count)
{
	_cleanup_free_ struct swt_cost *by_cpu =
		calloc((size_t)cpu_count, sizeof(*by_cpu));
	uint32_t dev, *from = NULL;
	unsigned int count = 0;

	if (!by_cpu)
		return -ENOMEM;
	while (count < SENSE_MAX_COSTS &&
	       !bpf_map_get_next_key(map_fd, from, &dev)) {
		from = &dev;
		count +=
			!read_cost(map_fd, by_cpu, cpu_count, dev, &ret[count]);
	}
	*ret_count = count;
	return 0;
}

unsigned int sense_signals(const struct sense_bpf *sense,
			   const struct bpf_signal **ret)
{
	*ret = sense->signals;
	return sense->signal_count;
}

const char *sense_pin_error(const struct sense_bpf *sense)
{
	return sense->pin_error;
}

int sense_ring_fd(const struct sense_bpf *sense)
{
	return ring_buffer__epoll_fd(sense->ring);
}

int sense_read_ring(struct sense_bpf *sense)
{
	int r = ring_buffer__consume(sense->ring);

	return r < 0 ? r : 0;
}

int sense_read_group(struct sense_bpf *sense, uint64_t cgroup_id,
		     struct swt_reclaim *ret)
{
	return read_row(bpf_map__fd(sense->skeleton->maps.reclaim),
			sense->row_by_cpu, sense->cpu_count, cgroup_id, ret);
}

int sense_read_lost(struct sense_bpf *sense, uint64_t ret[SWT_NR_LOST])
{
	return read_lost(bpf_map__fd(sense->skeleton->maps.lost),
			 sense->cpu_count, ret);
}

int sense_read_costs(struct sense_bpf *sense,
		     struct sense_cost ret[SENSE_MAX_COSTS],
		     unsigned int *ret_count)
{
	return read_costs(bpf_map__fd(sense->skeleton->maps.cost),
			  sense->cpu_count, ret, ret_count);
}

void sense_forget_cost(struct sense_bpf *sense, uint32_t dev)
{
	/* Absent already is as good. */
	(void)bpf_map_delete_elem(bpf_map__fd(sense->skeleton->maps.cost),
				  &dev);
}

void sense_set_swap_devices(struct sense_bpf *sense, const uint32_t *devs,
			    unsigned int count)
{
	int fd = bpf_map__fd(sense->skeleton->maps.swap_devices);
	uint32_t one = 1, dev;

	while (!bpf_map_get_next_key(fd, NULL, &dev) &&
	       !bpf_map_delete_elem(fd, &dev))
		;
	/* Full: a device that is told by its pages alone. */
	for (unsigned int i = 0; i < count; i++)
		(void)bpf_map_update_elem(fd, &devs[i], &one, BPF_ANY);
}

int sense_make_system_row(struct sense_bpf *sense)
{
	uint64_t id = SWT_SYSTEM_ID;

	/* row_by_cpu is all zeros: nothing was read into it yet. */
	return bpf_map_update_elem(bpf_map__fd(sense->skeleton->maps.reclaim),
				   &id, sense->row_by_cpu, BPF_ANY);
}

void sense_forget_group(struct sense_bpf *sense, uint64_t cgroup_id)
{
	/* Absent already is as good. */
	(void)bpf_map_delete_elem(bpf_map__fd(sense->skeleton->maps.reclaim),
				  &cgroup_id);
}

void sense_set_swap(struct sense_bpf *sense, bool has_swap)
{
	sense->skeleton->data->has_swap = has_swap;
}

void sense_set_interval(struct sense_bpf *sense, uint32_t interval_ms)
{
	sense->skeleton->data->cfg_interval_ns =
		(uint64_t)interval_ms * 1000000;
}

void sense_drop_groups(struct sense_bpf *sense,
		       bool (*is_kept)(uint64_t cgroup_id, void *context),
		       void *context)
{
	int fd = bpf_map__fd(sense->skeleton->maps.reclaim);
	uint64_t id, next;
	uint64_t *from = NULL; /* the first key */

	while (!bpf_map_get_next_key(fd, from, &next)) {
		if (from && id != SWT_SYSTEM_ID && !is_kept(id, context))
			(void)bpf_map_delete_elem(fd, &id);
		id = next;
		from = &id;
	}
	if (from && id != SWT_SYSTEM_ID && !is_kept(id, context))
		(void)bpf_map_delete_elem(fd, &id);
}

int sense_publish(struct sense_bpf *sense, uint64_t cgroup_id,
		  const struct swt_law *law)
{
	uint32_t zero = 0;

	if (cgroup_id == SWT_SYSTEM_ID)
		return bpf_map_update_elem(
			bpf_map__fd(sense->skeleton->maps.law), &zero, law,
			BPF_ANY);
	return bpf_map_update_elem(bpf_map__fd(sense->skeleton->maps.targets),
				   &cgroup_id, law, BPF_ANY);
}

void sense_unpublish(struct sense_bpf *sense, uint64_t cgroup_id)
{
	(void)bpf_map_delete_elem(bpf_map__fd(sense->skeleton->maps.targets),
				  &cgroup_id);
}

static int open_all_pins(struct pins *pins, const char *dir)
{
	struct swt_law law;
	int r = sense_open_pin(dir, "law", sizeof(struct swt_law),
			       &pins->law_fd);

	if (!r)
		r = sense_open_pin(dir, "targets", sizeof(struct swt_law),
				   &pins->targets_fd);
	if (!r)
		r = sense_open_pin(dir, "reclaim", sizeof(struct swt_reclaim),
				   &pins->reclaim_fd);
	if (!r)
		r = sense_open_pin(dir, "lost", sizeof(uint64_t),
				   &pins->lost_fd);
	if (!r)
		r = sense_open_pin(dir, "cost", sizeof(struct swt_cost),
				   &pins->cost_fd);
	if (!r)
		r = pins_read_law(pins, &law);
	if (!r && law.abi_version != SWT_ABI_VERSION)
		r = -EPROTO;
	return r;
}

int pins_open(struct pins **ret, const char *pin_dir)
{
	struct pins *pins = calloc(1, sizeof(*pins));
	int r = -ENOMEM;

	if (!pins)
		return r;
	pins->reclaim_fd = pins->law_fd = -1;
	pins->targets_fd = pins->lost_fd = pins->cost_fd = -1;
	pins->cpu_count = libbpf_num_possible_cpus();
	if (pins->cpu_count > 0)
		pins->row_by_cpu = calloc((size_t)pins->cpu_count,
					  sizeof(*pins->row_by_cpu));
	if (pins->row_by_cpu)
		r = open_all_pins(pins, pin_dir);
	if (r) {
		pins_close(pins);
		return r;
	}
	*ret = pins;
	return 0;
}

void pins_close(struct pins *pins)
{
	if (!pins)
		return;
	util_close_fd(&pins->reclaim_fd);
	util_close_fd(&pins->law_fd);
	util_close_fd(&pins->targets_fd);
	util_close_fd(&pins->lost_fd);
	util_close_fd(&pins->cost_fd);
	free(pins->row_by_cpu);
	free(pins);
}

int pins_read_law(struct pins *pins, struct swt_law *ret)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(pins->law_fd, &zero, ret);
}

int pins_read_group(struct pins *pins, uint64_t cgroup_id,
		    struct swt_reclaim *ret)
{
	return read_row(pins->reclaim_fd, pins->row_by_cpu, pins->cpu_count,
			cgroup_id, ret);
}

int pins_read_lost(struct pins *pins, uint64_t ret[SWT_NR_LOST])
{
	return read_lost(pins->lost_fd, pins->cpu_count, ret);
}

int pins_read_costs(struct pins *pins, struct sense_cost ret[SENSE_MAX_COSTS],
		    unsigned int *ret_count)
{
	return read_costs(pins->cost_fd, pins->cpu_count, ret, ret_count);
}

int pins_next_target(struct pins *pins, uint64_t *id, struct swt_law *ret)
{
	uint64_t next;

	/* A row may go away between the two calls: take the next one. */
	while (!bpf_map_get_next_key(pins->targets_fd, *id ? id : NULL,
				     &next)) {
		*id = next;
		if (!bpf_map_lookup_elem(pins->targets_fd, &next, ret))
			return 1;
	}
	return 0;
}
