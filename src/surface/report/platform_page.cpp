#include "surface/report/platform_page.h"

#include "vocabulary/base/amounts.h"

#include <fmt/format.h>
#include <utility>

namespace tacit::surface {
namespace {

std::string time(double nanoseconds) {
  return readable_seconds(nanoseconds * 1e-9);
}

/// "410 ns (390–460)": in one unit where that is short.
std::string time(const graphs::spread& s) {
  const double unit = s.median >= 1e6 ? 1e6 : s.median >= 1e3 ? 1e3 : 1;
  const char* name = unit == 1e6 ? "ms" : unit == 1e3 ? "µs" : "ns";
  const int digits = s.median / unit < 10 && unit > 1 ? 2 : s.median / unit < 100 && unit > 1 ? 1 : 0;
  return fmt::format("{:.{}f} {} ({:.{}f}–{:.{}f})", s.median / unit, digits, name, s.low / unit, digits,
                     s.high / unit, digits);
}

std::string bandwidth(const graphs::message_times& c) {
  return c.gap.median > 0 ? fmt::format("{:.3g} GB/s", static_cast<double>(c.bytes) / c.gap.median) : "";
}

std::string eager_text(const graphs::machine_model& m) {
  if (m.eager_limit == 0)
    return "no send completes before its receive is posted";
  return fmt::format("{}{}", readable_bytes(m.eager_limit),
                     m.eager_always ? ", the largest message tried" : fmt::format(" ({} B)", m.eager_limit));
}

/// Of several models of a library.
std::string name_of(const graphs::machine_model& m) {
  switch (m.between()) {
  case graphs::pair_class::other_cache:
    return m.machine.mpi + " between caches";
  case graphs::pair_class::other_node:
    return m.machine.mpi + " between hosts";
  default:
    return m.machine.mpi;
  }
}

table scalars(const graphs::machine_model& m) {
  table t{.title = name_of(m),
          .note = fmt::format("Between two ranks of {}. In brackets: quartiles.",
                              !m.one_host   ? "two hosts"
                              : m.one_cache ? "one host"
                                            : "one host whose cores share no cache"),
          .head = {"parameter", "value"},
          .rows = {}};
  t.rows.push_back({"latency L (one way without o_s and o_r)", time(m.latency())});
  t.rows.push_back({"eager limit", eager_text(m)});
  t.rows.push_back(
      {"a large message moves while its receiver computes",
       fmt::format("{:.0f} % ({:.0f}–{:.0f})", m.progress.median, m.progress.low, m.progress.high)});
  t.rows.push_back(
      {"a cache line from core to core", m.flag.median > 0 ? time(m.flag) : "no memory is shared"});
  t.rows.push_back({"windows", fmt::format("{}", graphs::name(m.window))});
  if (m.put_meanwhile.measured()) {
    t.rows.push_back({"MPI_Put of 1 KiB, until it returns", time(m.put_meanwhile.call)});
    const graphs::spread& moved = m.put_meanwhile.progress;
    t.rows.push_back({"a large put moves while both compute",
                      fmt::format("{:.0f} % ({:.0f}–{:.0f})", moved.median, moved.low, moved.high)});
  }
  for (const auto& [what, rate] :
       {std::pair("put", m.put_rate), {"get", m.get_rate}, {"accumulate", m.accumulate_rate}})
    if (rate.measured())
      t.rows.push_back({fmt::format("a {} of 8 B among many", what),
                        fmt::format("{}; coalesced {}", time(rate.single), time(rate.coalesced))});
  return t;
}

std::string if_measured(const graphs::spread& s) {
  return s.high > 0 ? time(s) : "–";
}

table message_table(const graphs::machine_model& m) {
  table t{.title = name_of(m) + ": messages",
          .note = {},
          .head = {"bytes", "one way", "o_s", "o_r", "gap", "bandwidth", "exchange"},
          .rows = {}};
  for (const graphs::message_times& c : m.messages)
    t.rows.push_back({readable_bytes(c.bytes), time(c.one_way), time(c.send), time(c.receive), time(c.gap),
                      bandwidth(c), if_measured(c.exchange)});
  return t;
}

table memory_table(const graphs::machine_model& m) {
  table t{.title = name_of(m) + ": memory and windows",
          .note =
              "Copy: bytes that the same core has just written. Fetch: that the other core has just written. "
              "Fill: into memory that the other core has just read. Combine: MPI_Reduce_local of integers of "
              "64 bits.",
          .head = {"bytes", "copy", "fetch", "fill", "combine", "put and flush"},
          .rows = {}};
  const std::size_t rows = std::max(m.memory.size(), m.puts.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const bool memory = i < m.memory.size(), put = i < m.puts.size();
    t.rows.push_back(
        {readable_bytes(memory ? m.memory[i].bytes : m.puts[i].bytes), memory ? time(m.memory[i].copy) : "–",
         memory ? time(m.memory[i].fetch) : "–", memory ? if_measured(m.memory[i].fill) : "–",
         memory ? if_measured(m.memory[i].combine) : "–", put ? time(m.puts[i].put_flush) : "–"});
  }
  return t;
}

table channel_table(const graphs::machine_model& m) {
  table t{
      .title = name_of(m) + ": channels through memory",
      .note =
          "One way: a message of ours until it has been received. Exchange: one each way at the same time.",
      .head = {"bytes", "one way", "exchange"},
      .rows = {}};
  for (const graphs::channel_time& c : m.channels)
    t.rows.push_back({readable_bytes(c.bytes), time(c.one_way), time(c.exchange)});
  return t;
}

template <typename Cost>
plot::curve curve(const char* name, const std::vector<Cost>& list, graphs::spread Cost::* part) {
  plot::curve c{name, {}};
  for (const Cost& cost : list)
    c.points.push_back({static_cast<double>(cost.bytes), (cost.*part).median * 1e-9, (cost.*part).low * 1e-9,
                        (cost.*part).high * 1e-9});
  return c;
}

plot times(const graphs::machine_model& m) {
  plot p{.title = name_of(m) + ": times by size",
         .note = "Points are medians, bars reach from the lower to the upper quartile.",
         .x_axis = "bytes",
         .y_axis = "time",
         .x_bytes = true,
         .y_seconds = true,
         .curves = {}};
  p.curves.push_back(curve("one way", m.messages, &graphs::message_times::one_way));
  p.curves.push_back(curve("send, o_s", m.messages, &graphs::message_times::send));
  p.curves.push_back(curve("receive, o_r", m.messages, &graphs::message_times::receive));
  p.curves.push_back(curve("gap", m.messages, &graphs::message_times::gap));
  if (!m.messages.empty() && m.messages.front().exchange.high > 0)
    p.curves.push_back(curve("exchange", m.messages, &graphs::message_times::exchange));
  p.curves.push_back(curve("copy", m.memory, &graphs::memory_cost::copy));
  p.curves.push_back(curve("fetch", m.memory, &graphs::memory_cost::fetch));
  if (!m.memory.empty() && m.memory.front().fill.high > 0)
    p.curves.push_back(curve("fill", m.memory, &graphs::memory_cost::fill));
  if (!m.memory.empty() && m.memory.front().combine.high > 0)
    p.curves.push_back(curve("combine", m.memory, &graphs::memory_cost::combine));
  if (!m.channels.empty())
    p.curves.push_back(curve("channel, exchange", m.channels, &graphs::channel_time::exchange));
  p.curves.push_back(curve("put and flush", m.puts, &graphs::put_cost::put_flush));
  return p;
}

} // namespace

page platform_page(std::span<const shown_model> models) {
  page p;
  const graphs::machine_identity& here = models.front().model.machine;
  if (here.host.empty()) { // see documented_defaults
    p.title = "documented defaults, not measured";
    p.subtitle = "no model of this machine is kept that can be used";
  } else {
    p.title = fmt::format("machine model of {}", here.host);
    p.subtitle = fmt::format("{}, {} cores", here.cpu.empty() ? "unknown processor" : here.cpu, here.cores);
  }
  for (const auto& [m, origin] : models) {
    p.headlines.push_back(fmt::format(
        "{}: a message of {} takes {}, a large one moves at {}; sends of up to {} do not "
        "wait for their receiver.",
        name_of(m), readable_bytes(m.messages.front().bytes), time(m.messages.front().one_way.median),
        bandwidth(m.messages.back()), readable_bytes(m.eager_limit)));
    if (m.busy())
      p.headlines.push_back(
          fmt::format("The machine was busy: each rank had {:.0f} % of a core, so these times are too "
                      "long and nothing uses them. Measure again on a quiet machine with "
                      "tacit platform --again.",
                      m.core_share));
    p.facts.emplace_back(name_of(m), origin);
    p.plots.push_back(times(m));
    p.tables.push_back(scalars(m));
    p.tables.push_back(message_table(m));
    p.tables.push_back(memory_table(m));
    if (!m.channels.empty())
      p.tables.push_back(channel_table(m));
  }
  return p;
}

} // namespace tacit::surface
