// What a program of tasks would do on ranks that do not exist: planned in this process, without MPI, kernels and memory.
//
//   const tacit::simulation s = tacit::simulate(4096, [] {
//     tacit::queue q;
//     …                                      // the program: objects made here, tasks submitted
//   });
//   std::puts(s.summary.c_str());            // "rank 0 of 4096: 12 tasks, 40 commands (2 allgather, …), …"
//
// For whole programs TACIT_DRY_RUN_RANKS=4096 does the same from outside.
#pragma once

#include <tacit/tasks/library.hpp>

#include <map>
#include <string>

namespace tacit {

struct simulation {
  std::size_t ranks = 1, rank = 0;
  std::size_t tasks = 0; ///< submitted, fences among them
  std::map<std::string, std::size_t>
      commands; ///< of this rank, by kind ("execute", "push"); collectives by theirs ("allgather")
  std::size_t bytes_sent = 0;       ///< by this rank, in messages
  std::size_t bytes_received = 0;   ///< by this rank, in messages and collectives
  double microseconds_per_task = 0; ///< of a processor, for planning
  std::string summary;              ///< all of this in one line
  std::string
      text; ///< for each datum that travels: who needs it, from whom, by which collective or why by messages
  std::string json;                      ///< the same with both graphs, for machines
  std::string task_graph, command_graph; ///< for Graphviz
};

/// Calls `program`, whose queues, buffers and tasks are those of rank `rank` of `ranks` ranks (at most 65,536), and returns what
/// this rank would do. Kernels and host tasks do not run; fences of buffers give zeros. Other threads are not concerned, and may simulate,
/// too. Objects made by the program must not outlive it, and those made before must not be used in it. Throws what the
/// program throws, and task_error where its tasks are wrong.
TACIT_TASKS_API simulation simulate(std::size_t ranks, const std::function<void()>& program,
                                    std::size_t rank = 0);

} // namespace tacit
