/* SPDX-License-Identifier: GPL-2.0-only */
#include "law/price.h"

#define Q10 1024
#define PERMILLE 1000
#define NS_PER_MS 1000000

/* Steps from the noise of a shared disk's read times, +-10 % at r = 0.4. */
#define HYSTERESIS 5
/* The whole range takes a second: sudden, but not within one decision. */
#define RATE_PER_S SWAPPINESS_MAX

static uint64_t fade(uint64_t sum, uint64_t elapsed_ms)
{
	/* In two steps, so that no product can wrap. */
	return sum - sum / PRICE_MEMORY_MS * elapsed_ms -
	       sum % PRICE_MEMORY_MS * elapsed_ms / PRICE_MEMORY_MS;
}

void price_fade(struct price_mean *mean, uint64_t elapsed_ns)
{
	uint64_t elapsed_ms = elapsed_ns / NS_PER_MS;

	if (elapsed_ms > PRICE_MEMORY_MS)
		elapsed_ms = PRICE_MEMORY_MS;
	mean->ns = fade(mean->ns, elapsed_ms);
	mean->pages_q10 = fade(mean->pages_q10, elapsed_ms);
	mean->bios_q10 = fade(mean->bios_q10, elapsed_ms);
	mean->estimate_q10 = fade(mean->estimate_q10, elapsed_ms);
}

/* value * num / den, where the whole product might wrap. */
static uint64_t scaled(uint64_t value, uint64_t num, uint64_t den)
{
	return value * (num / den) + value * (num % den) / den;
}

/* Sums of years still fit once multiplied. */
static uint64_t per_page(const struct price_mean *mean)
{
	if (mean->ns > UINT64_MAX / Q10)
		return mean->ns / (mean->pages_q10 / Q10);
	return mean->ns * Q10 / mean->pages_q10;
}

/* value * part / whole, part < whole; of values below 2^32 exactly. */
static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
	while (whole > UINT32_MAX) {
		whole >>= 1;
		part >>= 1;
	}
	return value < UINT32_MAX ? value * part / whole : value / whole * part;
}

void price_fade_but_last(struct price_mean *mean, uint64_t elapsed_ns)
{
	const uint64_t kept_q10 = (uint64_t)PRICE_KEPT_PAGES * Q10;
	const struct price_mean before = *mean;

	if (before.pages_q10 <= kept_q10)
		return;
	price_fade(mean, elapsed_ns);
	if (mean->pages_q10 >= kept_q10)
		return;
	mean->ns = share(before.ns, kept_q10, before.pages_q10);
	mean->bios_q10 = share(before.bios_q10, kept_q10, before.pages_q10);
	mean->estimate_q10 =
		share(before.estimate_q10, kept_q10, before.pages_q10);
	mean->pages_q10 = kept_q10;
}

static void forget_surplus(struct price_mean *mean)
{
	uint64_t most_q10 = (uint64_t)PRICE_MEMORY_PAGES * Q10;

	if (mean->pages_q10 <= most_q10)
		return;
	/* The price is as it was: ns = price * pages. */
	mean->bios_q10 = share(mean->bios_q10, most_q10, mean->pages_q10);
	mean->ns = (uint64_t)mean->ns_per_page * PRICE_MEMORY_PAGES;
	mean->pages_q10 = most_q10;
}

void price_add(struct price_mean *mean, const struct swt_cost_io *delta)
{
	uint64_t price;

	if (!delta->sampled_bios || !delta->sampled_pages)
		return;
	mean->ns += delta->sampled_ns;
	mean->pages_q10 += delta->sampled_pages * Q10;
	mean->bios_q10 += delta->sampled_bios * Q10;
	mean->estimate_q10 += scaled(delta->sampled_pages * Q10,
				     delta->bios_estimate, delta->sampled_bios);
	if (mean->bios_q10 < PRICE_MIN_BIOS * Q10)
		return;
	price = per_page(mean);
	if (price > UINT32_MAX)
		price = UINT32_MAX;
	mean->ns_per_page = price ? (uint32_t)price : 1;
	forget_surplus(mean);
}

uint32_t price_swap_ns(const struct price_mean *in,
		       const struct price_mean *out, bool is_synchronous)
{
	uint64_t write_ns = out->ns_per_page, sum;

	if (!in->ns_per_page)
		return 0;
	if (!write_ns || (!is_synchronous && write_ns > in->ns_per_page))
		write_ns = in->ns_per_page;
	if (out->ns_per_page && out->estimate_q10 < in->estimate_q10)
		write_ns = share(write_ns, out->estimate_q10, in->estimate_q10);
	sum = in->ns_per_page + write_ns;
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

int price_swappiness(uint32_t swap_ns, uint32_t file_ns)
{
	uint64_t sum = (uint64_t)swap_ns + file_ns;

	return (int)((SWAPPINESS_MAX * (uint64_t)file_ns + sum / 2) / sum);
}

static uint32_t weigh(uint32_t ns, uint32_t permille)
{
	uint64_t weighed = (uint64_t)ns * permille / PERMILLE;

	if (!permille)
		return ns;
	return ns && !weighed ? 1 : (uint32_t)weighed;
}

void price_weigh(struct prices *prices)
{
	prices->swap_in_ns =
		weigh(prices->swap_in_ns, prices->anon_refault_permille);
	prices->file_read_ns =
		weigh(prices->file_read_ns, prices->file_refault_permille);
}

uint32_t price_refault_permille(uint64_t refaults, uint64_t steals,
				uint64_t doubt)
{
	refaults += doubt;
	steals += doubt;
	if (!steals || refaults >= steals)
		return PERMILLE;
	refaults = refaults * PERMILLE / steals;
	return refaults ? (uint32_t)refaults : 1;
}

uint64_t price_file_doubt_pages(const struct prices *prices)
{
	uint64_t pages = PRICE_DOUBT_PAGES;

	if (prices->swap_in_ns && prices->file_read_ns > prices->swap_in_ns)
		pages = pages * prices->file_read_ns / prices->swap_in_ns;
	return pages < PRICE_MAX_DOUBT_PAGES ? pages : PRICE_MAX_DOUBT_PAGES;
}

int price_with_trial(const struct prices *prices, int base)
{
	if (!prices->is_trial_due || base >= PRICE_TRIAL_SWAPPINESS)
		return base;
	return PRICE_TRIAL_SWAPPINESS;
}

int price_all_or(int value, struct law_state *state, uint64_t elapsed_ns)
{
	if (value < PRICE_ALL_FROM)
		return value;
	state->all_ms = (uint32_t)((state->all_ms + elapsed_ns / NS_PER_MS) %
				   PRICE_ALL_PERIOD_MS);
	return state->all_ms < PRICE_ALL_MS ? SWAPPINESS_MAX : value;
}

static int step_towards(int held, int aim, uint64_t elapsed_ns)
{
	uint64_t elapsed_ms = elapsed_ns / NS_PER_MS;
	int most;

	if (elapsed_ms > 1000)
		elapsed_ms = 1000;
	most = (int)elapsed_ms * RATE_PER_S / 1000;
	if (!most)
		most = 1;
	if (aim > held + most)
		return held + most;
	return aim < held - most ? held - most : aim;
}

int price_base(const struct sample *sample, const struct law_params *params,
	       struct law_state *state)
{
	const struct prices *prices = &sample->prices;
	int held = state->has_base ? state->base : params->base;
	int aim, off;

	if (!prices->swap_in_ns || !prices->file_read_ns)
		return held;
	aim = price_swappiness(prices->swap_in_ns, prices->file_read_ns);
	/* Nothing was decided yet from which a leap could be too far. */
	if (!state->has_base) {
		state->has_base = true;
		return state->base = aim;
	}
	off = aim > held ? aim - held : held - aim;
	/* On its way, it goes all the way. */
	if (off < HYSTERESIS && !state->is_moving)
		return held;
	state->base = step_towards(held, aim, sample->elapsed_ns);
	state->is_moving = state->base != aim;
	return state->base;
}
