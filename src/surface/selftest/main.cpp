// The conformance suite of neighborhood collectives as an MPI program. `tacit selftest` launches it; by
// itself it is
//
//     mpiexec -n 4 tacit-selftest --implementations mpi,sends --output result.json
//
// Every rank makes the same list of topologies and the same list of cases; each case is decided locally by
// the oracle (exchange.h, topology.h). Rank 0 keeps the ledger and writes the result. Exit code 0: the suite
// ran to its end, whatever it found.
#include "surface/selftest/hash.h"
#include "surface/selftest/ledger.h"
#include "surface/selftest/step.h"
#include "surface/selftest/watch.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tacit::surface {
namespace {

struct options {
  selection wanted;
  std::vector<std::string> implementations = default_implementations(), only;
  std::string journal, output;
  std::string help; ///< what to say instead of testing
  int iterations = 3, timeout = 30, ranks = 0;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "selftest: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 2);
  std::abort();
}

options read_options(int argc, char** argv) {
  options o;
  CLI::App app{"The conformance suite of neighborhood collectives; `tacit selftest` launches it.",
               "tacit-selftest"};
  app.option_defaults()->take_last(); // a launcher's words may repeat what was given
  const CLI::Range count(0, 1'000'000), at_least_one(1, 1'000'000);
  app.add_option("--implementations", o.implementations, "those to test")->delimiter(',');
  app.add_option("--only", o.only, "only these calls, modes and topologies")->delimiter(',');
  app.add_option("--journal", o.journal, "a file that a suite which died goes on from");
  app.add_option("--output", o.output, "the file for the result (default: standard output)");
  app.add_option("--seed", o.wanted.seed, "of the random cases");
  app.add_option("--dimensions", o.wanted.dimensions, "of Cartesian shapes, at most")->check(at_least_one);
  app.add_option("--every", o.wanted.every, "only each so many-th Cartesian shape")->check(at_least_one);
  app.add_option("--graphs", o.wanted.random_graphs, "random graphs of each kind")->check(count);
  app.add_option("--iterations", o.iterations, "of each case")->check(at_least_one);
  app.add_option("--timeout", o.timeout, "seconds after which a case counts as hanging")->check(at_least_one);
  app.add_option("--ranks", o.ranks, "the number of ranks that must have been started")->check(count);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
  } catch (const CLI::ParseError& error) {
    refuse(error.what());
  }
  for (const std::string& word : o.only) {
    const auto knows = [&word](const auto& list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (!knows(call_names) && !knows(mode_names) && !knows(class_names))
      refuse("'" + word + "' is no call, mode or topology");
  }
  return o;
}

run_facts find_facts(const options& o, int ranks) {
  run_facts facts;
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, version = 0, subversion = 0;
  MPI_Get_library_version(text, &length);
  MPI_Get_version(&version, &subversion);
  const std::string all(text, static_cast<std::size_t>(length));
  facts.version = all.substr(0, all.find_first_of(",\n\t"));
  facts.standard = std::to_string(version) + '.' + std::to_string(subversion);
  if (all.starts_with("MPICH Version:")) {
    std::istringstream words(all.substr(std::strlen("MPICH Version:")));
    std::string number;
    words >> number;
    facts.version = "MPICH " + number;
  }
  facts.family = all.starts_with("Open MPI") ? "openmpi" : all.starts_with("MPICH") ? "mpich" : "other";
  facts.ranks = ranks;
  facts.seed = o.wanted.seed;
  facts.implementations = o.implementations;
  return facts;
}

/// Every word of --only is the name of a call, mode or class; of each kind that is named one has to fit.
bool is_wanted(const options& o, const cell& where) {
  const std::string_view names[] = {call_names[static_cast<std::size_t>(where.call)],
                                    mode_names[static_cast<std::size_t>(where.mode)],
                                    class_names[static_cast<std::size_t>(where.kind)]};
  const auto fits = [&](const auto& kind, std::string_view mine) {
    bool named = false;
    for (const std::string& word : o.only)
      for (const std::string_view known : kind) {
        named = named || word == known;
        if (word == known && word == mine)
          return true;
      }
    return !named;
  };
  return fits(call_names, names[0]) && fits(mode_names, names[1]) && fits(class_names, names[2]);
}

class suite {
public:
  suite(options o, MPI_Comm control) : options_(std::move(o)), control_(control) {
    MPI_Comm_rank(control, &rank_);
    MPI_Comm_size(control, &ranks_);
    ledger_ = std::make_unique<ledger>(rank_ == 0 ? options_.journal : "");
    for (const std::string& name : options_.implementations) {
      tested_.push_back(make_implementation(name));
      if (!tested_.back())
        refuse("there is no implementation '" + name + "'");
    }
    last_ = ledger_->last_step();
    MPI_Bcast(&last_, 1, MPI_INT64_T, 0, control_);
  }

  void run() {
    std::vector<topology> all = make_topologies(ranks_, options_.wanted);
    if (rank_ == 0)
      ledger_->announce(static_cast<std::int64_t>(all.size()) * steps_per_topology());
    for (std::size_t t = 0; t < all.size(); ++t)
      for (std::size_t i = 0; i < tested_.size(); ++i)
        run_topology(static_cast<std::int64_t>(t), static_cast<int>(i), all[t]);
    watch_nothing();
    if (rank_ == 0)
      write_result(all.size());
  }

private:
  struct planned {
    std::int64_t number;
    cell where;
  };

  std::int64_t steps_per_topology() const {
    return static_cast<std::int64_t>(tested_.size()) * (calls + 1) * 3;
  }

  /// The mixture needs every call in its mode.
  bool is_dead(const cell& where) const {
    if (where.call != mixture)
      return ledger_->is_dead(where);
    for (cell other = where; other.call >= 0; --other.call)
      if (ledger_->is_dead(other))
        return true;
    return false;
  }

  /// Decided by rank 0, which knows the journal.
  std::vector<planned> plan(std::int64_t t, int i, topology_class kind) {
    std::vector<planned> list;
    for (int what = 0; what <= mixture; ++what)
      for (int how = 0; how < 3; ++how) {
        const cell where{i, what, how, static_cast<int>(kind)};
        const std::int64_t number =
            t * steps_per_topology() + (std::int64_t{i} * (calls + 1) + what) * 3 + how;
        if (!is_wanted(options_, where))
          continue;
        const auto any_call = static_cast<call>(what == mixture ? 0 : what);
        if (!tested_[static_cast<std::size_t>(i)]->offers(any_call, static_cast<mode>(how))) {
          ledger_->not_offered(where);
          continue;
        }
        const bool run = number > last_ && !is_dead(where);
        list.push_back({run ? number : -1, where});
      }
    std::vector<std::int64_t> numbers;
    for (const planned& p : list)
      numbers.push_back(p.number);
    MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, 0, control_);
    for (std::size_t k = 0; k < list.size(); ++k)
      list[k].number = numbers[k];
    std::erase_if(list, [](const planned& p) { return p.number < 0; });
    return list;
  }

  void run_topology(std::int64_t t, int i, topology& where) {
    implementation& tested = *tested_[static_cast<std::size_t>(i)];
    const std::vector<planned> list = plan(t, i, where.kind());
    MPI_Comm comm = MPI_COMM_NULL;
    bool wrong[3] = {false, false, false};
    for (const auto& [number, what] : list) {
      if (what.call == mixture && wrong[what.mode])
        continue; // with a faulty call in it, it would only hang
      now_doing("the making of " + where.words);
      if (rank_ == 0)
        ledger_->begin(number, what);
      if (comm == MPI_COMM_NULL)
        comm = tested.make(where, control_);
      const step asked{&tested,
                       &where,
                       comm,
                       control_,
                       what.call,
                       static_cast<mode>(what.mode),
                       options_.iterations,
                       hash({options_.wanted.seed, static_cast<std::uint64_t>(t)})};
      const outcome found = run_step(asked, types_);
      if (rank_ == 0)
        ledger_->end(number, what, found.cases, found.wrong, found.first);
      wrong[what.mode] = wrong[what.mode] || found.wrong > 0;
      if (found.wrong > 0) { // whatever is left over in it must not disturb the next
        tested.unmake(comm);
        comm = MPI_COMM_NULL;
      }
    }
    if (comm != MPI_COMM_NULL)
      tested.unmake(comm);
  }

  void write_result(std::size_t topologies) const {
    run_facts facts = find_facts(options_, ranks_);
    facts.topologies = topologies;
    const std::string text = as_json(facts, *ledger_);
    if (options_.output.empty())
      std::fputs(text.c_str(), stdout);
    else if (!(std::ofstream(options_.output) << text << std::flush))
      refuse("could not write " + options_.output);
  }

  options options_;
  MPI_Comm control_;
  int rank_ = 0, ranks_ = 1;
  std::int64_t last_ = -1;
  std::unique_ptr<ledger> ledger_;
  std::vector<std::unique_ptr<implementation>> tested_;
  sample_types types_;
};

} // namespace

} // namespace tacit::surface

int main(int argc, char** argv) try {
  using namespace tacit::surface;
  MPI_Init(&argc, &argv);
  const options wanted = read_options(argc, argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!wanted.help.empty()) {
    if (rank == 0)
      std::fputs(wanted.help.c_str(), stdout);
    MPI_Finalize();
    return 0;
  }
  MPI_Comm control = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &control);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // where requests without a communicator report
  MPI_Comm_size(control, &ranks);
  if (wanted.ranks != 0 && wanted.ranks != ranks)
    refuse("started with " + std::to_string(ranks) + " ranks instead of " + std::to_string(wanted.ranks) +
           ": the launcher is not that of this MPI");
  install_watch(rank, wanted.timeout, wanted.journal);
  suite(wanted, control).run();
  MPI_Comm_free(&control);
  MPI_Finalize();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "tacit-selftest: %s\n", failure.what());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
