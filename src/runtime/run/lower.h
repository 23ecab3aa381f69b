// From steps to actions: what all drivers share. A driver decides only how a collective is carried out.
#pragma once

#include "runtime/run/action_run.h"
#include "runtime/run/program.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace tacit::runtime {

/// A rank in the type that MPI takes.
inline int rank_of(rank_id r) {
  return static_cast<int>(index(r));
}

/// Actions of one step: `first` waits for the step's predecessors, the step is complete when all of `last`
/// are.
struct action_span {
  std::vector<action_id> first;
  std::vector<action_id> last;
};

class lowering {
public:
  lowering(const program& p, MPI_Comm comm);
  virtual ~lowering() = default;
  /// Allocates the rank's scratch memory and lowers all steps. Call once. Throws mpi_error and memory_error
  /// that name the step.
  action_list run();

protected:
  virtual action_span collective(const graphs::step& s) = 0;

  /// The collective as messages straight from origin to destination; a barrier as dissemination (log2 n
  /// rounds).
  action_span direct(const graphs::step& s);

  action_span copy(const std::vector<graphs::segment>& from, const std::vector<graphs::segment>& into);
  virtual action_span send(const std::vector<graphs::segment>& bytes, int to, int tag);
  virtual action_span recv(const std::vector<graphs::segment>& bytes, int from, int tag);
  /// User addresses as they are, scratch addresses in this run's memory.
  std::vector<graphs::segment> resolve(std::span<const graphs::segment> bytes) const;

  const program& program_;
  MPI_Comm comm_;
  action_list actions_;

private:
  struct message_memory {
    void* where;
    int count;
    MPI_Datatype type;
  };
  message_memory message_bytes(const std::vector<graphs::segment>& bytes);
  /// What copies: the processor, or MPI where device memory is involved.
  std::function<void()> copying(const std::vector<graphs::segment>& from,
                                const std::vector<graphs::segment>& into);
  std::function<void()> copy_by_mpi(const std::vector<graphs::segment>& from,
                                    const std::vector<graphs::segment>& into);
  action_span lower(const graphs::step& s);
  action_span reduce(const graphs::step& s);
  action_span lower_or_name(const graphs::step& s);
  /// Messages to the own rank are two local copies: a send reads when it starts (buffered semantics), and its
  /// bytes may overlap those that the receive writes, which MPI forbids.
  bool is_sent_here(const graphs::step& s) const;
  void make_room_for_own_messages();
  action_span keep_own_message(const graphs::step& s);
  action_span take_own_message(const graphs::step& s);
  action_span dissemination(const graphs::step& s, const rank_group& group);
  /// One rank gets all operands and combines them in the order of ranks.
  action_span combine_at_one(const graphs::step& s, const rank_group& group);
  /// Every rank does so with its own block.
  action_span combine_at_each(const graphs::step& s, const rank_group& group);
  /// Each rank combines what comes from the one before it with its operand and passes it on.
  action_span scan_in_a_chain(const graphs::step& s, const rank_group& group);
  /// Receives the operands of all others and combines them with the own one into `result`: adds that to `all`, and returns the end.
  action_span combine_here(const graphs::step& s, const rank_group& group,
                           const std::vector<graphs::segment>& own,
                           const std::vector<graphs::segment>& result, int tag, action_span& all);
  action_id combine_after(const graphs::step& s, const std::vector<graphs::segment>& from,
                          const std::vector<graphs::segment>& into,
                          std::initializer_list<const action_span*> after);
  std::vector<graphs::segment> own_memory(std::uint64_t length);
  int collective_tag(const graphs::step& s, int round) const;

  struct own_message {
    std::vector<graphs::segment> kept;
    std::optional<action_id> sent, taken;
  };
  void order_own_message(const own_message& message);
  std::map<std::int32_t, own_message> own_messages_; ///< by tag
  std::byte* scratch_ = nullptr;
  int half_of_tags_ = 0; ///< tags from here on belong to collectives carried out by messages
};

/// Rounds of a dissemination barrier are numbered below this; so are the tags of one collective.
inline constexpr int tags_per_collective = 32;

/// Empty if all tags fit into MPI_TAG_UB of the communicator, else why not.
std::string tags_fit(const program& p, MPI_Comm comm);

/// Appends actions of which each waits for the one before it.
void append(action_span& all, const action_span& more);

/// Copies packed bytes between lists of absolute segments of equal total length.
void copy_bytes(std::span<const graphs::segment> from, std::span<const graphs::segment> into);

} // namespace tacit::runtime
