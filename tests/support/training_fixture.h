/* A resolved training input to begin from: a model, one candidate, every member of the request absent or at its default. */
#ifndef FLEETPLAN_TESTS_TRAINING_FIXTURE_H
#define FLEETPLAN_TESTS_TRAINING_FIXTURE_H

#include "planner/plan/training.h"

struct training_fixture {
	struct training_input input;
	struct candidate candidates[4];
	struct training_plan plan;
	struct failure failure;
};

/* Llama-like dense model of given shape; gated feed-forward unless `gpt`, which also ties the embeddings. */
void fixture_model(struct model *model, int layers, int hidden, int heads, int kv_heads, int width, int vocabulary, bool gpt);

struct candidate fixture_a100(void); /* SXM4 80 GB, 8 a node, 25 GB/s between nodes each */
struct candidate fixture_h100(void); /* SXM5 80 GB, 8 a node, 50 GB/s */

/* Llama 3 8B on H100, 1e12 tokens of 8,192 in steps of 1,024 sequences, BF16, 2.50 USD an hour. */
void fixture_init(struct training_fixture *fixture);

/* Plans it, with findings and failure cleared before. */
enum status fixture_plan(struct training_fixture *fixture);

/* The same, failing the test with the planner's own words when there is no plan. */
void fixture_planned(struct training_fixture *fixture);

bool fixture_warned(const struct training_fixture *fixture, const char *part);   /* a warning contains `part` */
bool fixture_assumed(const struct training_fixture *fixture, const char *field); /* an assumption is noted for it */
bool fixture_advised(const struct training_fixture *fixture, const char *code);

/* Figures of an option that must agree with each other and with the plan's tokens. */
void fixture_check_option(const struct training_fixture *fixture, const struct training_option *option);

#endif
