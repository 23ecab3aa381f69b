// The text form of a machine model. Reading trusts nothing: every field must be there, have its type and a
// sensible value, sizes must rise, and nothing else may be in it.
#include "graphs/platform/json_value.h"
#include "graphs/platform/machine_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace tacit::graphs {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_sizes = 64;           // of one table; 11 are measured
constexpr std::size_t most_model_text = 1 << 20; // of a file; about 6 KiB are written
constexpr double longest = 1e12;                 // nanoseconds: nothing takes a quarter of an hour

[[noreturn]] void refuse(const std::string& what) {
  throw model_error(what);
}

json of(const spread& s) {
  // What takes some time takes some where the text is read.
  const auto tenths = [](double x) { return x > 0 ? std::max(std::round(x * 10), 1.0) / 10 : 0; };
  return {tenths(s.low), tenths(s.median), tenths(s.high)};
}

/// An object all of whose fields have to be asked for.
class fields {
public:
  fields(const json_value& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.fields())
      refuse(fmt::format("{} is no object", where_));
  }
  const json_value& at(const char* key) {
    const json_value* found = object_.find(key);
    if (!found)
      refuse(fmt::format("{} has no \"{}\"", where_, key));
    ++asked_;
    return *found;
  }
  std::string text(const char* key) {
    const std::string* value = at(key).text();
    if (!value || value->size() > 1000)
      refuse(fmt::format("\"{}\" of {} is no short text", key, where_));
    return *value;
  }
  bool truth(const char* key) {
    const bool* value = at(key).truth();
    if (!value)
      refuse(fmt::format("\"{}\" of {} is neither true nor false", key, where_));
    return *value;
  }
  std::uint64_t whole(const char* key, std::uint64_t most) {
    const std::uint64_t* value = at(key).whole();
    if (!value || *value > most)
      refuse(fmt::format("\"{}\" of {} is no whole number up to {}", key, where_, most));
    return *value;
  }
  spread quartiles(const char* key, double most = longest) {
    const json_value::array* value = at(key).elements();
    if (!value || value->size() != 3)
      refuse(fmt::format("\"{}\" of {} is no list of three quartiles", key, where_));
    double q[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<double> number = (*value)[i].number();
      if (!number || !(*number >= 0) || *number > most)
        refuse(fmt::format("\"{}\" of {} is no number from 0 to {}", key, where_, most));
      q[i] = *number;
    }
    if (q[0] > q[1] || q[1] > q[2])
      refuse(fmt::format("the quartiles \"{}\" of {} do not rise", key, where_));
    return {q[0], q[1], q[2]};
  }
  /// Files of earlier versions do not have it.
  bool has(const char* key) const { return object_.find(key); }
  void end() const {
    if (asked_ != object_.fields()->size())
      refuse(fmt::format("{} has fields that this version does not know", where_));
  }

private:
  const json_value& object_;
  std::string where_;
  std::size_t asked_ = 0;
};

/// A list of objects with rising sizes.
template <typename Cost, typename Read>
std::vector<Cost> costs(fields& from, const char* key, bool needed, Read&& read) {
  const json_value::array* list = from.at(key).elements();
  if (!list || list->size() > most_sizes || (needed && list->empty()))
    refuse(fmt::format("\"{}\" is no list of 1 to {} sizes", key, most_sizes));
  std::vector<Cost> out;
  for (const json_value& element : *list) {
    fields f(element, fmt::format("entry {} of \"{}\"", out.size(), key));
    Cost c;
    c.bytes = f.whole("bytes", std::uint64_t{1} << 40);
    read(f, c);
    f.end();
    if (!out.empty() && c.bytes <= out.back().bytes)
      refuse(fmt::format("the sizes of \"{}\" do not rise", key));
    out.push_back(c);
  }
  return out;
}

window_model window_of(const std::string& text) {
  for (const window_model w : {window_model::none, window_model::separate, window_model::unified})
    if (text == name(w))
      return w;
  refuse("\"window\" is neither none, separate nor unified");
}

machine_identity identity_of(const json_value& object) {
  fields f(object, "\"machine\"");
  machine_identity m;
  m.host = f.text("host");
  m.cpu = f.text("cpu");
  m.cores = static_cast<int>(f.whole("cores", 1 << 20));
  m.mpi = f.text("mpi");
  f.end();
  return m;
}

one_sided_rate rate_of(const json_value& object, const char* key) {
  fields f(object, fmt::format("\"{}\" of \"one_sided\"", key));
  const one_sided_rate r{f.quartiles("single"), f.quartiles("coalesced")};
  f.end();
  if (!r.measured())
    refuse(fmt::format("\"{}\" of \"one_sided\" takes no time", key));
  return r;
}

json of(const one_sided_rate& r) {
  return {{"single", of(r.single)}, {"coalesced", of(r.coalesced)}};
}

machine_model model_of(const json_value& all) {
  fields f(all, "the file");
  if (f.text("tacit") != "machine model")
    refuse("it is no machine model");
  if (const auto format = f.whole("format", 1'000'000); format != model_format)
    refuse(fmt::format("it has format {}, this version of tacit reads format {}", format, model_format));
  machine_model m;
  m.machine = identity_of(f.at("machine"));
  m.one_host = f.truth("one_host");
  if (f.has("one_cache"))
    m.one_cache = f.truth("one_cache");
  m.measured = f.text("measured");
  m.core_share = static_cast<double>(f.whole("core_share_percent", 100));
  m.eager_limit = f.whole("eager_limit", std::uint64_t{1} << 40);
  m.eager_always = f.truth("eager_always");
  m.flag = f.quartiles("flag");
  m.window = window_of(f.text("window"));
  m.progress = f.quartiles("progress_percent", 100);
  m.messages = costs<message_times>(f, "messages", true, [](fields& from, message_times& c) {
    c.one_way = from.quartiles("one_way");
    c.send = from.quartiles("send");
    c.receive = from.quartiles("receive");
    c.gap = from.quartiles("gap");
    if (from.has("exchange"))
      c.exchange = from.quartiles("exchange");
  });
  m.memory = costs<memory_cost>(f, "memory", false, [](fields& from, memory_cost& c) {
    c.copy = from.quartiles("copy");
    c.fetch = from.quartiles("fetch");
    if (from.has("fill"))
      c.fill = from.quartiles("fill");
    if (from.has("combine"))
      c.combine = from.quartiles("combine");
  });
  if (f.has("channels"))
    m.channels = costs<channel_time>(f, "channels", true, [](fields& from, channel_time& c) {
      c.one_way = from.quartiles("one_way");
      c.exchange = from.quartiles("exchange");
    });
  m.puts = costs<put_cost>(f, "puts", false,
                           [](fields& from, put_cost& c) { c.put_flush = from.quartiles("put_flush"); });
  if (f.has("put_meanwhile")) {
    fields meanwhile(f.at("put_meanwhile"), "\"put_meanwhile\"");
    m.put_meanwhile = {meanwhile.quartiles("call"), meanwhile.quartiles("progress_percent", 100)};
    meanwhile.end();
  }
  if (f.has("one_sided")) {
    fields rates(f.at("one_sided"), "\"one_sided\"");
    m.put_rate = rate_of(rates.at("put"), "put");
    m.get_rate = rate_of(rates.at("get"), "get");
    m.accumulate_rate = rate_of(rates.at("accumulate"), "accumulate");
    rates.end();
  }
  f.end();
  return m;
}

} // namespace

std::string text_of(const machine_model& m) {
  json out{{"tacit", "machine model"}, {"format", model_format}};
  out["machine"] = {{"host", m.machine.host},
                    {"cpu", m.machine.cpu},
                    {"cores", static_cast<unsigned>(m.machine.cores)},
                    {"mpi", m.machine.mpi}};
  out["one_host"] = m.one_host;
  if (!m.one_cache)
    out["one_cache"] = false;
  out["measured"] = m.measured;
  out["core_share_percent"] = static_cast<unsigned>(m.core_share);
  out["eager_limit"] = m.eager_limit;
  out["eager_always"] = m.eager_always;
  out["flag"] = of(m.flag);
  out["window"] = name(m.window);
  out["progress_percent"] = of(m.progress);
  out["messages"] = json::array();
  for (const message_times& c : m.messages) {
    out["messages"].push_back({{"bytes", c.bytes},
                               {"one_way", of(c.one_way)},
                               {"send", of(c.send)},
                               {"receive", of(c.receive)},
                               {"gap", of(c.gap)}});
    if (c.exchange.high > 0)
      out["messages"].back()["exchange"] = of(c.exchange);
  }
  out["memory"] = json::array();
  for (const memory_cost& c : m.memory) {
    out["memory"].push_back({{"bytes", c.bytes}, {"copy", of(c.copy)}, {"fetch", of(c.fetch)}});
    if (c.fill.high > 0)
      out["memory"].back()["fill"] = of(c.fill);
    if (c.combine.high > 0)
      out["memory"].back()["combine"] = of(c.combine);
  }
  for (const channel_time& c : m.channels)
    out["channels"].push_back({{"bytes", c.bytes}, {"one_way", of(c.one_way)}, {"exchange", of(c.exchange)}});
  out["puts"] = json::array();
  for (const put_cost& c : m.puts)
    out["puts"].push_back({{"bytes", c.bytes}, {"put_flush", of(c.put_flush)}});
  if (m.put_meanwhile.measured())
    out["put_meanwhile"] = {{"call", of(m.put_meanwhile.call)},
                            {"progress_percent", of(m.put_meanwhile.progress)}};
  if (m.put_rate.measured() && m.get_rate.measured() && m.accumulate_rate.measured())
    out["one_sided"] = {
        {"put", of(m.put_rate)}, {"get", of(m.get_rate)}, {"accumulate", of(m.accumulate_rate)}};
  return out.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

machine_model parse_model(std::string_view text) {
  if (text.size() > most_model_text)
    refuse(fmt::format("it has {} bytes; a machine model has some thousand", text.size()));
  try {
    return model_of(parse_json(text));
  } catch (const json_error& e) {
    refuse(e.what());
  }
}

} // namespace tacit::graphs
