/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules between settings. */
#include "config_private.h"

#include <errno.h>

static int inherit(int own, int global)
{
	return own == CONFIG_INHERIT ? global : own;
}

/* Is `value` a number that is above `limit`?  Both words are negative. */
static bool is_above(int value, int limit)
{
	return value >= 0 && limit >= 0 && value > limit;
}

/*
 * A base or top of 0 means "as low as the floor lets it": whoever asks for
 * the base of 2002 has not thereby asked for the floor to go.
 */
static bool is_below_floor(int value, int floor)
{
	return value > 0 && value < floor;
}

/* Looks at one level's own base and top against the limits in force there. */
static bool find_in(const struct target_config *own, int min, int max,
		    struct config_conflict *ret)
{
	const struct {
		const char *key;
		int value;
	} ends[] = {{"base", own->base}, {"top", own->top}};

	if (is_above(min, max)) {
		*ret = (struct config_conflict){
			own, {"min", "max"}, {min, max}, true};
		return true;
	}
	for (size_t i = 0; i < SWT_ARRAY_SIZE(ends); i++) {
		const char *key = ends[i].key;
		int value = ends[i].value;

		if (is_above(value, max)) {
			*ret = (struct config_conflict){
				own, {key, "max"}, {value, max}, true};
			return true;
		}
		if (is_below_floor(value, min)) {
			*ret = (struct config_conflict){
				own, {key, "min"}, {value, min}, false};
			return true;
		}
	}
	return false;
}

bool config_find_conflict(const struct config *config,
			  struct config_conflict *ret)
{
	const struct target_config global = {
		.base = config->base,
		.top = config->top,
	};

	if (find_in(&global, config->min, config->max, ret)) {
		ret->target = NULL;
		return true;
	}
	for (size_t i = 0; i < config->target_count; i++) {
		const struct target_config *own = &config->targets[i];

		if (find_in(own, inherit(own->min, config->min),
			    inherit(own->max, config->max), ret))
			return true;
	}
	return false;
}

int config_conflict_fail(const struct config_conflict *conflict, char *error,
			 size_t error_size)
{
	const struct target_config *target = conflict->target;
	char shown[CONFIG_SHOWN_SIZE] = "", place[CONFIG_SHOWN_SIZE + 16] = "";

	if (target)
		snprintf(place, sizeof(place),
			 "target '%s': ", config_shown(target->pattern, shown));
	return config_fail(
		error, error_size, "%s%s: %d is %s %s %d; %s %s or %s %s",
		place, conflict->keys[0], conflict->values[0],
		conflict->is_above ? "above" : "below", conflict->keys[1],
		conflict->values[1], conflict->is_above ? "lower" : "raise",
		conflict->keys[0], conflict->is_above ? "raise" : "lower",
		conflict->keys[1]);
}

int config_check(const struct config *config, char *error, size_t error_size)
{
	struct config_conflict conflict;

	if (!config_find_conflict(config, &conflict))
		return 0;
	return config_conflict_fail(&conflict, error, error_size);
}
