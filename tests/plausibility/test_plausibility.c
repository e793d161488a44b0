/* Checks that answers are plausible over the whole space of requests: draws seeded random ones, runs checks.c on each.
 *
 * usage: test_plausibility [REQUESTS [FIRST [CHECK]]]
 * Without arguments it draws PLAUSIBILITY_REQUESTS requests, by default a part that fits into `make test`. It prints
 * a violation with its request, which `fleetplan plan training -` answers again (a replica's: POST
 * /v1/estimates/inference/performance). `make check-plausibility` runs all 200,000. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plausibility/checks.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { REQUESTS_USUAL = 300 };
#else
enum { REQUESTS_USUAL = 5000 };
#endif
enum { CHECKS_MAX = 32, PRINTED_MAX = 5 };

struct tally {
	size_t requests, answered, violations[CHECKS_MAX];
};

static void print_violation(const struct check *check, const struct violation *violation)
{
	char json[DRAW_JSON_MAX_BYTES];

	if (strcmp(check->name, "serving") == 0)
		draw_serving_json(&violation->draw, json);
	else
		draw_json(&violation->draw, json);
	printf("%s: request %llu: %s\n  %s\n", check->name, (unsigned long long)violation->draw.number, violation->detail, json);
}

static void try_request(const struct catalogue *catalogue, uint64_t number, const char *only, struct tally *tally)
{
	static struct violation violation;
	struct setting setting;
	struct answer answer;
	struct draw draw;

	draw_request(catalogue, number, &draw);
	tally->requests++;
	answer_draw(&draw, NULL, &answer, &setting);
	if (!answer.any)
		return;
	tally->answered++;
	for (size_t i = 0; i < check_count; i++) {
		if (only && strcmp(only, checks[i].name) != 0)
			continue;
		if (!checks[i].holds(&draw, &answer, &setting, &violation) && tally->violations[i]++ < PRINTED_MAX)
			print_violation(&checks[i], &violation);
	}
}

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : getenv("PLAUSIBILITY_REQUESTS");
	uint64_t count = wanted ? strtoull(wanted, NULL, 10) : REQUESTS_USUAL, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const struct catalogue *catalogue = answer_catalogue();
	static struct tally tally;
	size_t bad = 0;

	CHECK(catalogue && check_count <= CHECKS_MAX);
	for (uint64_t number = first; number < first + count; number++)
		try_request(catalogue, number, argc > 3 ? argv[3] : NULL, &tally);
	answer_release();
	printf("%zu requests, %zu answered\n", tally.requests, tally.answered);
	for (size_t i = 0; i < check_count; i++) {
		bad += tally.violations[i] > 0;
		if (tally.violations[i] > 0)
			printf("%zu violations of: %s\n", tally.violations[i], checks[i].claim);
		printf("[%s] %s\n", tally.violations[i] > 0 ? "  FAILED  " : "       OK ", checks[i].name);
	}
	return bad > 0;
}
