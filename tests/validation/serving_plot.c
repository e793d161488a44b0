#include "validation/serving_document.h"

#include <math.h>

enum { SIDE = 620, LEFT = 80, TOP = 30 };

static const double least = 1, most = 2e5;

static const struct {
	const char *name, *colour;
} series[QUANTITY_COUNT] = {{"throughput, tokens/s", "#1f6fb2"}, {"TPOT, ms", "#c2185b"}, {"TTFT, ms", "#1b9e6b"}};

static double along(double value)
{
	return SIDE * log(fmin(fmax(value, least), most) / least) / log(most / least);
}

static double x_of(double value)
{
	return LEFT + along(value);
}

static double y_of(double value)
{
	return TOP + SIDE - along(value);
}

static void write_axes(FILE *file)
{
	fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fcfcfd\" stroke=\"#888\"/>\n", LEFT, TOP, SIDE, SIDE);
	for (double tick = 10; tick < most; tick *= 10)
		fprintf(file,
			"<path d=\"M%.1f %dV%dM%d %.1fH%d\" stroke=\"#e3e5e9\"/>\n"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
			x_of(tick), TOP, TOP + SIDE, LEFT, y_of(tick), LEFT + SIDE, x_of(tick), TOP + SIDE + 20, tick, LEFT - 8, y_of(tick) + 4, tick);
	fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">observed</text>\n", LEFT + SIDE / 2, TOP + SIDE + 44);
	fprintf(file,
		"<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">predicted with the case's model left out of the fit</text>\n",
		TOP + SIDE / 2);
}

static void write_line(FILE *file, double factor, const char *style)
{
	double from = fmax(least, least / factor), to = fmin(most, most / factor);

	fprintf(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", x_of(from), y_of(from * factor), x_of(to), y_of(to * factor), style);
}

void serving_plot_write(FILE *file, const struct serving_judgement *judgement)
{
	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEFT + SIDE + 30, TOP + SIDE + 60, LEFT + SIDE + 30, TOP + SIDE + 60);
	write_axes(file);
	write_line(file, 1, "stroke=\"#444\"");
	write_line(file, 1.25, "stroke=\"#888\" stroke-dasharray=\"5 4\"");
	write_line(file, 0.8, "stroke=\"#888\" stroke-dasharray=\"5 4\"");
	for (int q = 0; q < QUANTITY_COUNT; q++) {
		fprintf(file, "<g fill=\"%s\" fill-opacity=\"0.6\">\n", series[q].colour);
		for (size_t i = 0; i < judgement->outcomes.count; i++) {
			const struct serving_outcome *outcome = &judgement->outcomes.items[i];
			double observed = outcome->item->observed;

			if ((int)outcome->item->quantity == q && !outcome->refused)
				fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>\n", x_of(observed), y_of(observed * outcome->without_model));
		}
		fprintf(file, "</g>\n<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + 22,
			TOP + 22 + 20 * q, series[q].colour, LEFT + 34, TOP + 26 + 20 * q, series[q].name);
	}
	fprintf(file, "<text x=\"%d\" y=\"%d\">dashed: 25 %% above, 20 %% below</text>\n</svg>\n", LEFT + 18, TOP + 26 + 20 * QUANTITY_COUNT);
}
