/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/findings.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>

#include "report/json.h"

/* Raise it when a key changes its meaning or goes away. */
#define CHECK_SCHEMA 1

static const char *const state_names[] = {
	[FINDING_OK] = "ok",
	[FINDING_OFF] = "off",
	[FINDING_WARN] = "warn",
	[FINDING_ERROR] = "error",
};
_Static_assert(SWT_ARRAY_SIZE(state_names) == _FINDING_MAX, "a name each");

void findings_add(struct findings *findings, const char *id,
		  enum finding_state state, const char *remedy, const char *fmt,
		  ...)
{
	struct finding *grown = reallocarray(
		findings->items, findings->count + 1, sizeof(*findings->items));
	struct finding *finding;
	va_list args;

	if (!grown) {
		findings->is_out_of_memory = true;
		return;
	}
	findings->items = grown;
	finding = &grown[findings->count];
	*finding = (struct finding){.id = id, .state = state};
	va_start(args, fmt);
	if (vasprintf(&finding->what, fmt, args) < 0)
		finding->what = NULL;
	va_end(args);
	finding->remedy = remedy ? strdup(remedy) : NULL;
	if (!finding->what || (remedy && !finding->remedy))
		findings->is_out_of_memory = true;
	if (finding->what)
		findings->count++;
}

void findings_done(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		free(findings->items[i].what);
		free(findings->items[i].remedy);
	}
	free(findings->items);
	*findings = (struct findings){0};
}

bool findings_has_error(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].state == FINDING_ERROR)
			return true;
	return false;
}

bool findings_has_only_rights_errors(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].state == FINDING_ERROR &&
		    strcmp(findings->items[i].id, "capabilities") &&
		    strcmp(findings->items[i].id, "knob"))
			return false;
	return true;
}

int findings_print(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		printf("%-5s  %-14s %s\n", state_names[finding->state],
		       finding->id, finding->what);
		if (finding->remedy)
			printf("%22s→ %s\n", "", finding->remedy);
	}
	for (unsigned int i = 0; i < findings->signal_count; i++) {
		const struct bpf_signal *signal = &findings->signals[i];

		printf("%-5s  %-16s %-32s args %2d  %s%s%s\n",
		       signal->is_on ? "ok" : "off", signal->program,
		       signal->tracepoint, signal->found_args, signal->gives,
		       signal->why[0] ? ": " : "", signal->why);
	}
	printf("%s\n", findings_has_error(findings)
			       ? "swaptend cannot control this machine as it is"
			       : "swaptend can control this machine");
	if (findings->is_out_of_memory)
		return -ENOMEM;
	return fflush(stdout) ? -errno : 0;
}

static struct report *report_signal(const struct bpf_signal *signal)
{
	struct report *report = report_new_object();

	report_set_string(report, "program", signal->program);
	report_set_string(report, "tracepoint", signal->tracepoint);
	report_set_string(report, "gives", signal->gives);
	report_set_bool(report, "is_essential", signal->is_essential);
	if (signal->wanted_args < 0)
		report_set_null(report, "wanted_arguments");
	else
		report_set_int(report, "wanted_arguments", signal->wanted_args);
	if (signal->found_args < 0)
		report_set_null(report, "arguments");
	else
		report_set_int(report, "arguments", signal->found_args);
	report_set_bool(report, "is_on", signal->is_on);
	report_set_string(report, "why", signal->is_on ? NULL : signal->why);
	return report;
}

static struct report *report_finding(const struct finding *finding)
{
	struct report *report = report_new_object();

	report_set_string(report, "id", finding->id);
	report_set_string(report, "state", state_names[finding->state]);
	report_set_string(report, "what", finding->what);
	report_set_string(report, "remedy", finding->remedy);
	return report;
}

int findings_write_json(const struct findings *findings)
{
	struct report *report = report_new_object();
	struct report *list = report_new_array();
	struct report *signals = report_new_array();
	struct utsname name;
	int r;

	report_set_int(report, "schema", CHECK_SCHEMA);
	report_set_string(report, "kernel", uname(&name) ? NULL : name.release);
	report_set_bool(report, "can_control", !findings_has_error(findings));
	for (size_t i = 0; i < findings->count; i++)
		report_append(list, report_finding(&findings->items[i]));
	report_set(report, "findings", list);
	for (unsigned int i = 0; i < findings->signal_count; i++)
		report_append(signals, report_signal(&findings->signals[i]));
	report_set(report, "signals", signals);
	r = report_write(report, stdout);
	report_free(report);
	return findings->is_out_of_memory ? -ENOMEM : r;
}

char *check_read_line(const struct sense_root *root, const char *path)
{
	char *text;

	if (proc_read_file(root, path, &text))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}
