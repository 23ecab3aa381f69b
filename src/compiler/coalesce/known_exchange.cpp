#include "compiler/coalesce/known_exchange.h"

#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/exchange_parts.h"
#include "compiler/coalesce/node.h"
#include "compiler/coalesce/played_exchange.h"
#include "compiler/hooks/finalize.h"
#include "compiler/hooks/settings.h"

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <pthread.h>

namespace tacit::compiler {
namespace {

constexpr int rounds_of_each = 4;    ///< that count, of those that are measured
constexpr double worth_while = 0.97; ///< another way is taken if it needs less than that of the time

/// Of all communicators, the newest first.
pthread_mutex_t all_guard = PTHREAD_MUTEX_INITIALIZER;
known_exchanges* all_known = nullptr;
bool ends_with_mpi = false; ///< MPI_Finalize tells us

/// Collective over the communicator.
void free_objects(known_exchanges& k) {
  for (known_exchange* e = k.first; e; e = e->next) {
    put_window::free(e->window);
    e->window = nullptr;
  }
  free_own_communicator(k.own);
}

/// First thing in MPI_Finalize, where all processes are.
int at_finalize(MPI_Comm, int, void*, void*) {
  pthread_mutex_lock(&all_guard);
  for (known_exchanges* k = all_known; k; k = k->next)
    free_objects(*k);
  pthread_mutex_unlock(&all_guard);
  return MPI_SUCCESS;
}

void enlist(known_exchanges* made) {
  pthread_mutex_lock(&all_guard);
  ends_with_mpi = ends_with_mpi || tacit_call_at_finalize(at_finalize);
  made->next = all_known;
  all_known = made;
  pthread_mutex_unlock(&all_guard);
}

void strike_out(const known_exchanges* gone) {
  pthread_mutex_lock(&all_guard);
  for (known_exchanges** at = &all_known; *at; at = &(*at)->next)
    if (*at == gone) {
      *at = gone->next;
      break;
    }
  pthread_mutex_unlock(&all_guard);
}

/// With the communicator, so that all processes are here; at the very end MPI has nothing to free any more.
int forget_exchanges(MPI_Comm, int, void* value, void*) {
  auto* const k = static_cast<known_exchanges*>(value);
  strike_out(k);
  int ended = 0;
  if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
    free_objects(*k);
  for (known_exchange* e = k->first; e;) {
    known_exchange* const next = e->next;
    std::free(e);
    e = next;
  }
  std::free(k);
  return MPI_SUCCESS;
}

constinit attribute<on_communicators, known_exchanges> known(forget_exchanges);

int magnitude_of(long long bytes) {
  int made = 0;
  while (bytes > 1) {
    bytes /= 2;
    ++made;
  }
  return made;
}

/// What the processes want may differ; the most careful one has its way, and one that can keep no record comes before all.
constexpr int careful[] = {TACIT_PIPELINE_NEVER, TACIT_PIPELINE_PREDICTED, TACIT_PIPELINE_MEASURED,
                           TACIT_PIPELINE_ALWAYS, TACIT_PIPELINE_PUTS};
constexpr double no_record = -1;

double rank_of(int when) {
  return static_cast<double>(std::find(std::begin(careful), std::end(careful), when) - std::begin(careful));
}

/// What this process wants, if all are on one node or on several. Costs of messages within a node say nothing of those between nodes, nor
/// the other way round, nor of more processes than the node has cores, which do not compute at the same time: then it is measured.
int asked_on(bool one_node, const tacit_pipeline& p, const own_communicator& own) {
  const bool is_described = p.costs.cores == 0 || (p.costs.cores > 0) == one_node;
  const bool has_cores = !(p.costs.cores > 0) || own.processes <= p.costs.cores;
  return p.asked == TACIT_PIPELINE_PREDICTED && !(is_described && has_cores) ? TACIT_PIPELINE_MEASURED
                                                                             : p.asked;
}

/// Collective: what all want, or could keep no record of.
double wanted_by_all(const tacit_pipeline& p, const own_communicator& own, bool has_record) {
  const auto node =
      static_cast<double>(node_of(world_rank()) >> 12); // numbers of that length have no others beside them
  double least[] = {has_record ? rank_of(asked_on(true, p, own)) : no_record,
                    has_record ? rank_of(asked_on(false, p, own)) : no_record, node, -node};
  if (!least_of_all(own, least, 4))
    return no_record;
  return least[2] == -least[3] ? least[0] : least[1];
}

const char* words_of(int when) {
  return when == TACIT_PIPELINE_ALWAYS ? "in parts"
         : when == TACIT_PIPELINE_PUTS ? "in rows of one-sided puts"
                                       : "as written";
}

/// From now on, as all know.
void decide(known_exchange& e, way how) {
  static const int decided[] = {TACIT_PIPELINE_NEVER, TACIT_PIPELINE_ALWAYS, TACIT_PIPELINE_PUTS};
  e.when = decided[how];
  if (how != by_puts && e.window) {
    put_window::free(e.window);
    e.window = nullptr;
  }
}

bool explains(const known_exchanges& among) {
  return among.own.rank == 0 && tacit_switch_setting("TACIT_PIPELINE_EXPLAIN");
}

void explain(const known_exchanges& among, const known_exchange& e, const char* why) {
  if (explains(among))
    std::fprintf(stderr,
                 "tacit: %s:%d: the exchange of %d processes with blocks of 2^%d bytes travels %s: %s%s%s\n",
                 e.file ? e.file : "?", e.line, among.own.processes, e.magnitude, words_of(e.when), why,
                 e.no_puts ? "; no puts: " : "", e.no_puts ? e.no_puts : "");
}

/// Collective. Null stays null if it cannot be.
void open_window(const known_exchanges& among, known_exchange& e, std::ptrdiff_t block) {
  if (!e.window && !e.no_puts)
    e.window = put_window::make(among.own, block, e.no_puts);
}

/// Of one's own seconds the slowest process's are made; too long stands for a way that cannot be.
void choose_by_slowest(known_exchanges& among, known_exchange& e, const double (&own)[all_ways],
                       std::ptrdiff_t block, const char* how) {
  double least[all_ways];
  for (int w = 0; w < all_ways; ++w)
    least[w] = -own[w];
  const bool told = least_of_all(among.own, least, all_ways);
  const double slowest[all_ways] = {-least[as_written], -least[in_parts], -least[by_puts]};
  way best = as_written;
  if (told && slowest[in_parts] < worth_while * slowest[as_written])
    best = in_parts;
  if (told && slowest[by_puts] < worth_while * slowest[best]) {
    open_window(among, e, block);
    best = e.window ? by_puts : best;
  }
  decide(e, best);
  char why[160], puts[48] = "";
  if (slowest[by_puts] < DBL_MAX)
    std::snprintf(puts, sizeof puts, ", %.3g ms by puts", 1e3 * slowest[by_puts]);
  std::snprintf(why, sizeof why, "%s %.3g ms as written, %.3g ms in parts%s", how, 1e3 * slowest[as_written],
                1e3 * slowest[in_parts], puts);
  explain(among, e, why);
}

/// In rounds that are measured, the ways come in turns.
int ways_measured(const known_exchange& e) {
  return e.window ? all_ways : by_puts;
}

void count_round(const tacit_pipeline& p, known_exchanges& among, known_exchange& e) {
  const double seconds = MPI_Wtime() - p.begun;
  const int ways = ways_measured(e);
  double& best = e.best[e.round % ways];
  if (e.round >= ways)
    best = e.round < 2 * ways ? seconds : std::min(best, seconds);
  if (++e.round < ways * (rounds_of_each + 1))
    return;
  if (ways == by_puts)
    e.best[by_puts] = DBL_MAX;
  choose_by_slowest(among, e, e.best, block_bytes(p), "measured");
}

known_exchange described(const tacit_pipeline& p) {
  return {p.file,  p.line, magnitude_of(block_bytes(p)), 0, p.asked, 0, {0, 0, 0}, p.costs, nullptr,
          nullptr, nullptr};
}

/// Its list of exchanges, and the communicator that they share, of this process alone; null if it has no memory for it.
known_exchanges* make_list(MPI_Comm comm, const own_communicator& own) {
  auto* const made = static_cast<known_exchanges*>(std::calloc(1, sizeof(known_exchanges)));
  if (!made)
    return nullptr;
  made->own = own;
  enlist(made);
  if (known.set(comm, made))
    return made;
  strike_out(made);
  std::free(made);
  return nullptr;
}

known_exchange* add(known_exchanges* to, const tacit_pipeline& p) {
  auto* const made = to ? static_cast<known_exchange*>(std::malloc(sizeof(known_exchange))) : nullptr;
  if (!made)
    return nullptr;
  *made = described(p);
  made->next = to->first;
  to->first = made;
  return made;
}

/// Of the one that was added last.
void take_back(known_exchanges* from, known_exchange* added) {
  if (!added)
    return;
  from->first = added->next;
  std::free(added);
}

/// What was agreed needs, or could need, a window.
void begin_known(const known_exchanges& among, known_exchange& e, const tacit_pipeline& p) {
  if (e.when == TACIT_PIPELINE_MEASURED || e.when == TACIT_PIPELINE_PUTS)
    open_window(among, e, block_bytes(p));
  if (e.when == TACIT_PIPELINE_PUTS && !e.window)
    decide(e, as_written);
  if (e.when != TACIT_PIPELINE_MEASURED && e.when != TACIT_PIPELINE_PREDICTED)
    explain(among, e, p.whole ? "its blocks cannot be cut" : "as was asked for");
}

} // namespace

known_exchanges* known_of(MPI_Comm comm) {
  return known.of(comm);
}

known_exchange* find(const known_exchanges* among, const tacit_pipeline& p) {
  const int magnitude = magnitude_of(block_bytes(p));
  for (known_exchange* e = among ? among->first : nullptr; e; e = e->next)
    if (e->line == p.line && e->magnitude == magnitude && std::strcmp(e->file, p.file) == 0)
      return e;
  return nullptr;
}

way way_of(const known_exchange& e, std::ptrdiff_t block) {
  const bool puts = e.window && e.window->holds(block);
  switch (e.when) {
  case TACIT_PIPELINE_ALWAYS:
    return in_parts;
  case TACIT_PIPELINE_PUTS:
    return puts ? by_puts : as_written;
  case TACIT_PIPELINE_MEASURED: {
    const way next = static_cast<way>(e.round % ways_measured(e));
    return next == by_puts && !puts ? as_written : next;
  }
  default:
    return as_written;
  }
}

// One without a record would ask again the next time, and the others would not answer: either all have one, or none.
void make_known(const tacit_pipeline& p, MPI_Comm comm) {
  known_exchanges* among = known_of(comm); // on all processes, or on none
  const bool is_first = !among;
  own_communicator own = is_first ? make_own_communicator(comm) : among->own;
  if (own.handle == MPI_COMM_NULL)
    return; // refused for good: others may wait
  if (is_first)
    among = make_list(comm, own);
  known_exchange* const made = add(among, p);
  const double wanted = wanted_by_all(p, own, made);
  if (wanted != no_record) {
    made->when = careful[static_cast<int>(wanted)];
    made->number = among->count++;
    return begin_known(*among, *made, p);
  }
  take_back(among, made);
  if (is_first && among)
    known.remove(comm); // frees it, and the communicator
  else if (is_first)
    free_own_communicator(own);
}

void learn(const tacit_pipeline& p, known_exchanges& among, known_exchange& e) {
  if (e.when == TACIT_PIPELINE_MEASURED) {
    count_round(p, among, e);
  } else if (e.when == TACIT_PIPELINE_PREDICTED) {
    double seconds[all_ways];
    play(p, e.costs, among.own.processes, seconds);
    choose_by_slowest(among, e, seconds, block_bytes(p), "predicted");
  }
}

void give_up_puts(known_exchanges& among, known_exchange& e) {
  e.when = TACIT_PIPELINE_NEVER;
  e.no_puts = "MPI has refused a process one";
  explain(among, e, "puts did not arrive"); // the window stays as it is: they may, later
}

} // namespace tacit::compiler
