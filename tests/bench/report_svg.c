/* SPDX-License-Identifier: GPL-2.0-only */
/* A cell as bars: how long each policy took. */
#include "report_stats.h"

#include <string.h>

enum {
	WIDTH_PX = 760,
	ROW_PX = 28,
	BAR_PX = 16,
	TOP_PX = 76,
	BOTTOM_PX = 34,
	RIGHT_PX = 190, /* for the figures */
	CHARACTER_PX = 8,
	MIN_LEFT_PX = 110,
	MAX_LEFT_PX = 240,
	STEPS = 5,
};

struct bars {
	const struct summary *summary;
	size_t cell;
	FILE *out;
	unsigned int left_px, rows;
	double max_s;
};

/*
 * The reader's colours, light or dark, and ink on paper.  A ground of its own,
 * since the page around it may be of the other kind.
 */
static const char style[] =
	"<style>\n"
	"svg{color:#1f2328;font:13px system-ui,'Segoe UI','DejaVu Sans',"
	"sans-serif}\n"
	"text{fill:currentColor}\n"
	".ground{fill:#fff}\n"
	".title{font-size:15px;font-weight:600}\n"
	".small{font-size:11px}\n"
	".faint{fill-opacity:.72}\n"
	".figure{stroke:#fff;stroke-width:3;paint-order:stroke}\n"
	".grid{stroke:currentColor;stroke-opacity:.15}\n"
	".axis{stroke:currentColor;stroke-opacity:.55}\n"
	".whisker{stroke:currentColor;stroke-width:1.5;fill:none}\n"
	".fixed{fill:#b8c0cc}\n"
	".law{fill:#2f7fd6}\n"
	".line{fill:none;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:"
	"round}\n"
	".line.fixed{fill:none;stroke:#6b7686}\n"
	".line.law{fill:none;stroke:#0a69c7}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	"svg{color:#e6edf3}\n"
	".ground{fill:#0d1117}\n"
	".figure{stroke:#0d1117}\n"
	".fixed{fill:#6b7686}\n"
	".law{fill:#3f8ee6}\n"
	".line.fixed{stroke:#9aa4b2}\n"
	".line.law{stroke:#58a6ff}\n"
	"}\n"
	"</style>\n";

void svg_begin(FILE *out, unsigned int width, unsigned int height)
{
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" "
		"aria-labelledby=\"title desc\">\n"
		"<!-- SPDX-License-Identifier: GPL-2.0-only -->\n",
		width, height, width, height);
}

void svg_style(FILE *out)
{
	fputs(style, out);
	fputs("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n", out);
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

static double x_of(const struct bars *b, double time_s)
{
	return b->left_px +
	       time_s / b->max_s * (WIDTH_PX - RIGHT_PX - b->left_px);
}

static void measure_bars(struct bars *b)
{
	const struct summary *s = b->summary;
	size_t longest = 0;

	for (size_t p = 0; p < s->policy_count; p++) {
		const struct result *result = summary_result(s, b->cell, p);
		size_t length = strlen(s->policies[p].name);

		if (!result)
			continue;
		b->rows++;
		longest = length > longest ? length : longest;
		b->max_s = result->max_s > b->max_s ? result->max_s : b->max_s;
	}
	b->left_px = (unsigned int)longest * CHARACTER_PX + 20;
	if (longest > MAX_LEFT_PX / CHARACTER_PX || b->left_px > MAX_LEFT_PX)
		b->left_px = MAX_LEFT_PX;
	if (b->left_px < MIN_LEFT_PX)
		b->left_px = MIN_LEFT_PX;
}

/* All of it in words, for who cannot see it. */
static void describe_bars(const struct bars *b)
{
	const struct summary *s = b->summary;
	const struct cell *cell = &s->cells[b->cell];

	fputs("<title id=\"title\">", b->out);
	xml_put(b->out, cell->load);
	fputs(" on ", b->out);
	xml_put(b->out, cell->corner);
	fputs(": time for each policy</title>\n<desc id=\"desc\">Median "
	      "seconds, fastest to slowest in brackets:",
	      b->out);
	for (size_t p = 0; p < s->policy_count; p++) {
		const struct result *result = summary_result(s, b->cell, p);

		if (!result)
			continue;
		fputc(' ', b->out);
		xml_put(b->out, s->policies[p].name);
		fprintf(b->out, " %s%s (%s to %s)%s;",
			result->is_cut ? "at least " : "",
			number_format(result->median_s).text,
			number_format(result->min_s).text,
			number_format(result->max_s).text,
			p == cell->best ? ", the best fixed value" : "");
	}
	fputs("</desc>\n", b->out);
}

static void draw_heading(const struct bars *b)
{
	const struct cell *cell = &b->summary->cells[b->cell];

	fputs("<text class=\"title\" x=\"16\" y=\"26\">", b->out);
	xml_put(b->out, cell->load);
	fputs(" on ", b->out);
	xml_put(b->out, cell->corner);
	fputs("</text>\n<text class=\"small faint\" x=\"16\" y=\"46\">median "
	      "seconds, shorter is better; the line spans the fastest to the "
	      "slowest run; bold: the default</text>\n",
	      b->out);
	fprintf(b->out,
		"<rect class=\"fixed\" x=\"%d\" y=\"17\" width=\"11\" "
		"height=\"11\" rx=\"2\"/>"
		"<text class=\"small\" x=\"%d\" y=\"26\">fixed value</text>\n"
		"<rect class=\"law\" x=\"%d\" y=\"17\" width=\"11\" "
		"height=\"11\" rx=\"2\"/>"
		"<text class=\"small\" x=\"%d\" y=\"26\">law</text>\n",
		WIDTH_PX - 150, WIDTH_PX - 134, WIDTH_PX - 62, WIDTH_PX - 46);
}

static void draw_axis(const struct bars *b)
{
	double step_s = axis_step(b->max_s, STEPS);
	unsigned int bottom = TOP_PX + b->rows * ROW_PX;

	for (unsigned int i = 0; i * step_s <= b->max_s * 1.0001; i++) {
		double x = x_of(b, i * step_s);

		fprintf(b->out,
			"<path class=\"%s\" d=\"M%.1f %dV%u\"/>"
			"<text class=\"small faint\" x=\"%.1f\" y=\"%u\" "
			"text-anchor=\"middle\">%g</text>\n",
			i ? "grid" : "axis", x, TOP_PX - 6, bottom + 2, x,
			bottom + 18, i * step_s);
	}
}

/* A longer name would run out of the picture on the left. */
static void put_name(const struct bars *b, const char *name, unsigned int y)
{
	fprintf(b->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\"%s>",
		b->left_px - 8, y,
		!strcmp(name, DEFAULT_POLICY) ? " font-weight=\"600\"" : "");
	if (strlen(name) > (MAX_LEFT_PX - 20) / CHARACTER_PX)
		fprintf(b->out,
			"<tspan textLength=\"%d\" "
			"lengthAdjust=\"spacingAndGlyphs\">",
			MAX_LEFT_PX - 20);
	xml_put(b->out, name);
	if (strlen(name) > (MAX_LEFT_PX - 20) / CHARACTER_PX)
		fputs("</tspan>", b->out);
	fputs("</text>\n", b->out);
}

static void put_figure(const struct bars *b, size_t p,
		       const struct result *result, unsigned int y)
{
	const struct summary *s = b->summary;
	double regret = summary_regret(s, b->cell, p);

	fprintf(b->out, "<text class=\"figure\" x=\"%.1f\" y=\"%u\">%s%s s",
		x_of(b, result->max_s) + 8, y, result->is_cut ? "≥ " : "",
		number_format(result->median_s).text);
	fputs("<tspan class=\"small faint\" dx=\"7\">", b->out);
	if (p == s->cells[b->cell].best)
		fputs("best fixed value", b->out);
	else if (regret == regret)
		fprintf(b->out,
			regret < 10 ? "%.2f × best fixed" : "%.1f × best fixed",
			regret);
	fputs("</tspan></text>\n", b->out);
}

static void draw_bar(const struct bars *b, size_t p,
		     const struct result *result, unsigned int top)
{
	const struct policy *policy = &b->summary->policies[p];
	unsigned int middle = top + ROW_PX / 2;
	double from = x_of(b, result->min_s), to = x_of(b, result->max_s);

	put_name(b, policy->name, middle + 5);
	fprintf(b->out,
		"<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%.1f\" "
		"height=\"%d\"/>\n",
		policy->fixed < 0 ? "law" : "fixed", b->left_px,
		middle - BAR_PX / 2, x_of(b, result->median_s) - b->left_px,
		BAR_PX);
	/* One run has no spread. */
	if (result->count > 1)
		fprintf(b->out,
			"<path class=\"whisker\" d=\"M%.1f %uH%.1fM%.1f "
			"%uv8M%.1f %uv8\"/>\n",
			from, middle, to, from, middle - 4, to, middle - 4);
	put_figure(b, p, result, middle + 5);
}

void report_bars(const struct summary *s, size_t cell, FILE *out)
{
	struct bars b = {.summary = s, .cell = cell, .out = out};
	unsigned int row = 0;

	measure_bars(&b);
	svg_begin(out, WIDTH_PX, TOP_PX + b.rows * ROW_PX + BOTTOM_PX);
	describe_bars(&b);
	svg_style(out);
	draw_heading(&b);
	draw_axis(&b);
	for (size_t p = 0; p < s->policy_count; p++) {
		const struct result *result = summary_result(s, cell, p);

		if (result)
			draw_bar(&b, p, result, TOP_PX + row++ * ROW_PX);
	}
	svg_end(out);
}
