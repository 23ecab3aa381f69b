#include "surface/selftest/step.h"

#include "surface/selftest/hash.h"
#include "surface/selftest/watch.h"

#include <algorithm>
#include <array>

namespace tacit::surface {
namespace {

constexpr int outcome_tag = 1;

/// Messages of the program itself on the communicator of the topology, received by wildcards: nothing of the
/// library may be taken by them, and the library may take none of them.
class traffic {
public:
  traffic(MPI_Comm comm, std::uint64_t number) {
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int tag = static_cast<int>(number % 3);
    sent_ = {number, token(number, rank, tag)};
    for (std::size_t i = 0; i < received_.size(); ++i)
      MPI_Irecv(received_[i].data(), 2, MPI_UINT64_T, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests_[i]);
    for (std::size_t i = 0; i < 2; ++i)
      MPI_Isend(sent_.data(), 2, MPI_UINT64_T, (rank + (i == 0 ? 1 : size - 1)) % size, tag, comm,
                &requests_[2 + i]);
  }
  /// Completes it; empty if right. A neighbor may be ahead, so the number is the message's own.
  std::string finish() {
    std::array<MPI_Status, 4> statuses;
    if (const int code = MPI_Waitall(4, requests_.data(), statuses.data()); code != MPI_SUCCESS)
      return "a point-to-point message of the program failed";
    for (std::size_t i = 0; i < received_.size(); ++i)
      if (received_[i][1] != token(received_[i][0], statuses[i].MPI_SOURCE, statuses[i].MPI_TAG))
        return "a wildcard receive of the program took a wrong message, from rank " +
               std::to_string(statuses[i].MPI_SOURCE) + " with tag " + std::to_string(statuses[i].MPI_TAG);
    return {};
  }

private:
  using message = std::array<std::uint64_t, 2>; ///< number and token
  static std::uint64_t token(std::uint64_t number, int sender, int tag) {
    return hash({number, static_cast<std::uint64_t>(sender), static_cast<std::uint64_t>(tag)});
  }
  message sent_{};
  std::array<message, 2> received_{};
  std::array<MPI_Request, 4> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                       MPI_REQUEST_NULL};
};

/// Runs cases on one rank and keeps what was wrong first.
class runner {
public:
  runner(const step& asked, const sample_types& types) : asked_(asked), types_(types) {
    MPI_Comm_rank(asked.comm, &rank_);
  }

  std::int64_t cases = 0, wrong = 0;
  std::string first;

  exchange make(const variant& how) const { return {how, *asked_.where, rank_, types_, asked_.comm}; }

  void run_alone(const variant& how) {
    exchange one = make(how);
    announce(one.words());
    ++cases;
    std::string trouble;
    if (asked_.how == mode::blocking)
      trouble = run_blocking(one);
    else
      trouble = run_in_flight({&one}, 0);
    note(one.words(), trouble);
  }

  /// All of them under way at once, completed in an order of this rank's own.
  void run_together(const std::vector<variant>& hows) {
    std::vector<std::unique_ptr<exchange>> all;
    std::vector<exchange*> list;
    for (const variant& how : hows) {
      all.push_back(std::make_unique<exchange>(how, *asked_.where, rank_, types_, asked_.comm));
      list.push_back(all.back().get());
    }
    const std::string words = std::to_string(list.size()) + " at once";
    announce(words);
    ++cases;
    note(words, run_in_flight(list, rank_ % static_cast<int>(list.size())));
  }

  /// Calls in a random order amid point-to-point messages that are completed now or later.
  void run_mixture(const std::vector<variant>& hows) {
    choices own(hash({asked_.seed, 17, static_cast<std::uint64_t>(rank_)}));
    std::vector<std::unique_ptr<traffic>> messages;
    std::string words = "a mixture of calls amid messages", trouble;
    ++cases;
    for (const variant& how : hows) {
      exchange one = make(how);
      announce(words + ": " + one.words());
      messages.push_back(std::make_unique<traffic>(asked_.comm, how.number));
      if (trouble.empty())
        trouble = asked_.how == mode::blocking ? run_blocking(one) : run_in_flight({&one}, 0);
      else // the others still wait for this rank
        asked_.how == mode::blocking ? run_blocking(one) : run_in_flight({&one}, 0);
      if (own.below(3) == 0)
        finish(messages, trouble);
    }
    finish(messages, trouble);
    note(words, trouble);
  }

private:
  static void finish(std::vector<std::unique_ptr<traffic>>& messages, std::string& trouble) {
    for (const auto& one : messages)
      if (const std::string found = one->finish(); trouble.empty())
        trouble = found;
    messages.clear();
  }

  std::string name() const {
    return std::string(mode_names[static_cast<std::size_t>(asked_.how)]) + " (" +
           std::string(asked_.tested->name()) + ") on " + asked_.where->words;
  }
  void announce(const std::string& words) const { now_doing(name() + ": " + words); }
  void note(const std::string& words, const std::string& trouble) {
    if (trouble.empty())
      return;
    ++wrong;
    if (first.empty())
      first = asked_.where->words + ", " + words + ", rank " + std::to_string(rank_) + ": " + trouble;
  }

  std::string failed(int code) const { return "error: " + asked_.tested->words(code); }
  static void keep(std::string& trouble, const std::string& found) {
    if (trouble.empty())
      trouble = found;
  }

  std::string run_blocking(exchange& one) const {
    std::string trouble;
    for (int i = 0; i < asked_.iterations; ++i) {
      one.fill(i);
      if (const int code = asked_.tested->run(one.call_arguments()); code != 0)
        keep(trouble, failed(code));
      keep(trouble, one.check(i));
    }
    return trouble;
  }

  std::string run_in_flight(const std::vector<exchange*>& list, int first_to_wait) const {
    return asked_.how == mode::nonblocking ? run_nonblocking(list, first_to_wait)
                                           : run_persistent(list, first_to_wait);
  }

  using operations = std::vector<std::unique_ptr<operation>>;

  void wait_for(const operations& under_way, const std::vector<exchange*>& list, int first_to_wait,
                int iteration, std::string& trouble) const {
    for (std::size_t i = list.size(); i-- > 0;) {
      const std::size_t k = (i + static_cast<std::size_t>(first_to_wait)) % list.size();
      if (!under_way[k])
        continue;
      if (const int code = under_way[k]->wait(); code != 0)
        keep(trouble, failed(code));
      keep(trouble, list[k]->check(iteration));
    }
  }

  std::string run_nonblocking(const std::vector<exchange*>& list, int first_to_wait) const {
    std::string trouble;
    for (int i = 0; i < asked_.iterations; ++i) {
      operations under_way;
      for (exchange* one : list) {
        one->fill(i);
        int code = 0;
        under_way.push_back(asked_.tested->begin(one->call_arguments(), code));
        if (code != 0)
          keep(trouble, failed(code));
      }
      wait_for(under_way, list, first_to_wait, i, trouble);
      free_all(under_way, trouble);
    }
    return trouble;
  }

  std::string run_persistent(const std::vector<exchange*>& list, int first_to_wait) const {
    std::string trouble;
    operations made;
    for (exchange* one : list) {
      int code = 0;
      made.push_back(asked_.tested->init(one->call_arguments(), code));
      if (code != 0)
        keep(trouble, failed(code));
    }
    for (int i = 0; i < asked_.iterations; ++i) {
      for (std::size_t k = 0; k < list.size(); ++k) {
        list[k]->fill(i);
        if (made[k])
          if (const int code = made[k]->start(); code != 0)
            keep(trouble, failed(code));
      }
      wait_for(made, list, first_to_wait, i, trouble);
    }
    free_all(made, trouble);
    return trouble;
  }

  void free_all(const operations& list, std::string& trouble) const {
    for (const auto& one : list)
      if (one)
        if (const int code = one->free(); code != 0)
          keep(trouble, failed(code));
  }

  const step& asked_;
  const sample_types& types_;
  int rank_ = 0;
};

/// Equal counts everywhere: whatever is mapped wrongly, lengths agree.
std::vector<variant> careful_variants(call what) {
  return {{what, sample_types::ints, 1, false, false, false, false, 1},
          {what, sample_types::structures, 2, false, false, false, true, 2}};
}

std::vector<variant> other_variants(call what, std::uint64_t seed) {
  std::vector<variant> list{
      {what, sample_types::vectors, 2, true, true, false, true, 3},
      {what, sample_types::lower_bound, 2, true, false, true, true, 4},
      {what, sample_types::doubles, 0, false, false, false, false, 5},
      {what, sample_types::backwards, 3, true, true, true, true, 6},
      {what, sample_types::characters, 1, true, false, false, true, 7},
  };
  if (seed % 4 == 0) // beyond every library's eager limit, now and then
    list.push_back({what, sample_types::doubles, 1500, false, false, false, false, 8});
  return list;
}

std::vector<variant> mixed_variants(const step& asked) {
  choices random(hash({asked.seed, 16}));
  std::vector<variant> list;
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto what = static_cast<call>(random.below(calls));
    const auto pair = static_cast<std::size_t>(random.below(7));
    list.push_back({what, pair, random.below(4), random.below(2) == 0, random.below(2) == 0,
                    random.below(2) == 0, random.below(2) == 0, 100 + i});
  }
  return list;
}

/// Tells rank 0 what was wrong first, and all ranks how much.
void agree(const step& asked, const runner& run, outcome& so_far) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(asked.control, &rank);
  MPI_Comm_size(asked.control, &ranks);
  so_far.cases = run.cases;
  const std::array<std::int64_t, 2> mine{run.wrong, run.wrong > 0 ? ranks - rank : 0};
  std::array<std::int64_t, 2> all{};
  MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT64_T, MPI_MAX, asked.control);
  so_far.wrong = all[0];
  if (all[0] == 0 || !so_far.first.empty())
    return;
  const int teller = ranks - static_cast<int>(all[1]);
  if (rank == teller && rank != 0)
    MPI_Send(run.first.data(), static_cast<int>(run.first.size()), MPI_CHAR, 0, outcome_tag, asked.control);
  if (rank != 0)
    return;
  so_far.first = run.first;
  if (teller != 0) {
    MPI_Status status;
    int length = 0;
    MPI_Probe(teller, outcome_tag, asked.control, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    so_far.first.resize(static_cast<std::size_t>(length));
    MPI_Recv(so_far.first.data(), length, MPI_CHAR, teller, outcome_tag, asked.control, MPI_STATUS_IGNORE);
  }
}

} // namespace

outcome run_step(const step& asked, const sample_types& types) {
  runner run(asked, types);
  outcome found;
  if (asked.what == mixture) {
    run.run_mixture(mixed_variants(asked));
    agree(asked, run, found);
    return found;
  }
  const auto what = static_cast<call>(asked.what);
  for (const variant& how : careful_variants(what))
    run.run_alone(how);
  agree(asked, run, found);
  if (found.wrong > 0)
    return found;
  const std::vector<variant> others = other_variants(what, asked.seed);
  for (const variant& how : others)
    run.run_alone(how);
  if (asked.how != mode::blocking)
    run.run_together(others);
  agree(asked, run, found);
  return found;
}

} // namespace tacit::surface
