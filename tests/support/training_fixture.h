/* A resolved training input to start from: a model, one candidate, every member
 * of the request absent or at its default. */
#ifndef FLEETPLAN_TESTS_TRAINING_FIXTURE_H
#define FLEETPLAN_TESTS_TRAINING_FIXTURE_H

#include "planner/plan/training.h"

struct training_fixture {
	struct training_input input;
	struct candidate candidates[4];
	struct training_plan plan;
	struct failure failure;
};

/* Fills in a Llama-like dense model of the given shape. The feed-forward is
 * gated unless `gpt`, which also ties the embeddings. */
void fixture_model(struct model *model, int layers, int hidden, int heads, int kv_heads, int width, int vocabulary, bool gpt);

struct candidate fixture_a100(void); /* SXM4 80 GB, 8 a node, 25 GB/s each between nodes */
struct candidate fixture_h100(void); /* SXM5 80 GB, 8 a node, 50 GB/s */

/* Fills in Llama 3 8B on H100, 1e12 tokens of 8,192 in steps of 1,024 sequences, BF16, 2.50 USD an hour. */
void fixture_init(struct training_fixture *fixture);

/* Clears findings and failure, and plans. */
enum status fixture_plan(struct training_fixture *fixture);

/* The same, but fails the test with the planner's fault if there is no plan. */
void fixture_planned(struct training_fixture *fixture);

bool fixture_warned(const struct training_fixture *fixture, const char *part);   /* a warning contains `part` */
bool fixture_assumed(const struct training_fixture *fixture, const char *field); /* an assumption names the field */
bool fixture_advised(const struct training_fixture *fixture, const char *code);

/* Checks that the figures of an option agree with each other and with the plan's tokens. */
void fixture_check_option(const struct training_fixture *fixture, const struct training_option *option);

#endif
