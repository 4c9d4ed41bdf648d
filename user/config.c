/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of settings, and what is done with one setting at a time.  The
 * manual's generator links this file, so it needs nothing but the laws.
 */
#include "config_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "law/law.h"

#define FIELD(member) offsetof(struct config, member)

/* Kernel ticks are up to 10 ms; slower than a minute is no control. */
#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 60000
#define DAY_S (24 * 60 * 60)

const struct setting config_settings[] = {
	{.key = "law",
	 .argument = "LAW",
	 .type = SETTING_LAW,
	 .offset = FIELD(law),
	 .is_per_target = true,
	 .help = "Control law: a name from the list of laws, or static:N"},
	{.key = "base",
	 .argument = "N",
	 .type = SETTING_INT,
	 .offset = FIELD(base),
	 .fallback = CONFIG_FROM_ORIGINAL,
	 .max = SWAPPINESS_MAX,
	 .word = "original",
	 .word_value = CONFIG_FROM_ORIGINAL,
	 .is_per_target = true,
	 .help = "Swappiness while the law's state is 0; 'original' is the "
		 "value found at the start. 0 does harm: measured 4.4 times "
		 "slower than 60"},
	{.key = "top",
	 .argument = "N",
	 .type = SETTING_INT,
	 .offset = FIELD(top),
	 .fallback = CONFIG_RANGE_MAX,
	 .max = SWAPPINESS_MAX,
	 .word = "range",
	 .word_value = CONFIG_RANGE_MAX,
	 .is_per_target = true,
	 .help = "Swappiness while the law's state is full; 'range' is the "
		 "largest value that the kernel takes, 200 or 100"},
	{.key = "min",
	 .argument = "N",
	 .type = SETTING_INT,
	 .offset = FIELD(min),
	 .fallback = 1,
	 .max = SWAPPINESS_MAX,
	 .is_per_target = true,
	 .help = "Never write less. Beware of 0: a v1 group at 0 never swaps "
		 "and is OOM-killed instead"},
	{.key = "max",
	 .argument = "N",
	 .type = SETTING_INT,
	 .offset = FIELD(max),
	 .fallback = CONFIG_RANGE_MAX,
	 .max = SWAPPINESS_MAX,
	 .word = "range",
	 .word_value = CONFIG_RANGE_MAX,
	 .is_per_target = true,
	 .help = "Never write more; 'range' is the largest value that the "
		 "kernel takes, 200 or 100"},
	{.key = "interval-ms",
	 .argument = "MS",
	 .type = SETTING_INT,
	 .offset = FIELD(interval_ms),
	 .fallback = 100,
	 .min = INTERVAL_MIN_MS,
	 .max = INTERVAL_MAX_MS,
	 .help = "Decide at most once in so many milliseconds during reclaim"},
	{.key = "resume-after-s",
	 .argument = "S",
	 .type = SETTING_INT,
	 .offset = FIELD(resume_after_s),
	 .max = DAY_S,
	 .help = "Seconds to stand aside after somebody else wrote a value; "
		 "0 stands aside until SIGHUP or a restart"},
	{.key = "swap-out-budget-kib-s",
	 .argument = "KIB",
	 .type = SETTING_INT,
	 .offset = FIELD(swap_out_budget_kib_s),
	 .max = 1 << 30,
	 .help = "Lower swappiness while more than this is swapped out each "
		 "second, to spare flash; 0 is no limit"},
	{.key = "zram-cpu-weight-pct",
	 .argument = "PCT",
	 .type = SETTING_INT,
	 .offset = FIELD(zram_cpu_weight_pct),
	 .fallback = 100,
	 .min = 1,
	 .max = 10000,
	 .help = "What time spent compressing counts for in the price of a "
		 "swap-in from zram: 100 as much as waiting for a disk, more "
		 "where CPU time is scarce"},
	{.key = "probe",
	 .type = SETTING_BOOL,
	 .offset = FIELD(probe),
	 .fallback = true,
	 .help = "The first price of swap is a few timed reads of its device "
		 "(nothing is written); yes unless --no-probe is given"},
	{.key = "tlb",
	 .type = SETTING_BOOL,
	 .offset = FIELD(tlb),
	 .help = "Count TLB flushes by CPU, reason and phase of reclaim, too, "
		 "in pinned maps, as 'swaptend tlb' does; about 0.1 us a "
		 "flush, "
		 "of which a busy machine has very many"},
	{.key = "guards",
	 .type = SETTING_BOOL,
	 .offset = FIELD(guards),
	 .fallback = true,
	 .help = "What any law but static says is lowered while swap is "
		 "nearly full, the swap-out budget is spent, or file pages "
		 "are read only once; yes unless --no-guards is given"},
	{.key = "observe",
	 .type = SETTING_BOOL,
	 .offset = FIELD(observe),
	 .help = "Decide and explain, but write nothing"},
	{.key = "pin",
	 .type = SETTING_BOOL,
	 .offset = FIELD(pin),
	 .fallback = true,
	 .help = "Maps pinned in bpffs are what status and bpftool read; yes "
		 "unless --no-pin is given"},
	{.key = "verbose",
	 .type = SETTING_BOOL,
	 .offset = FIELD(verbose),
	 .help = "Log more than changes, warnings and errors"},
};
const size_t config_setting_count = SWT_ARRAY_SIZE(config_settings);

_Static_assert(SWT_ARRAY_SIZE(config_settings) <= CONFIG_MAX_SETTINGS,
	       "the file's reader keeps one line number per setting");

int config_fail(char *error, size_t error_size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(error, error_size, fmt, args);
	va_end(args);
	return -EINVAL;
}

const char *config_shown(const char *raw, char buf[CONFIG_SHOWN_SIZE])
{
	size_t i;

	for (i = 0; raw[i] && i < CONFIG_SHOWN_SIZE - 1; i++)
		buf[i] = (unsigned char)raw[i] < 0x20 || raw[i] == 0x7f
				 ? '?'
				 : raw[i];
	buf[i] = '\0';
	if (raw[i])
		memcpy(&buf[i - 3], "...", 3);
	return buf;
}

const struct setting *config_find(const char *key)
{
	for (size_t i = 0; i < config_setting_count; i++)
		if (strcmp(config_settings[i].key, key) == 0)
			return &config_settings[i];
	return NULL;
}

/* Digits with at most a minus before them: "+1", "1 ", "0x1" are typos. */
static int parse_number(const char *text, int64_t *ret)
{
	const char *digits = text + (*text == '-');
	size_t len = strspn(digits, "0123456789");

	if (!len || digits[len])
		return -EINVAL;
	errno = 0;
	*ret = strtoll(text, NULL, 10);
	if (errno)
		return -ERANGE;
	return 0;
}

static int set_int(const struct setting *setting, const char *value, int *field,
		   char *error, size_t error_size)
{
	const char *word = setting->word ? setting->word : "";
	char shown[CONFIG_SHOWN_SIZE];
	int64_t number = 0;
	int r;

	if (setting->word && strcmp(value, setting->word) == 0) {
		*field = setting->word_value;
		return 0;
	}
	r = parse_number(value, &number);
	if (!r && number >= setting->min && number <= setting->max) {
		*field = (int)number;
		return 0;
	}
	return config_fail(
		error, error_size, "%s: '%s' is %s; write %d..%d%s%s",
		setting->key, config_shown(value, shown),
		r == -EINVAL ? "no whole number" : "out of range", setting->min,
		setting->max, *word ? " or " : "", word);
}

static int set_bool(const struct setting *setting, const char *value,
		    bool *field, char *error, size_t error_size)
{
	static const char *const words[] = {"no",  "yes", "false", "true",
					    "off", "on",  "0",	   "1"};
	char shown[CONFIG_SHOWN_SIZE];

	for (size_t i = 0; i < SWT_ARRAY_SIZE(words); i++)
		if (strcmp(value, words[i]) == 0) {
			*field = i & 1;
			return 0;
		}
	return config_fail(error, error_size,
			   "%s: '%s' is neither; write yes "
			   "or no",
			   setting->key, config_shown(value, shown));
}

/* "kolivas, kolivas-2004, static:0..200", from the table of laws. */
static void list_laws(char *buf, size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (unsigned int i = 0; i < law_count && used < size; i++) {
		int unused;
		bool takes_number = !law_find(law_table[i].name, &unused);

		used += (size_t)snprintf(buf + used, size - used, "%s%s%s",
					 i ? ", " : "", law_table[i].name,
					 takes_number ? ":0..200" : "");
	}
}

static int set_law(const struct setting *setting, const char *value,
		   char **field, char *error, size_t error_size)
{
	char shown[CONFIG_SHOWN_SIZE], laws[256], *copy;
	int fixed;

	if (!law_find(value, &fixed)) {
		list_laws(laws, sizeof(laws));
		return config_fail(error, error_size,
				   "%s: '%s' is unknown; write one of %s",
				   setting->key, config_shown(value, shown),
				   laws);
	}
	copy = strdup(value);
	if (!copy) {
		config_fail(error, error_size, "%s: no memory", setting->key);
		return -ENOMEM;
	}
	free(*field);
	*field = copy;
	return 0;
}

int config_set_field(const struct setting *setting, void *field,
		     const char *value, char *error, size_t error_size)
{
	switch (setting->type) {
	case SETTING_INT:
		return set_int(setting, value, field, error, error_size);
	case SETTING_BOOL:
		return set_bool(setting, value, field, error, error_size);
	case SETTING_LAW:
		return set_law(setting, value, field, error, error_size);
	}
	return -EINVAL;
}

static void *field_of(struct config *config, const struct setting *setting)
{
	return (char *)config + setting->offset;
}

int config_unknown_key(const char *key, char *error, size_t error_size)
{
	char shown[CONFIG_SHOWN_SIZE], keys[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < config_setting_count && used < sizeof(keys); i++)
		used += (size_t)snprintf(keys + used, sizeof(keys) - used,
					 "%s%s", i ? ", " : "",
					 config_settings[i].key);
	return config_fail(error, error_size,
			   "%s: unknown key; write one of %s",
			   config_shown(key, shown), keys);
}

int config_set(struct config *config, const char *key, const char *value,
	       char *error, size_t error_size)
{
	const struct setting *setting = config_find(key);

	if (!setting)
		return config_unknown_key(key, error, error_size);
	return config_set_field(setting, field_of(config, setting), value,
				error, error_size);
}

int config_init(struct config *config)
{
	struct config fresh = {.law = strdup(CONFIG_DEFAULT_LAW)};

	if (!fresh.law)
		return -ENOMEM;
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct setting *setting = &config_settings[i];
		void *field = field_of(&fresh, setting);

		if (setting->type == SETTING_INT)
			*(int *)field = setting->fallback;
		else if (setting->type == SETTING_BOOL)
			*(bool *)field = setting->fallback;
	}
	*config = fresh;
	return 0;
}

void config_clear_targets(struct config *config)
{
	for (size_t i = 0; i < config->target_count; i++) {
		free(config->targets[i].pattern);
		free(config->targets[i].law);
	}
	free(config->targets);
	config->targets = NULL;
	config->target_count = 0;
}

void config_done(struct config *config)
{
	config_clear_targets(config);
	free(config->law);
	config->law = NULL;
}

/* False: no memory; whatever was copied is in *ret, to be freed. */
static bool copy_target(struct target_config *ret,
			const struct target_config *from)
{
	*ret = *from;
	ret->pattern = strdup(from->pattern);
	ret->law = from->law ? strdup(from->law) : NULL;
	return ret->pattern && (ret->law || !from->law);
}

int config_copy(struct config *ret, const struct config *from)
{
	struct config copy = *from;
	bool is_whole;

	copy.law = strdup(from->law);
	/* One more, as calloc(0) may be NULL. */
	copy.targets = calloc(from->target_count + 1, sizeof(*copy.targets));
	copy.target_count = 0;
	is_whole = copy.law && copy.targets;
	while (is_whole && copy.target_count < from->target_count) {
		size_t i = copy.target_count++;

		is_whole = copy_target(&copy.targets[i], &from->targets[i]);
	}
	if (!is_whole) {
		config_done(&copy);
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}
