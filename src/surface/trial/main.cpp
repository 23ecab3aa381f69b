// Tries every variant of one neighborhood exchange in one process; launched by `tacit bench neighbor`:
//
//     mpiexec -n 4 tacit-trial --stencil 2,2 --reach 0 --periodic 1 --bytes 8,1024 --seconds 1 --output FILE
//     mpiexec -n 4 tacit-trial --graph EDGES --bytes 8 --seconds 1 --output FILE
//
// Variants are run in short blocks, one after the other, again and again, so that whatever disturbs the
// machine disturbs all alike. In each iteration the buffers are rewritten and read. A block's time is that of
// its slowest rank. Before and after the measurement every byte is checked; a variant that was wrong is
// reported as such and not measured any longer. Rank 0 writes one JSON object per line and size.
#include "surface/trial/variants.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

using seconds = std::chrono::duration<double>;

struct options {
  std::vector<int> dims;
  std::vector<std::int64_t> bytes{8};
  int reach = 0;
  bool periodic = true;
  double time = 1; ///< seconds per size
  std::string graph, output, progress;
  std::string help; ///< what to say instead of trying
};

/// Throws CLI::ParseError.
options read_options(int argc, char** argv) {
  options o;
  CLI::App app{"Tries every variant of one neighborhood exchange; `tacit bench neighbor` launches it.",
               "tacit-trial"};
  app.option_defaults()->take_last(); // a launcher's words may repeat what was given
  auto* stencil =
      app.add_option("--stencil", o.dims, "ranks per dimension")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--reach", o.reach, "neighbors up to so many steps away; 0: two per dimension")
      ->check(CLI::Range(0, 100));
  app.add_option("--periodic", o.periodic, "1: the boundaries are joined; 0: they are open");
  app.add_option("--graph", o.graph, "a file of edges: from, to, values")->excludes(stencil);
  app.add_option("--bytes", o.bytes, "per value")->delimiter(',')->check(CLI::Range(1, 1 << 30));
  app.add_option("--seconds", o.time, "per size")->check(CLI::Range(0.0, 3600.0));
  app.add_option("--output", o.output, "the file for the result")->required();
  app.add_option("--progress", o.progress, "a file that always says how far the measurement is");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    o.help = app.help();
  }
  return o;
}

bool anywhere(bool here) {
  int mine = here, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all != 0;
}

/// The text of the lowest rank that has one, on rank 0; empty texts everywhere: empty.
std::string first_of(const std::string& text, int rank, int size) {
  int mine = text.empty() ? size : rank, lowest = size;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest == size)
    return {};
  std::vector<char> shared(500, '\0');
  if (rank == lowest)
    std::strncpy(shared.data(), text.c_str(), shared.size() - 1);
  MPI_Bcast(shared.data(), static_cast<int>(shared.size()), MPI_CHAR, lowest, MPI_COMM_WORLD);
  return shared.data();
}

struct measured {
  variant* what = nullptr;
  std::string fault;
  std::vector<double> times; ///< seconds per exchange
};

class trial {
public:
  trial(const pattern& p, const options& o) : p_(p), o_(o) {}

  /// One size; on rank 0 a line of JSON.
  std::string run(std::int64_t unit, double done, double part) {
    exchange_buffers b;
    if (anywhere(!b.make(p_, unit)))
      return text_of({{"bytes", unit}, {"fault", "the blocks of one rank have more than 2 GiB"}});
    std::vector<std::string> left_out;
    const auto variants = make_variants(p_, b, left_out);
    std::vector<measured> list;
    for (const auto& w : variants)
      list.push_back({w.get(), "", {}});
    for (measured& m : list)
      verify(m, b, 1);
    measure(list, b, done, part);
    for (measured& m : list)
      verify(m, b, 3);
    return line(unit, list, left_out);
  }

private:
  /// What a rank says about a fault may have any bytes.
  static std::string text_of(const nlohmann::ordered_json& line) {
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void verify(measured& m, exchange_buffers& b, std::uint64_t run) {
    for (int repeat = 0; repeat < 2 && m.fault.empty(); ++repeat) { // double buffers have two slots
      b.fill(p_, run + static_cast<std::uint64_t>(repeat));
      b.spoil();
      MPI_Barrier(MPI_COMM_WORLD);
      std::string here = m.what->exchange();
      if (here.empty())
        here = b.check(p_, run + static_cast<std::uint64_t>(repeat));
      m.fault = first_of(here, p_.rank, p_.size);
    }
  }

  double block(measured& m, exchange_buffers& b, int count) {
    MPI_Barrier(MPI_COMM_WORLD);
    m.what->exchange(); // all are here now
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
      b.produce(i);
      m.what->exchange();
      b.consume();
    }
    double mine = seconds(std::chrono::steady_clock::now() - start).count() / count, slowest = 0;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
  }

  void measure(std::vector<measured>& list, exchange_buffers& b, double done, double part) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<int> counts;
    for (measured& m : list) // about a millisecond per block, alike on all ranks
      counts.push_back(m.fault.empty()
                           ? static_cast<int>(std::clamp(1e-3 / std::max(block(m, b, 3), 1e-7), 2.0, 300.0))
                           : 0);
    constexpr std::size_t fewest = 5, most = 2000;
    for (std::size_t round = 0; round < most; ++round) {
      const double elapsed = seconds(std::chrono::steady_clock::now() - start).count();
      int more = round < fewest || elapsed < o_.time;
      MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (!more)
        return;
      if (p_.rank == 0 && !o_.progress.empty() && round % 8 == 0)
        std::ofstream(o_.progress) << done + part * std::min(1.0, elapsed / o_.time) << " measuring\n";
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].fault.empty())
          list[i].times.push_back(block(list[i], b, counts[i]));
    }
  }

  static std::string line(std::int64_t unit, const std::vector<measured>& list,
                          const std::vector<std::string>& left_out) {
    nlohmann::ordered_json variants = nlohmann::ordered_json::array();
    for (const measured& m : list) {
      std::vector<double> t = m.times;
      std::sort(t.begin(), t.end());
      const auto at = [&](double share) {
        return t.empty() ? 0 : t[static_cast<std::size_t>(share * static_cast<double>(t.size() - 1))];
      };
      variants.push_back({{"name", m.what->name},
                          {"choice", m.what->is_choice},
                          {"fault", m.fault},
                          {"detail", m.what->detail},
                          {"blocks", t.size()},
                          {"min", at(0)},
                          {"p10", at(0.1)},
                          {"low", at(0.25)},
                          {"median", at(0.5)},
                          {"high", at(0.75)}});
    }
    return text_of({{"bytes", unit}, {"variants", variants}, {"left_out", left_out}});
  }

  const pattern& p_;
  const options& o_;
};

int run(const options& o) {
  pattern p;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::string fault =
      first_of(o.graph.empty() ? make_stencil(p, o.dims, o.periodic, o.reach) : make_graph(p, o.graph),
               p.rank, p.size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (!fault.empty()) {
    if (p.rank == 0)
      std::fprintf(stderr, "%s\n", fault.c_str());
    return 1;
  }
  std::string text;
  const double part = 1.0 / static_cast<double>(o.bytes.size());
  for (std::size_t i = 0; i < o.bytes.size(); ++i)
    text += trial(p, o).run(o.bytes[i], static_cast<double>(i) * part, part) + '\n';
  int written = 1;
  if (p.rank == 0) {
    std::ofstream file(o.output);
    written = static_cast<bool>(file << text << std::flush);
    if (!written)
      std::fprintf(stderr, "could not write %s; is the disk full?\n", o.output.c_str());
  }
  MPI_Bcast(&written, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return written ? 0 : 1;
}

/// All ranks got the same words, so one says what is wrong with them.
int start(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const options wanted = read_options(argc, argv);
    if (wanted.help.empty())
      return run(wanted);
    if (rank == 0)
      std::fputs(wanted.help.c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    constexpr int wrong_usage = 2;
    if (rank == 0)
      std::fprintf(stderr, "tacit-trial: %s\n", error.what());
    return wrong_usage;
  }
}

} // namespace
} // namespace tacit::surface

int main(int argc, char** argv) try {
  for (const char* forces : {"TACIT_DRIVER", "TACIT_NEIGHBOR_GROUPING", "TACIT_NEIGHBOR_WITHOUT"})
    unsetenv(forces); // they would count more than what each variant asks for
  MPI_Init(&argc, &argv);
  const int code = tacit::surface::start(argc, argv);
  MPI_Finalize();
  return code;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "tacit-trial: %s\n", failure.what());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
