/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened during the median run: a column a policy, a row a measure. */
#include "report_stats.h"

#include <math.h>
#include <string.h>

enum {
	PANEL_WIDTH_PX = 196,
	PANEL_HEIGHT_PX = 74,
	GAP_X_PX = 16,
	GAP_Y_PX = 34,
	LEFT_PX = 58,
	TOP_PX = 102,
	BOTTOM_PX = 44,
	RIGHT_PX = 20,
	MIN_WIDTH_PX = 480,
	MAX_SHOWN = 4,
	STEPS_X = 4,
};

static const char *const shown[MAX_SHOWN] = {DEFAULT_POLICY, "kolivas", "cost",
					     "auto"};

/* A counter is shown as its growth, `scale` times per second. */
struct measure {
	const char *column, *label;
	bool is_counter;
	double scale, max; /* max 0: as high as it gets */
};

static const struct measure measures[] = {
	{"swappiness", "swappiness", false, 1, 200},
	{"refault_anon", "anonymous pages refaulted per second", true, 1, 0},
	{"refault_file", "file pages refaulted per second", true, 1, 0},
	/* Microseconds per second, in percent. */
	{"stall_us", "stalled for lack of memory, % of the time", true, 1e-4,
	 0},
};
#define MEASURE_COUNT SWT_ARRAY_SIZE(measures)

struct plot {
	const struct summary *summary;
	size_t cell;
	FILE *out;
	size_t policies[MAX_SHOWN];
	size_t count;
	double max_s, max[MEASURE_COUNT];
};

/* A column of the series by name, read row by row. */
struct column {
	json_t *series;
	size_t time_at, value_at, row;
	const struct measure *measure;
	double last_ms, last;
};

static size_t find_column(json_t *columns, const char *name)
{
	size_t i;
	json_t *column;

	json_array_foreach(columns, i, column)
	{
		const char *text = json_string_value(column);

		if (text && !strcmp(text, name))
			return i;
	}
	return NONE;
}

/* false: this run has no such column. */
static bool open_column(const struct run *run, const struct measure *measure,
			struct column *ret_column)
{
	json_t *columns = json_object_get(run->json, "series_columns");
	struct column column = {
		.series = json_object_get(run->json, "series"),
		.time_at = find_column(columns, "t_ms"),
		.value_at = find_column(columns, measure->column),
		.measure = measure,
		.last_ms = NAN,
		.last = NAN,
	};

	if (column.time_at == NONE || column.value_at == NONE ||
	    !json_array_size(column.series))
		return false;
	*ret_column = column;
	return true;
}

static double number_at(json_t *row, size_t at)
{
	json_t *value = json_array_get(row, at);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A counter that was not there, or went back, has no growth. */
static double growth(struct column *column, double t_ms, double now)
{
	double was = column->last, span_ms = t_ms - column->last_ms;

	column->last = now;
	column->last_ms = t_ms;
	if (!(span_ms > 0) || !(now >= was))
		return NAN;
	return (now - was) * 1000 / span_ms * column->measure->scale;
}

/* false: no more rows.  *ret_value is NaN where nothing is known. */
static bool next_point(struct column *column, double *ret_s, double *ret_value)
{
	json_t *row = json_array_get(column->series, column->row++);
	double t_ms = number_at(row, column->time_at);
	double value = number_at(row, column->value_at);

	if (!row)
		return false;
	*ret_s = t_ms / 1000;
	*ret_value = isnan(t_ms)		   ? NAN
		     : column->measure->is_counter ? growth(column, t_ms, value)
						   : value;
	return true;
}

static const struct run *shown_run(const struct plot *plot, size_t i)
{
	return summary_result(plot->summary, plot->cell, plot->policies[i])
		->middle;
}

static void find_policies(struct plot *plot)
{
	for (size_t i = 0; i < MAX_SHOWN; i++) {
		size_t policy = summary_policy(plot->summary, shown[i]);

		if (summary_result(plot->summary, plot->cell, policy))
			plot->policies[plot->count++] = policy;
	}
}

static bool find_limits(struct plot *plot)
{
	struct column column;
	double t_s, value;
	bool has_any = false;

	for (size_t m = 0; m < MEASURE_COUNT; m++) {
		for (size_t i = 0; i < plot->count; i++) {
			if (!open_column(shown_run(plot, i), &measures[m],
					 &column))
				continue;
			while (next_point(&column, &t_s, &value)) {
				if (isnan(value))
					continue;
				has_any = true;
				plot->max_s = fmax(plot->max_s, t_s);
				plot->max[m] = fmax(plot->max[m], value);
			}
		}
		if (measures[m].max > 0)
			plot->max[m] = fmax(plot->max[m], measures[m].max);
	}
	return has_any && plot->max_s > 0;
}

bool report_has_time(const struct summary *s, size_t cell)
{
	struct plot plot = {.summary = s, .cell = cell};

	find_policies(&plot);
	return find_limits(&plot);
}

static double panel_x(size_t i)
{
	return LEFT_PX + (double)i * (PANEL_WIDTH_PX + GAP_X_PX);
}

static double panel_y(size_t m)
{
	return TOP_PX + (double)m * (PANEL_HEIGHT_PX + GAP_Y_PX);
}

static unsigned int plot_width(const struct plot *plot)
{
	unsigned int width =
		(unsigned int)panel_x(plot->count) - GAP_X_PX + RIGHT_PX;

	return width < MIN_WIDTH_PX ? MIN_WIDTH_PX : width;
}

/* 1500 is 1.5k: the room on the left is small. */
static void put_tick(FILE *out, double value)
{
	if (value >= 1e6)
		fprintf(out, "%gM", value / 1e6);
	else if (value >= 1e4)
		fprintf(out, "%gk", value / 1e3);
	else
		fprintf(out, "%g", value);
}

/* The top of a row: two steps of a round number. */
static double row_top(const struct plot *plot, size_t m)
{
	return 2 * axis_step(plot->max[m], 2);
}

static void draw_frame(const struct plot *plot, size_t m, size_t i)
{
	double x = panel_x(i), y = panel_y(m), step_s, top = row_top(plot, m);

	for (int half = 0; half <= 2; half++) {
		double at = y + PANEL_HEIGHT_PX * (2 - half) / 2.0;

		fprintf(plot->out, "<path class=\"%s\" d=\"M%.1f %.1fh%d\"/>",
			half ? "grid" : "axis", x, at, PANEL_WIDTH_PX);
		if (i)
			continue;
		fprintf(plot->out,
			"<text class=\"small faint\" x=\"%.1f\" y=\"%.1f\" "
			"text-anchor=\"end\">",
			x - 6, at + 4);
		put_tick(plot->out, top * half / 2);
		fputs("</text>", plot->out);
	}
	step_s = axis_step(plot->max_s, STEPS_X);
	for (int k = 0; k * step_s <= plot->max_s * 1.0001; k++) {
		double at = x + k * step_s / plot->max_s * PANEL_WIDTH_PX;

		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fv%d\"/>",
			at, y, PANEL_HEIGHT_PX);
		if (m + 1 == MEASURE_COUNT)
			fprintf(plot->out,
				"<text class=\"small faint\" x=\"%.1f\" "
				"y=\"%.1f\" text-anchor=\"middle\">%g</text>",
				at, y + PANEL_HEIGHT_PX + 15, k * step_s);
	}
	fputc('\n', plot->out);
}

static void draw_line(const struct plot *plot, size_t m, size_t i)
{
	bool is_law = plot->summary->policies[plot->policies[i]].fixed < 0;
	double x = panel_x(i), bottom = panel_y(m) + PANEL_HEIGHT_PX;
	double top = row_top(plot, m), t_s, value;
	bool is_drawing = false, has_any = false;
	struct column column;

	if (open_column(shown_run(plot, i), &measures[m], &column)) {
		fprintf(plot->out, "<path class=\"line %s\" d=\"",
			is_law ? "law" : "fixed");
		while (next_point(&column, &t_s, &value)) {
			bool is_known = !isnan(value);

			if (is_known)
				fprintf(plot->out, "%c%.1f %.1f%s",
					is_drawing ? 'L' : 'M',
					x + t_s / plot->max_s * PANEL_WIDTH_PX,
					bottom - value / top * PANEL_HEIGHT_PX,
					/* A dot, if nothing follows. */
					is_drawing ? "" : "h0");
			is_drawing = is_known;
			has_any |= is_known;
		}
		fputs("\"/>\n", plot->out);
	}
	if (!has_any)
		fprintf(plot->out,
			"<text class=\"small faint\" x=\"%.1f\" y=\"%.1f\" "
			"text-anchor=\"middle\">not measured</text>\n",
			x + PANEL_WIDTH_PX / 2.0, bottom - 30);
}

static void put_heading(const struct plot *plot)
{
	const struct cell *cell = &plot->summary->cells[plot->cell];

	fputs("<text class=\"title\" x=\"16\" y=\"26\">", plot->out);
	xml_put(plot->out, cell->load);
	fputs(" on ", plot->out);
	xml_put(plot->out, cell->corner);
	fputs(", over time</text>\n<text class=\"small faint\" x=\"16\" "
	      "y=\"46\">the run of median time; seconds from its start"
	      "</text>\n",
	      plot->out);
	for (size_t i = 0; i < plot->count; i++) {
		fprintf(plot->out,
			"<text x=\"%.1f\" y=\"%d\"><tspan font-weight=\"600\">",
			panel_x(i), TOP_PX - 32);
		xml_put(plot->out,
			plot->summary->policies[plot->policies[i]].name);
		fprintf(plot->out,
			"</tspan><tspan class=\"small faint\" dx=\"7\">%s s"
			"</tspan></text>\n",
			number_format(shown_run(plot, i)->time_s).text);
	}
}

static void describe_time(const struct plot *plot)
{
	const struct cell *cell = &plot->summary->cells[plot->cell];

	fputs("<title id=\"title\">", plot->out);
	xml_put(plot->out, cell->load);
	fputs(" on ", plot->out);
	xml_put(plot->out, cell->corner);
	fputs(": what happened over time</title>\n<desc id=\"desc\">A column "
	      "for each policy (",
	      plot->out);
	for (size_t i = 0; i < plot->count; i++) {
		fputs(i ? ", " : "", plot->out);
		xml_put(plot->out,
			plot->summary->policies[plot->policies[i]].name);
	}
	fprintf(plot->out, "), a row for each measure, over %s seconds:",
		number_format(plot->max_s).text);
	for (size_t m = 0; m < MEASURE_COUNT; m++)
		fprintf(plot->out, "%s %s, at most %s", m ? ";" : "",
			measures[m].label, number_format(plot->max[m]).text);
	fputs("</desc>\n", plot->out);
}

void report_time(const struct summary *s, size_t cell, FILE *out)
{
	struct plot plot = {.summary = s, .cell = cell, .out = out};

	find_policies(&plot);
	(void)find_limits(&plot); /* nothing to show: the caller has asked */
	svg_begin(out, plot_width(&plot),
		  (unsigned int)panel_y(MEASURE_COUNT) - GAP_Y_PX + BOTTOM_PX);
	describe_time(&plot);
	svg_style(out);
	put_heading(&plot);
	for (size_t m = 0; m < MEASURE_COUNT; m++) {
		fprintf(out,
			"<text class=\"small\" x=\"%d\" y=\"%.1f\">%s"
			"</text>\n",
			LEFT_PX, panel_y(m) - 8, measures[m].label);
		for (size_t i = 0; i < plot.count; i++) {
			draw_frame(&plot, m, i);
			draw_line(&plot, m, i);
		}
	}
	svg_end(out);
}
