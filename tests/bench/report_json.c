/* SPDX-License-Identifier: GPL-2.0-only */
/* The figures for programs: everything but the series. */
#include "report_stats.h"

#include <math.h>

/* json_object_set_new refuses NULL, so what memory lacked is told once. */
struct builder {
	bool has_failed;
};

static void put(struct builder *b, json_t *object, const char *key,
		json_t *value)
{
	if (json_object_set_new(object, key, value))
		b->has_failed = true;
}

static void append(struct builder *b, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		b->has_failed = true;
}

/* JSON has no NaN: what does not exist is null. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *times_of(struct builder *b, const struct summary *s, size_t c,
			size_t p)
{
	json_t *times = json_array();

	for (size_t i = 0; i < s->runs->run_count; i++) {
		const struct run *run = &s->runs->runs[i];

		if (summary_cell(s, run->load, run->corner) == c &&
		    summary_policy(s, run->policy) == p)
			append(b, times, json_real(run->time_s));
	}
	return times;
}

static json_t *result_json(struct builder *b, const struct summary *s, size_t c,
			   size_t p)
{
	const struct result *result = summary_result(s, c, p);
	json_t *json = json_object();

	put(b, json, "median_s", real(result->median_s));
	put(b, json, "min_s", real(result->min_s));
	put(b, json, "max_s", real(result->max_s));
	put(b, json, "runs", count(result->count));
	put(b, json, "times_s", times_of(b, s, c, p));
	put(b, json, "regret", real(summary_regret(s, c, p)));
	put(b, json, "time_over_default", real(summary_slowdown(s, c, p)));
	put(b, json, "is_like_default",
	    json_boolean(summary_is_like_default(s, c, p)));
	put(b, json, "is_cut", json_boolean(result->is_cut));
	return json;
}

static json_t *cell_json(struct builder *b, const struct summary *s, size_t c)
{
	const struct cell *cell = &s->cells[c];
	json_t *json = json_object(), *policies = json_object();

	put(b, json, "load", json_string(cell->load));
	put(b, json, "corner", json_string(cell->corner));
	put(b, json, "best_fixed",
	    cell->best == NONE ? json_null()
			       : json_string(s->policies[cell->best].name));
	for (size_t p = 0; p < s->policy_count; p++) {
		if (summary_result(s, c, p))
			put(b, policies, s->policies[p].name,
			    result_json(b, s, c, p));
	}
	put(b, json, "policies", policies);
	return json;
}

static json_t *policy_json(struct builder *b, const struct summary *s,
			   const struct policy *policy)
{
	json_t *json = json_object();

	put(b, json, "policy", json_string(policy->name));
	put(b, json, "cells", count(policy->cell_count));
	put(b, json, "geometric_mean_regret", real(policy->mean_regret));
	put(b, json, "worst_regret", real(policy->worst_regret));
	if (policy->worst_cell != NONE) {
		const struct cell *cell = &s->cells[policy->worst_cell];

		put(b, json, "worst_load", json_string(cell->load));
		put(b, json, "worst_corner", json_string(cell->corner));
	}
	return json;
}

static json_t *target_json(struct builder *b, const struct summary *s,
			   const struct target *target, const char *law)
{
	static const char *const kinds[_TARGET_MAX] = {
		[TARGET_MEAN_REGRET] = "geometric_mean_regret_at_most",
		[TARGET_WORST_REGRET] = "worst_regret_at_most",
		[TARGET_SPEEDUP] = "speedup_over_default_at_least",
		[TARGET_SLOWDOWN] = "time_over_default_at_most",
	};
	double measured = target_measure(target, s, law);
	json_t *json = json_object();

	put(b, json, "policy", json_string(law));
	put(b, json, "target", json_string(kinds[target->kind]));
	put(b, json, "limit", json_real(target->limit));
	if (target->load) {
		put(b, json, "load", json_string(target->load));
		put(b, json, "corner", json_string(target->corner));
	}
	put(b, json, "measured", real(measured));
	put(b, json, "verdict", json_string(target_verdict(target, measured)));
	return json;
}

static json_t *note_json(struct builder *b, const struct note *note)
{
	json_t *json = json_object();

	put(b, json, "is_failure", json_boolean(note->is_failure));
	put(b, json, "load", json_string(note->load));
	put(b, json, "corner", json_string(note->corner));
	if (*note->policy)
		put(b, json, "policy", json_string(note->policy));
	if (note->is_failure)
		put(b, json, "round", json_integer(note->round));
	put(b, json, "times", count(note->times));
	put(b, json, "reason", json_string(note->reason));
	return json;
}

json_t *report_json(const struct summary *s)
{
	struct builder b = {false};
	json_t *json = json_object(), *cells = json_array();
	json_t *policies = json_array(), *goals = json_array();
	json_t *notes = json_array();

	for (size_t c = 0; c < s->cell_count; c++)
		append(&b, cells, cell_json(&b, s, c));
	for (size_t p = 0; p < s->policy_count; p++)
		append(&b, policies, policy_json(&b, s, &s->policies[p]));
	for (size_t t = 0; t < target_count * JUDGED_COUNT; t++)
		append(&b, goals,
		       target_json(&b, s, &targets[t / JUDGED_COUNT],
				   judged_laws[t % JUDGED_COUNT]));
	for (size_t n = 0; n < s->runs->note_count; n++)
		append(&b, notes, note_json(&b, &s->runs->notes[n]));
	put(&b, json, "header", json_incref(s->runs->header));
	put(&b, json, "runs", count(s->runs->run_count));
	put(&b, json, "policies", policies);
	put(&b, json, "targets", goals);
	put(&b, json, "cells", cells);
	put(&b, json, "not_measured", notes);
	if (!b.has_failed)
		return json;
	json_decref(json);
	return NULL;
}
