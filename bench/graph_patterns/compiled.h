/* Patterns as compiled graphs: what is chosen, by a driver, as written, tuned, and every plan that was compared. */
#ifndef TACIT_BENCH_COMPILED_H
#define TACIT_BENCH_COMPILED_H

#include "patterns.h"

#include <tacit/tacit.h>

enum { most_candidates = 16, most_label = 80 };

struct candidate_list {
  int count;
  char plan[most_candidates][most_label], driver[most_candidates][most_label];
};

/* Prints what is wrong and ends the program unless `code` says success. */
void check(int code);
/* `way` is graph, tuned, written, or a driver's name; or `plan` and `driver` are given, and it counts only what they say. Null: this
 * library has no such driver. */
tacit_schedule compiled(struct pattern_case* c, const char* way, const char* plan, const char* driver);
/* The explanation as JSON, to be freed. */
char* explanation_of(tacit_schedule schedule);
/* What was compared and is predicted to take at most `times` what the first one takes, without the first one, which is what runs: MPI's
 * collectives, or all but these. The graph as written is always among the latter. */
struct candidate_list candidates_of(const char* explanation, int collectives, double times);

#endif
