#include "graphs/platform/machine_model.h"

#include <algorithm>
#include <cmath>

namespace tacit::graphs {
namespace {

template <typename Cost, typename Part>
double interpolated(const std::vector<Cost>& list, Part part, double bytes) {
  if (list.empty())
    return 0;
  if (list.size() == 1 || bytes <= static_cast<double>(list.front().bytes))
    return (list.front().*part).median;
  std::size_t i = 1;
  while (i + 1 < list.size() && static_cast<double>(list[i].bytes) < bytes)
    ++i;
  const double x0 = static_cast<double>(list[i - 1].bytes), x1 = static_cast<double>(list[i].bytes);
  const double y0 = (list[i - 1].*part).median, y1 = (list[i].*part).median;
  const double slope = (y1 - y0) / (x1 - x0);
  return bytes > x1 ? y1 + std::max(slope, 0.0) * (bytes - x1) : y0 + slope * (bytes - x0);
}

/// A default that was not measured: its quartiles are guessed. Files hold tenths of a nanosecond, and so does this.
spread about(double median) {
  const auto tenths = [](double x) { return std::round(x * 10) / 10; };
  return {tenths(median * 0.9), tenths(median), tenths(median * 1.2)};
}

machine_model make_defaults() {
  machine_model m;
  m.machine.mpi = "any MPI";
  m.eager_limit = 4096;
  m.flag = about(120);
  m.window = window_model::unified;
  m.progress = {0, 0, 0};
  // A message costs 500 ns, of which 120 and 150 on the two cores; 4 GB/s in eager copies, 8 GB/s in large
  // ones.
  for (const double n : {8.0, 64.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0}) {
    const auto bytes = static_cast<std::uint64_t>(n);
    const bool eager = n <= 4096;
    const double moving = n / (eager ? 4 : 8);
    m.messages.push_back({bytes,
                          about(500 + (eager ? 0 : 1500) + moving),
                          about(120 + (eager ? n / 8 : 200)),
                          about(150 + (eager ? n / 8 : 500 + moving)),
                          about(250 + (eager ? 0 : 1000) + moving),
                          {}});
    m.memory.push_back({bytes, about(10 + n / 16), about(60 + n / 8), {}, {}});
    m.puts.push_back({bytes, about(400 + n / 6)});
    m.channels.push_back(
        {bytes, about(270 + n / 16), about(270 + n / 10)}); // two copies, one behind the other
  }
  return m;
}

} // namespace

spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(std::lround(share * static_cast<double>(samples.size() - 1)))];
  };
  return {at(0.25), at(0.5), at(0.75)};
}

std::string_view name(window_model w) {
  return w == window_model::none ? "none" : w == window_model::separate ? "separate" : "unified";
}

double machine_model::latency() const {
  if (messages.empty())
    return 0;
  const message_times& m = messages.front();
  return std::max(m.one_way.median - m.send.median - m.receive.median, 0.0);
}

bool operator==(const machine_model& a, const machine_model& b) {
  return a.machine == b.machine && a.one_host == b.one_host && a.one_cache == b.one_cache &&
         a.measured == b.measured && a.core_share == b.core_share && a.messages == b.messages &&
         a.eager_limit == b.eager_limit && a.eager_always == b.eager_always && a.flag == b.flag &&
         a.memory == b.memory && a.channels == b.channels && a.window == b.window && a.puts == b.puts &&
         a.put_meanwhile == b.put_meanwhile && a.put_rate == b.put_rate && a.get_rate == b.get_rate &&
         a.accumulate_rate == b.accumulate_rate && a.progress == b.progress;
}

double one_way_at(const machine_model& m, double bytes) {
  return interpolated(m.messages, &message_times::one_way, bytes);
}
double send_at(const machine_model& m, double bytes) {
  return interpolated(m.messages, &message_times::send, bytes);
}
double receive_at(const machine_model& m, double bytes) {
  return interpolated(m.messages, &message_times::receive, bytes);
}
double gap_at(const machine_model& m, double bytes) {
  return interpolated(m.messages, &message_times::gap, bytes);
}
double exchange_at(const machine_model& m, double bytes) {
  return interpolated(m.messages, &message_times::exchange, bytes);
}
double copy_at(const machine_model& m, double bytes) {
  return interpolated(m.memory, &memory_cost::copy, bytes);
}
double fetch_at(const machine_model& m, double bytes) {
  return interpolated(m.memory, &memory_cost::fetch, bytes);
}
double fill_at(const machine_model& m, double bytes) {
  return std::max(interpolated(m.memory, &memory_cost::fill, bytes), copy_at(m, bytes));
}
double combine_at(const machine_model& m, double bytes) {
  return interpolated(m.memory, &memory_cost::combine, bytes);
}
double put_at(const machine_model& m, double bytes) {
  return interpolated(m.puts, &put_cost::put_flush, bytes);
}

double channel_at(const machine_model& m, double bytes) {
  return interpolated(m.channels, &channel_time::one_way, bytes);
}
double channel_exchange_at(const machine_model& m, double bytes) {
  return interpolated(m.channels, &channel_time::exchange, bytes);
}

const machine_model& default_model() {
  static const machine_model defaults = make_defaults();
  return defaults;
}

} // namespace tacit::graphs
