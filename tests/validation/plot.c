#include "validation/document.h"

enum { SIDE = 620, LEFT = 70, TOP = 30 };

static const double least_s = 0.05, most_s = 400;

struct series {
	const char *name, *colour;
	outcome_filter *wanted;
};

/* Drawn in this order: series with few points come last, so that others do not hide them. */
static const struct series series[] = {
	{"vTrain, one machine", "#b8bcc4", slice_vtrain_single},
	{"dense, 16 bits, hardware until 2022", "#1f6fb2", slice_dense},
	{"dense, 16 bits, newer hardware", "#c2185b", slice_dense_new},
	{"dense, 8 and 4 bits", "#1b9e6b", slice_narrow},
	{"mixtures of experts", "#d1601f", slice_experts},
	{"fine-tuning", "#8a3fb0", slice_tuning},
};

static double along(double seconds)
{
	return SIDE * log(seconds / least_s) / log(most_s / least_s);
}

static double x_of(double seconds)
{
	return LEFT + along(seconds);
}

static double y_of(double seconds)
{
	return TOP + SIDE - along(seconds);
}

static void write_axes(FILE *file)
{
	static const double ticks[] = {0.1, 1, 10, 100};

	fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fcfcfd\" stroke=\"#888\"/>\n", LEFT, TOP, SIDE, SIDE);
	for (size_t i = 0; i < COUNT_OF(ticks); i++)
		fprintf(file,
			"<path d=\"M%.1f %dV%dM%d %.1fH%d\" stroke=\"#e3e5e9\"/>\n"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
			x_of(ticks[i]), TOP, TOP + SIDE, LEFT, y_of(ticks[i]), LEFT + SIDE, x_of(ticks[i]), TOP + SIDE + 20, ticks[i], LEFT - 8,
			y_of(ticks[i]) + 4, ticks[i]);
	fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">observed step time, s</text>\n", LEFT + SIDE / 2, TOP + SIDE + 44);
	fprintf(file,
		"<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">predicted with the run's suite left out of the fit, s</text>\n",
		TOP + SIDE / 2);
}

static void write_line(FILE *file, double factor, const char *style)
{
	double from = fmax(least_s, least_s / factor), to = fmin(most_s, most_s / factor);

	fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", x_of(from), y_of(from * factor), x_of(to), y_of(to * factor), style);
}

void plot_write(FILE *file, const struct judgement *judgement)
{
	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEFT + SIDE + 30, TOP + SIDE + 60, LEFT + SIDE + 30, TOP + SIDE + 60);
	write_axes(file);
	write_line(file, 1, "stroke=\"#444\"");
	write_line(file, 1.25, "stroke=\"#888\" stroke-dasharray=\"5 4\"");
	write_line(file, 0.8, "stroke=\"#888\" stroke-dasharray=\"5 4\"");
	for (size_t s = 0; s < COUNT_OF(series); s++) {
		fprintf(file, "<g fill=\"%s\" fill-opacity=\"0.65\">\n", series[s].colour);
		for (size_t i = 0; i < judgement->outcomes.count; i++) {
			const struct outcome *outcome = &judgement->outcomes.items[i];
			double observed = outcome->item->expected[EXPECT_STEP];

			if (series[s].wanted(outcome, NULL))
				fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n", x_of(observed), y_of(observed * outcome->left_ratio));
		}
		fprintf(file, "</g>\n<circle cx=\"%d\" cy=\"%zu\" r=\"5\" fill=\"%s\"/><text x=\"%d\" y=\"%zu\">%s</text>\n", LEFT + 22,
			TOP + 22 + 20 * s, series[s].colour, LEFT + 34, TOP + 26 + 20 * s, series[s].name);
	}
	fprintf(file, "<text x=\"%d\" y=\"%d\">dashed: 25 %% longer, 20 %% shorter</text>\n</svg>\n", LEFT + 18,
		TOP + 26 + 20 * (int)COUNT_OF(series));
}
