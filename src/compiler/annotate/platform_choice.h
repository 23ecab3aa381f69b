// What the description of the platform decides (the optimization analysis of the paper, Figure 3, by its "architecture configurations"): whether
// one-sided operations are worth collecting and how many at a time, whether loads and stores may stand for them and whose memory counts, and which
// ways an exchange may travel. What a pragma says comes first, then the command line, then the description; without any of them things
// are as always: collected, found out, or measured when the program runs.
#pragma once

#include "compiler/pragma/annotation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tacit::compiler {

/// Seconds of an exchange, of tacit_pipeline_costs; nothing is known of puts if their latency is zero.
struct exchange_costs {
  double latency = 0, of_byte = 0, progress = 0, send = 0, receive = 0;
  double put = 0, put_latency = 0, put_of_byte = 0, put_progress = 0, copy = 0;
  double cores = 0; ///< of the node; -1: between nodes; 0: not known
};

/// Nanoseconds of an operation on 8 bytes.
struct operation_costs {
  double alone = 0, together = 0; ///< by a call of its own, and by one call for many
};

struct one_sided_costs {
  operation_costs put, get, accumulate;
  double flush = 0; ///< of one put and its completion: what a call costs at least
  double copy = 0;  ///< of 8 bytes that the same core has written: collecting takes two
  int cores = 1;    ///< of a node
};

enum class window_memory : std::uint8_t { unknown, separate, unified };

/// What the command line says, and the description of the machine. Nothing: the program finds out when it runs.
struct platform_choices {
  coherence caches = coherence::as_platform;         ///< of the command line
  wish exchange = wish::as_platform;                 ///< likewise
  wish coalescing = wish::as_platform;               ///< likewise
  std::optional<std::uint64_t> factor, memory_limit; ///< likewise
  std::optional<std::uint64_t> asked_eager_limit;    ///< likewise; 0: no send is kept because of it
  std::optional<exchange_costs> exchanges;           ///< of the description, as all that follows
  std::optional<one_sided_costs> one_sided;
  window_memory windows = window_memory::unknown;
  bool shares_memory = true;     ///< the processes of a node
  std::uint64_t eager_limit = 0; ///< bytes of a message that MPI takes over at once; 0: not known
};

/// With the reason in the words of a remark, empty where nobody was asked, and by whom: "pragma", "flag", "platform", "run".
struct choice_made {
  std::string reason;
  std::string by;
};

/// The description has decided.
bool is_by_platform(const choice_made& choice);

struct coalescing_choice : choice_made {
  bool collects = true;
  std::uint64_t factor = 0, memory_limit = 0; ///< 0: what the run time takes
};
/// `what`: the kinds of operations of the region.
struct operation_kinds {
  bool puts = false, gets = false, accumulates = false;
};
coalescing_choice choose_coalescing(const annotation& says, const operation_kinds& what,
                                    const platform_choices& by);

struct coherence_choice : choice_made {
  bool coherent = true; ///< or the program finds out
};
coherence_choice choose_coherence(const annotation& says, const platform_choices& by);

/// Whether the memory of other processes of the node can be reached; the reason goes on behind another one.
struct node_choice : choice_made {
  bool reaches = true;
};
node_choice choose_node_memory(const platform_choices& by);

/// Whether a blocking send of `cco` is worth posting and completing apart. One that MPI takes over at once has nothing to hide: its process is
/// as busy with it either way, and completing a request is on top of that.
struct send_choice : choice_made {
  bool overlaps = true;
};
/// `bytes`: nothing if the text does not say how many.
send_choice choose_send(const annotation& says, std::optional<std::uint64_t> bytes,
                        const platform_choices& by);

struct exchange_choice : choice_made {
  enum class way : std::uint8_t { as_written, in_parts, by_puts, measured, predicted } how = way::measured;
};
exchange_choice choose_exchange(const annotation& says, const platform_choices& by);

} // namespace tacit::compiler
