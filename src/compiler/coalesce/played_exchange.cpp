#include "compiler/coalesce/played_exchange.h"

#include "compiler/coalesce/exchange_parts.h"
#include "compiler/coalesce/store_bound.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace tacit::compiler {
namespace {

/// By which messages, or puts, travel.
struct link {
  double latency, of_byte, progress, send, receive;
};

class played_messages {
public:
  played_messages(const link& by, int processes, double loop)
      : by_(by), others_(processes - 1), loop_(loop) {}

  /// After a part of the loop's time (0 to 1, not less than before) so many bytes leave for each process.
  void send(double when, double bytes) {
    const double computed = loop_ * (when - done_);
    const double busy = others_ * by_.send; // in MPI, which then moves what there is
    done_ = when;
    now_ += computed + busy;
    on_link_ = std::max(0.0, on_link_ - by_.progress * computed - busy) + others_ * bytes * by_.of_byte;
    ++parts_;
  }

  double end() const {
    const double receive = others_ * by_.receive;
    return std::max(now_ + by_.latency + on_link_, now_ + (parts_ - 1) * receive) + receive;
  }

private:
  link by_;
  double others_, loop_;
  double done_ = 0, now_ = 0, on_link_ = 0;
  int parts_ = 0;
};

/// Libraries take fewer and longer messages where messages cost more than bytes (Bruck).
double by_doubling(const link& c, int processes, double bytes) {
  double seconds = 0;
  for (int distance = 1; distance < processes; distance *= 2)
    seconds += c.send + c.latency + c.receive + bytes * std::min(distance, processes - distance) * c.of_byte;
  return seconds;
}

/// How much of the loop is over at a value of its counter.
double share_of(const tacit_pipeline& p, long long counter) {
  const double all = static_cast<double>(p.last) - static_cast<double>(p.first) + 1;
  const double until = static_cast<double>(counter) - static_cast<double>(p.first);
  return counter == never || all <= 0 ? 1 : std::clamp(until / all, 0.0, 1.0);
}

/// The loop as it was, its parts leaving as early as they can.
double played(const tacit_pipeline& p, const link& by, int processes, way how) {
  tacit_pipeline planned = p;
  planned.parts = parts_of(p, how);
  played_messages parts(by, processes, p.computed - p.begun);
  double when = 0;
  for (int k = 0; k < planned.parts; ++k) {
    when = how == as_written ? 1 : std::max(when, share_of(p, ready_of(planned, k)));
    parts.send(when, static_cast<double>(place_of(planned, k + 1) - place_of(planned, k)) * p.type_bytes);
  }
  return parts.end();
}

/// log2 of it, rounded up.
int rounds_of(int processes) {
  int rounds = 0;
  for (int reached = 1; reached < processes; reached *= 2)
    ++rounds;
  return rounds;
}

/// Costs that are no numbers could be compared differently on each rank, which then wait for different messages.
double known_or(double seconds, double otherwise) {
  return std::isfinite(seconds) ? seconds : otherwise;
}

} // namespace

void play(const tacit_pipeline& p, const tacit_pipeline_costs& c, int processes,
          double (&seconds)[all_ways]) {
  const link messages{c.latency, c.of_byte, c.progress, c.send, c.receive};
  const double loop = p.computed - p.begun, bytes = static_cast<double>(block_bytes(p));
  const double whole =
      std::min(played(p, messages, processes, as_written), loop + by_doubling(messages, processes, bytes));
  seconds[as_written] = known_or(whole, 0); // then nothing is faster
  seconds[in_parts] = known_or(played(p, messages, processes, in_parts), DBL_MAX);
  seconds[by_puts] = DBL_MAX;
  if (!(c.put_latency > 0)) // nothing is known of puts
    return;
  const link puts{c.put_latency, c.put_of_byte, c.put_progress, c.put, 0};
  const double told = rounds_of(processes) * (c.send + c.latency + c.receive);
  seconds[by_puts] =
      known_or(played(p, puts, processes, by_puts) + told + processes * bytes * c.copy, DBL_MAX);
}

} // namespace tacit::compiler
