// Executes the commands of all ranks as an executor would, in a random order that `after` allows, on elements that carry the
// number of the job that wrote them; and sees what an oracle has to see: what arrives where, what kernels find, and who waits
// for ever.
#pragma once

#include "oracle/task_oracle.h"
#include "tasks/commands/planner.h"

#include <memory>
#include <random>
#include <sstream>

namespace tacit::tasks {

struct machine_options {
  bool discover = true, look_ahead = true;
  unsigned order = 0; ///< seed of the order of execution
  int horizon_step = 4;
  bool functors = false; ///< mappers are functors of the user
};

inline box box_at(const oracle::where& begin, const oracle::where& end) {
  return box_of(point{begin[0], begin[1], begin[2]}, point{end[0], end[1], end[2]});
}

/// A mapper of the oracle as one of the library.
inline mapper mapper_of(const oracle::touch& t) {
  const point numbers{t.numbers[0], t.numbers[1], t.numbers[2]};
  switch (t.how) {
  case oracle::way::one_to_one:
    return one_to_one();
  case oracle::way::all:
    return all();
  case oracle::way::fixed:
    return fixed(box_at(t.numbers, t.ends));
  case oracle::way::slice:
    return slice(t.numbers[0]);
  case oracle::way::around:
    return neighborhood(numbers);
  case oracle::way::cross:
    return neighborhood(numbers, neighborhood_shape::along_axes);
  case oracle::way::transposed:
    return transposed({t.numbers[0], t.numbers[1], t.numbers[2]});
  case oracle::way::even:
    return even_split(t.numbers[0]);
  case oracle::way::mirrored:
    return from_function("mirrored", [](const box& chunk, const box&, const range& extent) {
      box to = chunk;
      to[0] = {extent[0] - chunk[0].end, extent[0] - chunk[0].begin};
      return region(to);
    });
  }
  return one_to_one();
}

/// The same, as a functor of the user would say it.
inline mapper hidden(mapper map) {
  return from_function("a functor",
                       [map = std::move(map)](const box& chunk, const box& global, const range& extent) {
                         return image(map, chunk, global, extent);
                       });
}

/// A job of the oracle as a task of the library.
inline task task_of(const oracle::job& j, bool functors = false) {
  task t;
  t.shape.dims = 3;
  t.shape.global = box_at(j.begin, {j.begin[0] + j.size[0], j.begin[1] + j.size[1], j.begin[2] + j.size[2]});
  t.shape.split = j.split == oracle::division::rows    ? split_rule::one_dim
                  : j.split == oracle::division::tiles ? split_rule::two_dim
                                                       : split_rule::none;
  if (!j.weights.empty())
    t.shape.weights = std::vector<std::uint32_t>(j.weights.begin(), j.weights.end());
  if (j.on_every_rank) {
    t.kind = task_kind::fence;
    t.shape.split = split_rule::per_rank;
  }
  for (const oracle::use& u : j.uses)
    t.accesses.push_back({buffer_id{static_cast<std::uint32_t>(u.buffer)},
                          !u.writes  ? access_mode::read
                          : !u.reads ? access_mode::discard_write
                                     : access_mode::read_write,
                          functors ? hidden(mapper_of(u.what)) : mapper_of(u.what)});
  if (j.reduces_into >= 0)
    t.reductions.push_back({buffer_id{static_cast<std::uint32_t>(j.reduces_into)}, 1, false});
  return t;
}

inline std::vector<oracle::element_of> elements_of(buffer_id buffer, const region& r) {
  std::vector<oracle::element_of> out;
  for (const box& b : r.boxes())
    for (coordinate x = b[0].begin; x < b[0].end; ++x)
      for (coordinate y = b[1].begin; y < b[1].end; ++y)
        for (coordinate z = b[2].begin; z < b[2].end; ++z)
          out.push_back({static_cast<int>(index(buffer)),
                         {static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)}});
  return out;
}

class plan_machine {
public:
  virtual ~plan_machine() = default;
  plan_machine(const plan_machine&) = delete;
  plan_machine& operator=(const plan_machine&) = delete;
  plan_machine(const oracle::program& p, const oracle::expectation& e, machine_options options)
      : program_(p), expected_(e), random_(options.order) {
    for (int rank = 0; rank < p.ranks; ++rank) {
      planner_options o;
      o.ranks = static_cast<std::uint32_t>(p.ranks);
      o.me = rank_id{static_cast<std::uint32_t>(rank)};
      o.discover = options.discover;
      o.look_ahead = options.look_ahead;
      o.horizon_step = options.horizon_step;
      o.keep_graphs = true;
      planners_.push_back(std::make_unique<planner>(o));
      ranks_.emplace_back();
      submit_all(*planners_.back(), rank == 0, options.functors);
      for (command& c : planners_.back()->take())
        ranks_.back().commands.push_back(std::move(c));
      ranks_.back().done.resize(ranks_.back().commands.size());
      ranks_.back().started.resize(ranks_.back().commands.size());
      problems.insert(problems.end(), planners_.back()->problems().begin(),
                      planners_.back()->problems().end());
      fill_memory(ranks_.back());
    }
  }

  /// Runs everything. What goes wrong is said in `trouble`.
  void run() {
    while (trouble.empty()) {
      std::vector<std::pair<int, std::size_t>> ready;
      bool open = false;
      for (int rank = 0; rank < program_.ranks; ++rank)
        for (std::size_t i = 0; i < of(rank).commands.size(); ++i)
          if (!of(rank).started[i]) {
            open = true;
            if (can_start(rank, i))
              ready.emplace_back(rank, i);
          }
      if (!open)
        break;
      if (ready.empty()) {
        trouble = "nothing can start";
        break;
      }
      const auto [rank, i] = ready[random_() % ready.size()];
      start(rank, i);
    }
    if (!waiting_.empty() && trouble.empty())
      trouble = "a collective never completes";
  }

  std::string trouble;
  std::multiset<oracle::arrival> arrivals;
  std::map<std::string, int> collectives; ///< by kind, of all ranks together, each once
  std::size_t messages = 0;
  diagnostics problems;
  const planner& of_rank(int rank) const { return *planners_[static_cast<std::size_t>(rank)]; }
  const std::vector<command>& commands_of(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].commands;
  }

protected:
  // A rank has one memory. What has several (test_device_oracle.cpp) says how each of these goes there.
  /// Called before elements are read in order to send them, or overwritten by what arrives.
  virtual void before_sending(int, buffer_id, const region&) {}
  virtual void before_receiving(int, buffer_id, const region&) {}
  virtual int sent(int rank, const oracle::element_of& e) { return of(rank).memory[e]; }
  virtual void received(int rank, const oracle::element_of& e, int version) { of(rank).memory[e] = version; }
  /// Called when a rank has what all others have, too.
  virtual void received_by_all(int, buffer_id, const region&) {}
  virtual void run_job(int rank, const command&, std::size_t n) {
    for (const oracle::element_of& e : expected_.needed[n][static_cast<std::size_t>(rank)])
      if (of(rank).memory[e] != expected_.versions[n].at(e))
        complain(rank, e, of(rank).memory[e], expected_.versions[n].at(e), static_cast<int>(n));
    for (const oracle::element_of& e : expected_.written[n][static_cast<std::size_t>(rank)])
      of(rank).memory[e] = static_cast<int>(n);
    if (const int b = program_.jobs[n].reduces_into; b >= 0)
      for (const oracle::element_of& e :
           oracle::elements_of(b, program_.buffers[static_cast<std::size_t>(b)]))
        of(rank).memory[e] = static_cast<int>(n) + partial;
  }

  void complain(int rank, const oracle::element_of& e, int found, int wanted, int job) {
    std::ostringstream text;
    text << "rank " << rank << ", job " << job << ": element " << e.at[0] << " " << e.at[1] << " " << e.at[2]
         << " of buffer " << e.buffer << " is of job " << found << " and not of job " << wanted;
    trouble = text.str();
  }

  const oracle::program& program_;
  const oracle::expectation& expected_;
  std::mt19937 random_;

private:
  static constexpr int partial =
      1'000'000; ///< added to the version of an element while it is a partial value

  struct machine_rank {
    std::vector<command> commands;
    std::vector<char> started, done;
    std::map<oracle::element_of, int> memory;
    std::uint64_t last_exchange = 0; ///< number of the last collective that was started, plus one
  };
  struct mail {
    region what;
    std::map<oracle::element_of, int> values;
  };
  using mail_key = std::tuple<std::uint64_t, int, int>;
  using meeting_key = std::pair<std::uint64_t, std::uint32_t>; ///< exchange and first member
  struct meeting {
    std::vector<std::pair<int, std::size_t>> present;
  };

  machine_rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void submit_all(planner& to, bool first, bool functors) {
    for (const oracle::where& extent : program_.buffers)
      to.create_buffer({"", 3, {{extent[0], extent[1], extent[2]}}, 1, true});
    for (std::size_t j = 0; j < program_.jobs.size(); ++j) {
      const task_id id = to.submit(task_of(program_.jobs[j], functors));
      if (first)
        job_of_[id] = static_cast<int>(j);
    }
    task end;
    end.kind = task_kind::epoch;
    to.submit(end);
  }

  void fill_memory(machine_rank& r) {
    for (std::size_t b = 0; b < program_.buffers.size(); ++b)
      for (const oracle::element_of& e : oracle::elements_of(static_cast<int>(b), program_.buffers[b]))
        r.memory[e] = -1;
  }

  bool can_start(int rank, std::size_t i) {
    machine_rank& r = of(rank);
    const command& c = r.commands[i];
    for (const command_id before : c.after) {
      if (index(before) >= index(c.id)) {
        trouble = "a command comes after itself";
        return false;
      }
      if (!r.done[index(before)])
        return false;
    }
    if (c.kind == command_kind::await_push)
      return mail_.contains({c.transfer, static_cast<int>(index(c.peer)), rank});
    if (c.kind != command_kind::collective)
      return true;
    for (std::size_t k = 0; k < i; ++k) // started in order
      if (r.commands[k].kind == command_kind::collective && !r.started[k])
        return false;
    return true;
  }

  void start(int rank, std::size_t i) {
    machine_rank& r = of(rank);
    const command& c = r.commands[i];
    r.started[i] = true;
    switch (c.kind) {
    case command_kind::execute:
    case command_kind::fence:
      run_job(rank, c, static_cast<std::size_t>(job_of_.at(c.task)));
      break;
    case command_kind::push:
      push(rank, c);
      break;
    case command_kind::await_push:
      await(rank, c);
      break;
    case command_kind::collective:
      meet(rank, i);
      return;
    default:
      break;
    }
    r.done[i] = true;
  }

  void push(int rank, const command& c) {
    ++messages;
    mail m{c.what, {}};
    before_sending(rank, c.buffer, c.what);
    for (const oracle::element_of& e : elements_of(c.buffer, c.what))
      m.values[e] = sent(rank, e);
    if (c.what.empty() ||
        !mail_.emplace(mail_key{c.transfer, rank, static_cast<int>(index(c.peer))}, std::move(m)).second)
      trouble = "an empty message, or one with the number of another";
  }

  void await(int rank, const command& c) {
    const auto found = mail_.find({c.transfer, static_cast<int>(index(c.peer)), rank});
    if (found->second.what != c.what)
      trouble = "sent " + text_of(found->second.what) + " and awaited " + text_of(c.what);
    before_receiving(rank, c.buffer, c.what);
    for (const auto& [e, version] : found->second.values)
      arrive(e, version, static_cast<int>(index(c.peer)), rank);
    mail_.erase(found);
  }

  void arrive(const oracle::element_of& e, int version, int from, int to) {
    if (version < 0 || version >= partial ||
        program_.jobs[static_cast<std::size_t>(version)].reduces_into != e.buffer)
      arrivals.insert({e, version, from, to});
    received(to, e, version);
  }

  void meet(int rank, std::size_t i) {
    const command& c = of(rank).commands[i];
    if (index(c.number) + 1 <= of(rank).last_exchange)
      trouble = "collectives out of order";
    of(rank).last_exchange = index(c.number) + 1;
    const meeting_key key{index(c.number), static_cast<std::uint32_t>(index(c.members.member(0)))};
    meeting& m = waiting_[key];
    m.present.emplace_back(rank, i);
    if (!c.members.contains(rank_id{static_cast<std::uint32_t>(rank)}))
      trouble = "a rank takes part in a collective of others";
    if (m.present.size() < c.members.size())
      return;
    complete(m);
    waiting_.erase(key);
  }

  void complete(const meeting& m) {
    const command& first = of(m.present[0].first).commands[m.present[0].second];
    ++collectives[name_of(first.exchange->kind)];
    for (const auto& [rank, i] : m.present) {
      const command& c = of(rank).commands[i];
      if (c.exchange->kind != first.exchange->kind || c.exchange->signature != first.exchange->signature ||
          !(c.members == first.members) || c.stream_hash != first.stream_hash)
        trouble = "members of a collective disagree";
    }
    std::vector<oracle::arrival> all;
    for (const exchange_part& part : first.exchange->parts)
      for (const auto& [to, i] : m.present)
        is_reduction(first.exchange->kind) ? combine(first, part, to, m, all)
                                           : collect(first, part, to, i, m, all);
    for (const exchange_part& part : first.exchange->parts)
      for (const auto& [to, i] : m.present)
        before_receiving(to, part.buffer, arriving(part, to, all));
    for (const oracle::arrival& a : all)
      is_reduction(first.exchange->kind) ? void(of(a.to).memory[a.what] = a.version)
                                         : arrive(a.what, a.version, a.from, a.to);
    if (first.exchange->kind == collective_kind::allgather ||
        first.exchange->kind == collective_kind::broadcast)
      for (const exchange_part& part : first.exchange->parts)
        for (const auto& [to, i] : m.present)
          received_by_all(to, part.buffer, arriving(part, to, all));
    for (const auto& [rank, i] : m.present)
      of(rank).done[i] = true;
  }

  static region arriving(const exchange_part& part, int to, const std::vector<oracle::arrival>& all) {
    std::vector<box> out;
    for (const oracle::arrival& a : all)
      if (a.to == to && a.what.buffer == static_cast<int>(index(part.buffer)))
        out.push_back(box_at(a.what.at, {a.what.at[0] + 1, a.what.at[1] + 1, a.what.at[2] + 1}));
    return region(std::move(out));
  }

  /// What MPI's collective of this kind would bring to a rank.
  void collect(const command& c, const exchange_part& part, int to, std::size_t i, const meeting& m,
               std::vector<oracle::arrival>& all) {
    const auto rank = [](int r) { return rank_id{static_cast<std::uint32_t>(r)}; };
    for (const auto& [from, k] : m.present) {
      if (from == to)
        continue;
      region what;
      switch (c.exchange->kind) {
      case collective_kind::broadcast:
        what = rank(from) == c.exchange->root ? contribution(part, rank(from)) : region{};
        break;
      case collective_kind::allgather:
        what = contribution(part, rank(from));
        break;
      case collective_kind::gather:
        what = rank(to) == c.exchange->root ? moved(part, rank(from), rank(to)) : region{};
        break;
      case collective_kind::scatter:
        what = rank(from) == c.exchange->root ? moved(part, rank(from), rank(to)) : region{};
        break;
      case collective_kind::halo: {
        const auto& sends = of(from).commands[k].sends_to;
        const auto& receives = of(to).commands[i].receives_from;
        if (std::ranges::count(sends, rank(to)) != std::ranges::count(receives, rank(from)))
          trouble = "neighbors do not know each other";
        if (std::ranges::count(sends, rank(to)))
          what = moved(part, rank(from), rank(to));
        break;
      }
      default:
        what = moved(part, rank(from), rank(to));
      }
      before_sending(from, part.buffer, what);
      for (const oracle::element_of& e : elements_of(part.buffer, what))
        all.push_back({e, sent(from, e), from, to});
    }
  }

  void combine(const command& c, const exchange_part& part, int to, const meeting& m,
               std::vector<oracle::arrival>& all) {
    const int job = job_of_.at(c.partials_of);
    const std::map<oracle::where, int> items =
        oracle::ranks_of_items(program_.jobs[static_cast<std::size_t>(job)], program_.ranks);
    std::set<int> contributors, present;
    for (const auto& [item, rank] : items)
      contributors.insert(rank);
    for (const auto& [rank, i] : m.present)
      present.insert(rank);
    for (const int rank : contributors)
      if (!present.contains(rank))
        trouble = "a partial value is left out";
    for (const oracle::element_of& e :
         elements_of(part.buffer, reduced(part, rank_id{static_cast<std::uint32_t>(to)}))) {
      for (const int rank : contributors)
        if (of(rank).memory[e] != job + partial)
          complain(rank, e, of(rank).memory[e], job + partial, job);
      all.push_back({e, job, to, to});
    }
  }

  std::vector<std::unique_ptr<planner>> planners_;
  std::vector<machine_rank> ranks_;
  std::map<task_id, int> job_of_;
  std::map<mail_key, mail> mail_;
  std::map<meeting_key, meeting> waiting_;
};

} // namespace tacit::tasks
