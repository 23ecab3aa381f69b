#include "compiled.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check(int code) {
  if (code != TACIT_SUCCESS) {
    fprintf(stderr, "graph_patterns: %s\n", tacit_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* As the loop does it: what arrives is added up in the order of ranks. */
static void add_reduction(tacit_graph graph, const struct pattern_case* c) {
  const int elements = c->bytes / (int)sizeof(int64_t);
  tacit_op before, next;
  if (c->ins == 0)
    return;
  check(tacit_graph_copy(graph, c->mine + source_of(c, c->me), c->bytes, MPI_BYTE, c->got, c->bytes, MPI_BYTE,
                         &before));
  for (int i = 0; i < c->ins; i++, before = next) {
    check(tacit_graph_recv_reduce(graph, c->got, elements, numbers_of(c->pattern), MPI_SUM, c->in[i].peer,
                                  c->in[i].tag, &next));
    check(tacit_graph_depend(graph, before, next));
  }
}

static tacit_graph graph_of(const struct pattern_case* c) {
  tacit_graph graph;
  check(tacit_graph_create(MPI_COMM_WORLD, &graph));
  if (combines(c->pattern))
    add_reduction(graph, c);
  for (int i = 0; i < c->ins && !combines(c->pattern); i++)
    check(tacit_graph_recv(graph, c->in[i].at, c->in[i].bytes, MPI_BYTE, c->in[i].peer, c->in[i].tag, NULL));
  const int elements = c->bytes / (int)sizeof(int64_t);
  for (int i = 0; i < c->outs; i++)
    if (combines(c->pattern))
      check(tacit_graph_send(graph, c->out[i].at, elements, numbers_of(c->pattern), c->out[i].peer,
                             c->out[i].tag, NULL));
    else
      check(tacit_graph_send(graph, c->out[i].at, count_of(&c->out[i]), type_of(&c->out[i]), c->out[i].peer,
                             c->out[i].tag, NULL));
  return graph;
}

static MPI_Info info_for(const char* way, const char* plan, const char* driver) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_graphs_kept", "0");
  if (plan) {
    MPI_Info_set(info, "tacit_plan", plan);
    MPI_Info_set(info, "tacit_driver", driver);
  } else if (is(way, "written"))
    MPI_Info_set(info, "tacit_replace", "false");
  else if (is(way, "tuned"))
    MPI_Info_set(info, "tacit_tune", "again");
  else if (!is(way, "graph"))
    MPI_Info_set(info, "tacit_driver", way);
  return info;
}

tacit_schedule compiled(struct pattern_case* c, const char* way, const char* plan, const char* driver) {
  tacit_graph graph = graph_of(c);
  tacit_schedule made = NULL;
  MPI_Info info = info_for(way, plan, driver);
  const int may_lack = !plan && is(way, "pcoll");
  if (may_lack)
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = tacit_compile(graph, info, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (!may_lack)
    check(code);
  MPI_Info_free(&info);
  check(tacit_graph_free(&graph));
  return code == TACIT_SUCCESS ? made : NULL;
}

char* explanation_of(tacit_schedule schedule) {
  size_t needed = 0;
  check(tacit_explain(schedule, TACIT_EXPLAIN_JSON, NULL, 0, &needed));
  char* const text = malloc(needed + 1);
  check(tacit_explain(schedule, TACIT_EXPLAIN_JSON, text, needed + 1, &needed));
  return text;
}

struct candidate_list candidates_of(const char* explanation, int collectives, double times) {
  struct candidate_list out = {0};
  const char* at = strstr(explanation, "\"predicted\":[");
  double first = -1, ns;
  char plan[most_label], driver[most_label];
  while (at && (at = strstr(at, "{\"plan\":")) != NULL) {
    if (sscanf(at, "{\"plan\":\"%79[^\"]\",\"driver\":\"%79[^\"]\",\"nanoseconds\":%lf", plan, driver, &ns) !=
        3)
      break;
    at++;
    const int of_mpi = is(driver, "coll") || is(driver, "pcoll");
    const int is_near = ns >= 0 && ns <= times * first, is_call = strncmp(plan, "collectives", 11) == 0;
    if (first < 0)
      first = ns;
    if (of_mpi == collectives && (collectives ? is_call : is_near || is(plan, "as written")) &&
        out.count < most_candidates) {
      strcpy(out.plan[out.count], plan);
      strcpy(out.driver[out.count++], driver);
    }
  }
  return out;
}
