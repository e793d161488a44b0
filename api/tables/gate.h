/* The answer of `fleetplan diff`: the plans of two requests side by side, and which limits the change keeps.
 *
 * BASE is the request before a change, HEAD the request after it. service/plan_gate.h fills it, api/tables/gate.c
 * describes it. Absent members as in base/given.h. */
#ifndef FLEETPLAN_API_TABLES_GATE_H
#define FLEETPLAN_API_TABLES_GATE_H

#include "hwdb/catalogue/records.h"
#include "planner/plan/summary.h"

/* Figures of a plan that a limit can name. HOURS: of a training only; REPLICAS: of a service only. */
enum gate_figure { GATE_COST, GATE_ENERGY, GATE_CARBON, GATE_GPUS, GATE_HOURS, GATE_REPLICAS, GATE_FIGURE_COUNT };

enum gate_state {
	GATE_STATE_UNSET,
	GATE_PLANNED,
	GATE_ABSENT,     /* no request: BASE is new, HEAD is removed */
	GATE_INFEASIBLE, /* no plan satisfies the request */
	GATE_STATE_COUNT
};

/* One of the two requests and its plan. */
struct gate_side {
	const char *file;
	enum gate_state state;
	const char *detail;      /* why it is infeasible; NULL: it is not */
	const char *summary;     /* the plan's summary in sentences */
	const char *accelerator; /* id */
	int64_t gpu_count;       /* in use; gpus is what is paid */
	struct summary_figure figures[GATE_FIGURE_COUNT];
};

/* A figure of both plans. */
struct gate_row {
	const char *figure, *title, *unit;
	struct summary_figure base, head;
	double change, change_percent; /* absent: one of the two figures is missing; percent also for a base of 0 */
};

enum gate_outcome { GATE_OUTCOME_UNSET, GATE_HELD, GATE_EXCEEDED, GATE_NOT_COMPARED, GATE_OUTCOME_COUNT };

/* What a limit compares. */
enum gate_form {
	GATE_FORM_UNSET,
	GATE_PERCENT,  /* cost>10%: the increase from BASE to HEAD, in percent of BASE */
	GATE_INCREASE, /* cost>+50k: the same increase, in the figure's unit */
	GATE_VALUE,    /* cost>500k: HEAD's figure */
	GATE_FORM_COUNT
};

struct gate_limit {
	const char *limit; /* as written */
	enum gate_figure of;
	const char *figure, *unit; /* the figure's word; the unit of `most` and `compared` */
	enum gate_form form;
	double most, compared; /* compared: absent if it could not be computed */
	enum gate_outcome outcome;
	const char *detail; /* a sentence without its full stop */
};

enum { GATE_LIMITS_MAX = 24, GATE_DIFFERENCES_MAX = 30 };

struct plan_gate {
	const char *title, *kind, *text;
	bool passed;
	struct gate_side base, head;
	struct gate_row rows[GATE_FIGURE_COUNT];
	size_t row_count;
	struct gate_limit limits[GATE_LIMITS_MAX];
	size_t limit_count;
	struct json_difference differences[GATE_DIFFERENCES_MAX]; /* of the two requests as written, without names and notes */
	size_t difference_count, differing;                       /* listed; all */
	int64_t as_of_us;                                         /* of the catalogue and of the ages of offers, for both sides */
	const char *as_of_from;                                   /* option, request, now */
	const char *catalogue;                                    /* builtin, database */
	int64_t catalogue_revision, prices_left_out;
	const char *planner_version;
};

#endif
