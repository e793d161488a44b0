#include "planner/footprint/front.h"

static const double kg_per_t = 1000;

/* True if `a` is at least as good as `b` in all three, and better in one or, of equal points, `before` says that `a`
 * comes first. */
static bool beats(const struct front_point *a, const struct front_point *b, bool before)
{
	bool as_good = a->hours <= b->hours && a->usd <= b->usd && a->kgco2e <= b->kgco2e;
	bool better = a->hours < b->hours || a->usd < b->usd || a->kgco2e < b->kgco2e;

	return as_good && (better || before);
}

static size_t keep_unbeaten(struct front_point *points, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool beaten = false;

		for (size_t k = 0; k < kept && !beaten; k++)
			beaten = beats(&points[k], &points[i], true);
		for (size_t k = i + 1; k < count && !beaten; k++)
			beaten = beats(&points[k], &points[i], false);
		if (!beaten)
			points[kept++] = points[i];
	}
	return kept;
}

/* True if `a` comes after `b` in the order of cost; of points with equal cost the cleaner comes first. */
static bool comes_after(const struct front_point *a, const struct front_point *b)
{
	return a->usd > b->usd || (!(a->usd < b->usd) && a->kgco2e > b->kgco2e);
}

static void sort_by_usd(struct front_point *points, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct front_point point = points[i];
		size_t at = i;

		for (; at > 0 && comes_after(&points[at - 1], &point); at--)
			points[at] = points[at - 1];
		points[at] = point;
	}
}

static void name_ends(struct front_point *points, size_t count)
{
	size_t cleanest = 0, fastest = 0;

	for (size_t i = 0; i < count; i++) {
		points[i].cheapest = points[i].cleanest = points[i].fastest = TRUTH_UNSET;
		cleanest = points[i].kgco2e < points[cleanest].kgco2e ? i : cleanest;
		fastest = points[i].hours < points[fastest].hours ? i : fastest;
	}
	points[0].cheapest = points[cleanest].cleanest = points[fastest].fastest = TRUTH_TRUE;
}

/* True if no cheaper point emits as little. Prices of carbon refer to these points. The points are in order of cost. */
static bool saves_carbon(const struct front_point *points, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (points[i].kgco2e <= points[at].kgco2e)
			return false;
	return true;
}

/* Removes points from the dearest down until `most` are left; the ends stay. The first pass removes only points that
 * save no carbon. */
static size_t thin(struct front_point *points, size_t count, size_t most)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = count; i-- > 0 && count > most;) {
			if (points[i].cheapest || points[i].cleanest || points[i].fastest || (pass == 0 && saves_carbon(points, i)))
				continue;
			for (size_t k = i + 1; k < count; k++)
				points[k - 1] = points[k];
			count--;
		}
	return count;
}

static void price_carbon(struct front_point *points, size_t count)
{
	const struct front_point *last = &points[0]; /* of the points that nothing beats in cost and carbon */

	points[0].usd_per_t_saved = ABSENT_NUMBER;
	for (size_t i = 1; i < count; i++) {
		points[i].usd_per_t_saved = ABSENT_NUMBER;
		if (points[i].kgco2e >= last->kgco2e)
			continue;
		points[i].usd_per_t_saved = (points[i].usd - last->usd) / ((last->kgco2e - points[i].kgco2e) / kg_per_t);
		last = &points[i];
	}
}

size_t front_of_points(struct front_point *points, size_t count, size_t most)
{
	count = keep_unbeaten(points, count);
	if (count == 0)
		return 0;
	sort_by_usd(points, count);
	name_ends(points, count);
	count = thin(points, count, most);
	price_carbon(points, count);
	return count;
}

bool front_beats(const struct front_point *points, size_t count, const struct front_point *point)
{
	for (size_t i = 0; i < count; i++)
		if (beats(&points[i], point, true))
			return true;
	return false;
}

size_t front_keep(struct front_point *points, size_t count, size_t most, const struct front_point *point)
{
	size_t kept = 0;

	if (front_beats(points, count, point))
		return count;
	for (size_t i = 0; i < count; i++)
		if (!beats(point, &points[i], false))
			points[kept++] = points[i];
	if (kept == most)
		kept = front_of_points(points, kept, most - most / 4);
	points[kept++] = *point;
	return kept;
}
