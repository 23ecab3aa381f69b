// Measures what communication costs on this machine; launched by `tacit platform` on two ranks:
//
//     mpiexec -n 2 tacit-platform --output model.json [--progress FILE] [--place one-cache|two-caches --cores A,B]
//     tacit-platform --library     prints the name of the MPI library; needs no launcher
//     tacit-platform --places      prints where a pair can be placed here, and its cores; likewise
//
// Rank 0 writes the model, and before each part one line "share what" to the file of --progress. Exit code 0:
// it has been written.
#include "graphs/platform/model_file.h"
#include "runtime/channel/last_caches.h"
#include "surface/measure/pair.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <map>

namespace tacit::surface {
namespace {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string today() {
  const std::time_t t = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&t, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

bool on_one_host(MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  int size = 0;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &size);
  MPI_Comm_free(&host);
  int least = size;
  MPI_Allreduce(&size, &least, 1, MPI_INT, MPI_MIN, comm);
  return least == 2;
}

class parts_done {
public:
  parts_done(const std::string& file, bool wanted) {
    if (!file.empty() && wanted)
      out_.open(file);
  }
  void at(double share, const char* what) {
    if (out_.is_open())
      out_ << share << ' ' << what << '\n' << std::flush;
  }

private:
  std::ofstream out_;
};

double core_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Cores of virtual machines move: now two share a cache and now they do not, for seconds. Prices of which some are of the one state and some of
/// the other do not compare what they are meant to; a flag then takes four times as long, or a quarter.
constexpr double most_change = 1.5;
constexpr int most_rounds = 6;
constexpr double time_for_rounds = 5e9; ///< nanoseconds after which no other one is begun

bool are_alike(std::initializer_list<double> times) {
  return std::max(times) <= most_change * std::min(times);
}

void measure_messages(const pair& p, graphs::machine_model& m, parts_done& progress) {
  progress.at(0.01, "messages");
  m.messages = message_costs(p);
  progress.at(0.55, "eager limit");
  const eager_result eager = eager_limit(p);
  m.eager_limit = eager.limit;
  m.eager_always = eager.always;
  progress.at(0.7, "progress of large messages");
  m.progress = asynchronous_progress(p, eager);
}

void measure_memory(const pair& p, graphs::machine_model& m, parts_done& progress) {
  progress.at(0.8, "memory");
  memory_result memory = memory_costs(p);
  m.flag = memory.flag;
  m.memory = std::move(memory.costs);
  progress.at(0.85, "channels through memory");
  m.channels = channel_times(p);
}

/// Messages and memory, between which plans are chosen, in one state of the machine: again if it has changed meanwhile.
void measure_in_one_state(const pair& p, graphs::machine_model& m, parts_done& progress) {
  const double start = now();
  double before = flag_time(p);
  for (int round = 1;; ++round) {
    measure_messages(p, m, progress);
    measure_memory(p, m, progress);
    const double after = flag_time(p);
    int again =
        round < most_rounds && now() - start < time_for_rounds && !are_alike({before, m.flag.median, after});
    MPI_Bcast(&again, 1, MPI_INT, 0, p.comm);
    if (!again)
      return;
    before = after;
  }
}

/// By the names that --place has for them.
const std::map<std::string, runtime::pair_place> places{{"one-cache", runtime::pair_place::one_cache},
                                                        {"two-caches", runtime::pair_place::two_caches}};

/// Collective. False if some process could not be bound.
bool are_bound(const pair& p, const std::vector<int>& cores) {
  int placed = runtime::bind_to_core(cores[static_cast<std::size_t>(p.rank)]);
  MPI_Allreduce(MPI_IN_PLACE, &placed, 1, MPI_INT, MPI_MIN, p.comm);
  return placed != 0;
}

graphs::machine_model measure_all(const pair& p, const std::string& place, parts_done& progress) {
  graphs::machine_model m;
  m.machine = graphs::this_machine(library_version());
  m.one_host = on_one_host(p.comm);
  m.one_cache = place != "two-caches";
  m.measured = today();
  const double start = now(), busy = core_seconds();
  if (m.one_host)
    measure_in_one_state(p, m, progress);
  else
    measure_messages(p, m, progress);
  progress.at(0.9, "windows");
  window_result window = window_costs(p);
  m.window = window.model;
  m.puts = std::move(window.puts);
  m.put_meanwhile = window.meanwhile;
  m.put_rate = window.put;
  m.get_rate = window.get;
  m.accumulate_rate = window.accumulate;
  // Waiting is spinning in every MPI, so a rank that is alone on its core uses all of it.
  double share = std::min(100.0, (core_seconds() - busy) * 1e9 / (now() - start) * 100);
  MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MIN, p.comm);
  m.core_share = std::floor(share);
  return m;
}

std::string places_here() {
  std::string out;
  for (const auto& [name, place] : places)
    if (const std::vector<int> cores = runtime::cores_for_pair(place, runtime::cores_of_this_process());
        !cores.empty())
      out += name + ' ' + std::to_string(cores[0]) + ',' + std::to_string(cores[1]) + '\n';
  return out;
}

struct options {
  std::string output, progress;
  std::string place; ///< empty: where the launcher has placed them
  std::vector<int> cores;
  std::string help; ///< what to say instead of measuring
  bool library = false, hosts = false, places = false;
};

/// Throws CLI::ParseError.
options read_options(int argc, char** argv) {
  options o;
  CLI::App app{"Measures what communication costs between two ranks; `tacit platform` launches it.",
               "tacit-platform"};
  app.option_defaults()->take_last(); // a launcher's words may repeat what was given
  app.add_option("--output", o.output, "the file for the model (default: standard output)");
  app.add_option("--progress", o.progress,
                 "a file to which each part of the measurement is written when it begins");
  app.add_option("--place", o.place,
                 "bind the ranks to cores that share their last-level cache, or to cores that do not")
      ->check(CLI::IsMember(places));
  app.add_option("--cores", o.cores, "those cores, one for each rank")
      ->delimiter(',')
      ->expected(2)
      ->take_all();
  app.get_option("--place")->needs("--cores");
  app.add_flag("--places", o.places,
               "print which of these places there are on this host, with cores, and stop");
  app.add_flag("--library", o.library, "print the name of the MPI library, and stop");
  app.add_flag("--hosts", o.hosts, "write the number of hosts that the ranks are on, and stop");
  try {
    app.parse(argc, argv);
    if (!o.place.empty() && o.cores.size() != 2)
      throw CLI::ValidationError("--cores", "needs two");
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
  }
  return o;
}

int run(const options& o) {
  pair p;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (p.rank == 0)
      std::fprintf(stderr, "tacit-platform: started on %d ranks, needs 2; give the launcher -n 2\n", size);
    return 2;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &p.comm);
  if (!o.place.empty() && !are_bound(p, o.cores)) {
    if (p.first())
      std::fprintf(stderr,
                   "tacit-platform: the ranks cannot be bound to cores of %s; name a launcher and its "
                   "options behind --\n",
                   o.place == "one-cache" ? "one cache" : "two caches");
    MPI_Comm_free(&p.comm);
    return 2;
  }
  parts_done progress(o.progress, p.first());
  const std::string text =
      o.hosts ? on_one_host(p.comm) ? "1\n" : "2\n" : graphs::text_of(measure_all(p, o.place, progress));
  int written = 1;
  if (p.first()) {
    std::ofstream file;
    if (!o.output.empty())
      file.open(o.output);
    std::ostream& out = o.output.empty() ? std::cout : file;
    written = static_cast<bool>(out << text << std::flush);
    if (!written)
      std::fprintf(stderr, "tacit-platform: could not write %s; is the disk full?\n",
                   o.output.empty() ? "the model" : o.output.c_str());
  }
  MPI_Bcast(&written, 1, MPI_INT, 0, p.comm);
  MPI_Comm_free(&p.comm);
  return written ? 0 : 1;
}

} // namespace
} // namespace tacit::surface

int main(int argc, char** argv) {
  tacit::surface::options wanted;
  try {
    wanted = tacit::surface::read_options(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "tacit-platform: %s\n", error.what());
    return 2;
  }
  if (!wanted.help.empty()) {
    std::cout << wanted.help;
    return 0;
  }
  if (wanted.library) { // allowed before MPI_Init
    std::cout << tacit::graphs::short_library_name(tacit::surface::library_version()) << '\n';
    return 0;
  }
  if (wanted.places) {
    std::cout << tacit::surface::places_here();
    return 0;
  }
  MPI_Init(&argc, &argv);
  const int code = tacit::surface::run(wanted);
  MPI_Finalize();
  return code;
}
