#include "validation/document.h"

enum { SIDE = 520, LEFT = 70, TOP = 30, LEVELS = 49 };

struct series {
	const char *name, *colour;
	outcome_filter *wanted; /* NULL: whole runs */
	enum asked asked;
};

static const struct series series[] = {
	{"dense steps, 16 bits, hardware until 2022", "#1f6fb2", slice_dense, ASKED_DEFAULT},
	{"dense steps, 8 and 4 bits", "#1b9e6b", slice_narrow, ASKED_DEFAULT},
	{"steps of mixtures of experts", "#d1601f", slice_experts, ASKED_DEFAULT},
	{"whole runs, as requested", "#c2185b", NULL, ASKED_DEFAULT},
	{"whole runs, number and release given", "#8a3fb0", NULL, ASKED_TOLD},
};

static double x_of(double share)
{
	return LEFT + SIDE * share;
}

static double y_of(double share)
{
	return TOP + SIDE * (1 - share);
}

static void write_axes(FILE *file)
{
	fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fcfcfd\" stroke=\"#888\"/>\n", LEFT, TOP, SIDE, SIDE);
	for (int tick = 20; tick < 100; tick += 20)
		fprintf(file,
			"<path d=\"M%.1f %dV%dM%d %.1fH%d\" stroke=\"#e3e5e9\"/>\n"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
			x_of(tick / 100.0), TOP, TOP + SIDE, LEFT, y_of(tick / 100.0), LEFT + SIDE, x_of(tick / 100.0), TOP + SIDE + 20, tick, LEFT - 8,
			y_of(tick / 100.0) + 4, tick);
	fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">probability promised, %%</text>\n", LEFT + SIDE / 2, TOP + SIDE + 44);
	fprintf(file, "<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">promises kept, %%</text>\n", TOP + SIDE / 2);
	fprintf(file, "<path d=\"M%d %dL%d %d\" stroke=\"#888\" stroke-dasharray=\"5 4\"/>\n", LEFT, TOP + SIDE, LEFT + SIDE, TOP);
}

void reliability_write(FILE *file, const struct judgement *judgement)
{
	static struct promises promises;

	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEFT + SIDE + 30, TOP + SIDE + 60, LEFT + SIDE + 30, TOP + SIDE + 60);
	write_axes(file);
	for (size_t s = 0; s < COUNT_OF(series); s++) {
		if (series[s].wanted)
			promises_of(&judgement->outcomes, series[s].wanted, NULL, &promises);
		else
			runs_promises(&judgement->runs, series[s].asked, &promises);
		fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M%.1f %.1f", series[s].colour, x_of(0), y_of(0));
		for (int level = 1; level <= LEVELS; level++)
			fprintf(file, "L%.1f %.1f", x_of(level / (LEVELS + 1.0)), y_of(promises_held(&promises, level / (LEVELS + 1.0))));
		fprintf(file, "L%.1f %.1f\"/>\n<path d=\"M%d %zuH%d\" stroke=\"%s\" stroke-width=\"2\"/><text x=\"%d\" y=\"%zu\">%s (%zu)</text>\n",
			x_of(1), y_of(1), LEFT + 14, TOP + 22 + 20 * s, LEFT + 34, series[s].colour, LEFT + 42, TOP + 26 + 20 * s, series[s].name,
			promises.count);
	}
	fprintf(file, "</svg>\n");
}
