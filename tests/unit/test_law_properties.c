/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds for all samples: bounds, order, monotony, bit-exactness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "law/laws.h"
#include "law/passes.h"
#include "util.h"

#define STATES 1001
#define WORD_BITS 64
#define WORDS ((STATES + WORD_BITS - 1) / WORD_BITS)

/* xorshift64 with a fixed seed: a failure is the same failure next time. */
static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Independent of user/law: the rules of the two mails, stated anew. */
static int patch_distress(int priority)
{
	static const int by_priority[] = {100, 50, 25, 12, 6, 3, 1,
					  0,   0,  0,  0,  0, 0};

	return by_priority[priority];
}

static int patch_2002_10_08(int vm_swappiness, int mapped_ratio, int priority)
{
	int swap_tendency = mapped_ratio / 2 + patch_distress(priority);

	if (swap_tendency > 50) {
		if (vm_swappiness <= 990)
			vm_swappiness += 10;
	} else if (vm_swappiness > 0) {
		vm_swappiness--;
	}
	return vm_swappiness;
}

static int patch_2002_10_11(int vm_swappiness, int mapped_ratio, int priority)
{
	int swap_tendency = mapped_ratio / 2 + patch_distress(priority);

	vm_swappiness += (swap_tendency - 50) / 10;
	if (vm_swappiness < 0)
		vm_swappiness = 0;
	if (vm_swappiness > 100)
		vm_swappiness = 100;
	return vm_swappiness;
}

typedef int patch_fn(int vm_swappiness, int mapped_ratio, int priority);
typedef enum swt_reason step_fn(const struct sample *, struct law_state *);

static uint32_t step_once(step_fn *step, uint32_t state, uint32_t mapped,
			  unsigned int priority)
{
	struct sample sample = {.mapped_ratio_pct = mapped, .has_swap = true};
	struct law_state law_state = {.value = state};

	sample.passes[priority] = 1;
	(void)step(&sample, &law_state);
	return law_state.value;
}

static void check_bit_exact(step_fn *step, patch_fn *patch, int state_max)
{
	for (int mapped = 0; mapped <= 100; mapped++)
		for (int priority = 0; priority <= 12; priority++)
			for (int state = 0; state <= state_max; state++)
				assert_int_equal(
					step_once(step, state, mapped,
						  priority),
					patch(state, mapped, priority));
}

static void one_pass_is_bit_exact_with_the_patch(void **s)
{
	(void)s;
	check_bit_exact(kolivas_step, patch_2002_10_08, 1000);
	check_bit_exact(proportional_step, patch_2002_10_11, 100);
}

static void a_sequence_of_passes_is_bit_exact_with_the_patch(void **s)
{
	int expected_kolivas = 0;
	int expected_proportional = 0;
	uint32_t kolivas = 0;
	uint32_t proportional = 0;

	(void)s;
	for (int i = 0; i < 200000; i++) {
		/* Long hard and easy phases, so that both ends are met. */
		int priority = i / 2000 % 2 ? (int)random_below(4)
					    : (int)random_below(13);
		int mapped = (int)random_below(101);

		expected_kolivas =
			patch_2002_10_08(expected_kolivas, mapped, priority);
		expected_proportional = patch_2002_10_11(expected_proportional,
							 mapped, priority);
		kolivas = step_once(kolivas_step, kolivas, mapped, priority);
		proportional = step_once(proportional_step, proportional,
					 mapped, priority);
		assert_int_equal(kolivas, expected_kolivas);
		assert_int_equal(proportional, expected_proportional);
	}
}

static uint64_t random_count(void)
{
	static const uint64_t limits[] = {1, 2, 4, 30, 500, 4000};

	return random_below(limits[random_below(SWT_ARRAY_SIZE(limits))]);
}

static void check_spread(const uint64_t *counts, unsigned int classes)
{
	uint64_t seen[SWT_NR_PRIORITIES] = {0};
	int64_t total = (int64_t)passes_sum(counts, classes);
	struct passes passes;

	passes_init(&passes, counts, classes);
	for (int64_t t = 1; t <= total; t++) {
		int class = passes_next(&passes);

		assert_in_range(class, 0, classes - 1);
		seen[class]++;
		for (unsigned int i = 0; i < classes; i++) {
			int64_t ahead = (int64_t)seen[i] * total -
					t * (int64_t)counts[i];

			if (ahead >= total || ahead <= -total)
				fail_msg("class %u is off by one or more", i);
		}
	}
	assert_int_equal(passes_next(&passes), -1);
	assert_memory_equal(seen, counts, classes * sizeof(*counts));
}

static void every_prefix_is_within_one_of_its_share(void **s)
{
	(void)s;
	for (int i = 0; i < 100; i++) {
		uint64_t counts[SWT_NR_PRIORITIES];
		unsigned int classes = 1 + random_below(SWT_NR_PRIORITIES);

		for (unsigned int j = 0; j < classes; j++)
			counts[j] = random_count();
		check_spread(counts, classes);
	}
}

static void every_small_prefix_is_within_one_of_its_share(void **s)
{
	uint64_t c[4];

	(void)s;
	for (c[0] = 0; c[0] < 9; c[0]++)
		for (c[1] = 0; c[1] < 9; c[1]++)
			for (c[2] = 0; c[2] < 9; c[2]++)
				for (c[3] = 0; c[3] < 9; c[3]++)
					check_spread(c, 4);
}

/* All states that some order of the passes so far can leave: a bit each. */
struct states {
	uint64_t words[WORDS];
};

static void states_add(struct states *states, int state)
{
	states->words[state / WORD_BITS] |= UINT64_C(1) << (state % WORD_BITS);
}

static bool states_has(const struct states *states, int state)
{
	return states->words[state / WORD_BITS] >> (state % WORD_BITS) & 1;
}

/* into |= a rising pass on each of from: 0..990 move by 10, others stay. */
static void states_rise(struct states *into, const struct states *from)
{
	struct states moving = *from;

	for (int state = 991; state <= 1000; state++) {
		if (!states_has(from, state))
			continue;
		states_add(into, state);
		moving.words[state / WORD_BITS] &=
			~(UINT64_C(1) << (state % WORD_BITS));
	}
	for (int i = 0; i < WORDS; i++)
		into->words[i] |=
			moving.words[i] << 10 |
			(i ? moving.words[i - 1] >> (WORD_BITS - 10) : 0);
}

/* into |= a falling pass on each of from: 0 stays. */
static void states_fall(struct states *into, const struct states *from)
{
	for (int i = 0; i < WORDS; i++)
		into->words[i] |=
			from->words[i] >> 1 |
			(i + 1 < WORDS ? from->words[i + 1] << (WORD_BITS - 1)
				       : 0);
	if (states_has(from, 0))
		states_add(into, 0);
}

static void states_range(const struct states *states, int *ret_low,
			 int *ret_high)
{
	int low = 0;
	int high = WORDS - 1;

	while (!states->words[low])
		low++;
	while (!states->words[high])
		high--;
	*ret_low = low * WORD_BITS + __builtin_ctzll(states->words[low]);
	*ret_high = high * WORD_BITS + WORD_BITS - 1 -
		    __builtin_clzll(states->words[high]);
}

static uint32_t replay(int state, uint64_t ups, uint64_t downs)
{
	struct sample sample = {.has_swap = true};
	struct law_state law_state = {.value = (uint32_t)state};

	sample.passes[0] = ups;
	sample.passes[12] = downs;
	(void)kolivas_step(&sample, &law_state);
	return law_state.value;
}

/* How often the bound was met exactly: it is no bound pulled from the air. */
static unsigned int met;

static void check_kolivas_cell(const struct states *states, int start, int ups,
			       int downs, bool with_replay)
{
	uint32_t bound = kolivas_order_bound(start, ups, downs);
	int low, high;

	states_range(states, &low, &high);
	if (high - low > (int)bound)
		fail_msg("from %d, %d up, %d down: %d..%d, bound %u", start,
			 ups, downs, low, high, bound);
	met += bound && high - low == (int)bound;
	if (with_replay && !states_has(states, replay(start, ups, downs)))
		fail_msg("from %d, %d up, %d down: no order ends as the replay",
			 start, ups, downs);
}

#define MAX_UPS 110
#define MAX_DOWNS 1100

/* Row by row: after `ups` and `downs` the last pass was one or the other. */
static void check_kolivas_orders(int start, int max_ups, int max_downs)
{
	static struct states rows[MAX_DOWNS + 1];
	static const struct states none;

	for (int ups = 0; ups <= max_ups; ups++) {
		for (int downs = 0; downs <= max_downs; downs++) {
			struct states now = none;

			if (!ups && !downs)
				states_add(&now, start);
			if (ups)
				states_rise(&now, &rows[downs]);
			if (downs)
				states_fall(&now, &rows[downs - 1]);
			rows[downs] = now;
			check_kolivas_cell(&now, start, ups, downs,
					   (ups * 31 + downs) % 17 == 0);
		}
	}
}

static void kolivas_orders_stay_within_the_bound_from_every_state(void **s)
{
	(void)s;
	met = 0;
	for (int start = 0; start <= 1000; start++)
		check_kolivas_orders(start, 8, 16);
	assert_true(met > 100);
}

static void kolivas_orders_stay_within_the_bound_across_the_range(void **s)
{
	static const int starts[] = {0, 1, 499, 985, 990, 991, 995, 999, 1000};

	(void)s;
	met = 0;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(starts); i++)
		check_kolivas_orders(starts[i], MAX_UPS, MAX_DOWNS);
	assert_true(met > 100);
}

static void kolivas_order_is_irrelevant_away_from_the_ends(void **s)
{
	(void)s;
	assert_int_equal(kolivas_order_bound(500, 50, 500), 0);
	assert_int_equal(kolivas_order_bound(0, 100, 0), 0);
	assert_int_equal(kolivas_order_bound(1000, 0, 5000), 0);
	/* One more of either can be lost. */
	assert_int_equal(kolivas_order_bound(500, 50, 501), 1);
	assert_int_equal(kolivas_order_bound(501, 50, 500), 500);
	assert_int_equal(kolivas_order_bound(0, UINT64_MAX, UINT64_MAX), 1000);
	assert_int_equal(kolivas_order_bound(0, 3, UINT64_MAX), 30);
	assert_int_equal(kolivas_order_bound(0, UINT64_MAX, 3), 12);
}

/* A true order too long for the brute force: blocks of at most `block`. */
static int true_order(int state, uint64_t ups, uint64_t downs, uint64_t block,
		      bool rising)
{
	while (ups || downs) {
		uint64_t *left = rising ? &ups : &downs;
		uint64_t count = *left < block ? *left : block;

		*left -= count;
		while (count--)
			state = patch_2002_10_08(state, 0, rising ? 0 : 12);
		rising = !rising;
	}
	return state;
}

static void replay_above_the_cap_stays_within_the_bound(void **s)
{
	static const uint64_t counts[] = {1, 5, 60, 99, 700, 990, 3000, 300000};
	static const int starts[] = {0, 495, 992, 1000};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(counts) * 32; i++) {
		uint64_t block = 1 + random_below(i % 2 ? 400000 : 40);
		uint64_t few = counts[i / 4 % SWT_ARRAY_SIZE(counts)];
		uint64_t many = PASSES_CAP + random_below(PASSES_CAP);
		int start = starts[i % SWT_ARRAY_SIZE(starts)];
		bool ups_are_few = i / 32 % 2;
		uint64_t ups = ups_are_few ? few : many;
		uint64_t downs = ups_are_few ? many : few;
		int truth = true_order(start, ups, downs, block, i / 64 % 2);
		int replayed = (int)replay(start, ups, downs);

		assert_in_range(abs(truth - replayed), 0,
				kolivas_order_bound(start, ups, downs));
	}
}

#define SIDE 8

struct steps {
	unsigned int priorities[3];
	int values[3];
	uint32_t mapped_ratio_pct;
};

static int sum_steps(const struct steps *steps, const int *counts, int sign)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		if (steps->values[i] * sign > 0)
			sum += steps->values[i] * sign * counts[i];
	return sum;
}

static void check_proportional_cell(const bool *reached,
				    const struct steps *steps, int start,
				    const int *counts)
{
	struct sample sample = {.mapped_ratio_pct = steps->mapped_ratio_pct,
				.has_swap = true};
	struct law_state state = {.value = (uint32_t)start};
	int low = 0;
	int high = 100;

	while (!reached[low])
		low++;
	while (!reached[high])
		high--;
	assert_in_range(high - low, 0,
			proportional_order_bound(start,
						 sum_steps(steps, counts, 1),
						 sum_steps(steps, counts, -1)));
	for (int i = 0; i < 3; i++)
		sample.passes[steps->priorities[i]] = (uint64_t)counts[i];
	(void)proportional_step(&sample, &state);
	assert_true(reached[state.value]);
}

static void check_proportional_orders(const struct steps *steps, int start)
{
	static bool reached[SIDE][SIDE][SIDE][101];

	memset(reached, 0, sizeof(reached));
	reached[0][0][0][start] = true;
	for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
		int n[3] = {i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE};
		bool *now = reached[n[0]][n[1]][n[2]];

		for (int k = 0; k < 3; k++) {
			int before[3] = {n[0], n[1], n[2]};

			if (!before[k]--)
				continue;
			for (int v = 0; v <= 100; v++)
				if (reached[before[0]][before[1]][before[2]][v])
					now[patch_2002_10_11(
						v, (int)steps->mapped_ratio_pct,
						(int)steps->priorities[k])] =
						true;
		}
		check_proportional_cell(now, steps, start, n);
	}
}

static void proportional_orders_stay_within_the_bound(void **s)
{
	/* Steps by hand: (mapped / 2 + distress - 50) / 10. */
	static const struct steps steps[] = {
		{{0, 1, 12}, {8, 3, -2}, 60},
		{{0, 2, 12}, {5, -2, -5}, 0},
		{{0, 5, 12}, {9, -1, -1}, 70},
		{{0, 1, 2}, {5, 0, -2}, 2},
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(steps); i++)
		for (int start = 0; start <= 100; start += 4)
			check_proportional_orders(&steps[i], start);
}

static void proportional_order_is_irrelevant_away_from_the_ends(void **s)
{
	(void)s;
	assert_int_equal(proportional_order_bound(50, 50, 50), 0);
	assert_int_equal(proportional_order_bound(50, 50, 52), 2);
	assert_int_equal(proportional_order_bound(50, 53, 50), 3);
	assert_int_equal(proportional_order_bound(0, UINT64_MAX, 7), 7);
	assert_int_equal(proportional_order_bound(0, UINT64_MAX, UINT64_MAX),
			 100);
}

static void passes_without_effect_do_not_crowd_out_the_others(void **s)
{
	struct sample sample = {.mapped_ratio_pct = 60, .has_swap = true};
	struct law_state state = {0};

	(void)s;
	/* (30 + 12 - 50) / 10 = 0; (30 + 50 - 50) / 10 = 3 */
	sample.passes[3] = 8 * PASSES_CAP;
	sample.passes[1] = 16;
	(void)proportional_step(&sample, &state);
	assert_int_equal(state.value, 48);
}

/* Of any size up to 4 s, and sometimes unknown. */
static uint32_t random_ns(void)
{
	return (uint32_t)random_below(UINT64_C(1) << random_below(33));
}

static struct prices random_prices(void)
{
	return (struct prices){
		.swap_in_ns = random_ns(),
		.file_read_ns = random_ns(),
	};
}

static void random_samples_keep_state_and_swappiness_in_range(void **s)
{
	(void)s;
	for (unsigned int i = 0; i < law_count; i++) {
		const struct law *law = &law_table[i];
		struct law_state state = {0};

		for (int j = 0; j < 3000; j++) {
			struct law_params params = {
				.base = (int)random_below(201),
				.top = (int)random_below(201),
				.min = (int)random_below(101),
				.max = 100 + (int)random_below(101),
				.fixed = (int)random_below(201),
			};
			struct sample sample = {
				.mapped_ratio_pct = random_below(101),
				.application_share_pct = random_below(101),
				.swap_free_pct = random_below(101),
				.has_swap = random_below(10) > 0,
				.elapsed_ns = random_below(UINT64_C(3) << 30),
				.prices = random_prices(),
			};
			struct decision decision;

			for (int k = 0; k < SWT_NR_PRIORITIES; k++)
				sample.passes[k] =
					random_below(3) ? 0 : random_count();
			law_decide(law, &params, &sample, &state, &decision);
			assert_in_range(state.value, 0, law->state_max);
			assert_in_range(state.base, 0, SWAPPINESS_MAX);
			assert_in_range(decision.state_permille, 0, 1000);
			assert_in_range(decision.swappiness, params.min,
					params.max);
			assert_in_range(decision.reason, 0,
					_SWT_REASON_MAX - 1);
		}
	}
}

static void more_distress_in_a_pass_never_lowers_the_result(void **s)
{
	(void)s;
	for (uint32_t mapped = 0; mapped <= 100; mapped++)
		for (unsigned int priority = 0; priority < 12; priority++)
			for (uint32_t state = 0; state <= 1000; state += 3)
				assert_true(step_once(kolivas_step, state,
						      mapped, priority) >=
					    step_once(kolivas_step, state,
						      mapped, priority + 1));
}

static int end_of(step_fn *step, const uint64_t *passes, uint32_t mapped,
		  uint32_t from)
{
	struct sample sample = {.mapped_ratio_pct = mapped, .has_swap = true};
	struct law_state state = {.value = from};

	memcpy(sample.passes, passes, sizeof(sample.passes));
	(void)step(&sample, &state);
	return (int)state.value;
}

/*
 * One pass more distressed may shift the replay by a place, and kolivas keeps
 * 991..999 where 990 goes to 1000: so far, and no further, a harder sample can
 * end lower.  Not by more than one largest step of the law, 10 in either's
 * units (in 200,000 other samples: 9 and 7).
 */
static void more_distress_in_a_sample_lowers_by_a_step_at_most(void **s)
{
	(void)s;
	for (int i = 0; i < 4000; i++) {
		uint64_t easy[SWT_NR_PRIORITIES] = {0};
		uint64_t hard[SWT_NR_PRIORITIES];
		uint32_t mapped = random_below(101);
		uint32_t from = random_below(101);
		unsigned int priority = 1 + random_below(12);
		uint64_t moved;

		for (int k = 0; k < SWT_NR_PRIORITIES; k++)
			easy[k] = random_below(3) ? 0 : random_count();
		memcpy(hard, easy, sizeof(hard));
		moved = random_below(easy[priority] + 1);
		hard[priority] -= moved;
		hard[random_below(priority)] += moved;

		assert_true(end_of(kolivas_step, hard, mapped, from * 10) >=
			    end_of(kolivas_step, easy, mapped, from * 10) - 10);
		assert_true(end_of(proportional_step, hard, mapped, from) >=
			    end_of(proportional_step, easy, mapped, from) - 10);
	}
}

static void more_free_swap_and_applications_never_lower_kolivas_2004(void **s)
{
	(void)s;
	for (uint32_t app = 0; app <= 100; app++) {
		uint32_t last = 0;

		for (uint32_t swap = 0; swap <= 100; swap++) {
			struct sample sample = {.application_share_pct = app,
						.swap_free_pct = swap,
						.has_swap = true};
			struct law_state state = {0};

			(void)kolivas_2004_step(&sample, &state);
			assert_true(state.value >= last);
			assert_true(state.value <= app && state.value <= swap);
			last = state.value;
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(one_pass_is_bit_exact_with_the_patch),
		CASE(a_sequence_of_passes_is_bit_exact_with_the_patch),
		CASE(every_prefix_is_within_one_of_its_share),
		CASE(every_small_prefix_is_within_one_of_its_share),
		CASE(kolivas_orders_stay_within_the_bound_from_every_state),
		CASE(kolivas_orders_stay_within_the_bound_across_the_range),
		CASE(kolivas_order_is_irrelevant_away_from_the_ends),
		CASE(replay_above_the_cap_stays_within_the_bound),
		CASE(proportional_orders_stay_within_the_bound),
		CASE(proportional_order_is_irrelevant_away_from_the_ends),
		CASE(passes_without_effect_do_not_crowd_out_the_others),
		CASE(random_samples_keep_state_and_swappiness_in_range),
		CASE(more_distress_in_a_pass_never_lowers_the_result),
		CASE(more_distress_in_a_sample_lowers_by_a_step_at_most),
		CASE(more_free_swap_and_applications_never_lower_kolivas_2004),
	};

	return cmocka_run_group_tests_name("law properties", tests, NULL, NULL);
}
