// Drivers `coll` and `pcoll`: collectives of the plan become MPI's nonblocking or persistent collectives on a communicator of their
// group.
//
// Persistent ones are made where the ranks connect, because the standard lets a rank wait there for others: in the order of the plan, which
// is the same on all members of a group, and after all that can fail on one rank alone. So everything else about the schedule is prepared
// before. A run starts them like others, and starting one is as local as calling a nonblocking one.
//
// MPI's calls do more than the pattern says, and every difference is a trap (SEMANTICS 4, E2): Allgather
// writes the own slot, Alltoall, Gather and Scatter copy the self block. So: allgather runs in place with the
// displacement of the own slot pointing at the own block itself (nothing is copied), alltoallw gets a zero
// count for the rank itself, gather and scatter run in place at the root. And it forbids what patterns allow: no byte of a
// scatterv's root may be sent twice, so blocks that overlap are packed (of alltoallw and the others it says so of received bytes alone).
//
// All members must make the same call with the same sizes, but buffers differ from rank to rank. A rank whose
// blocks cannot be described by the call (separate pieces, or too far apart for an int displacement) packs
// into memory of its own; which call is made is decided only by what all members know: pattern, largest
// block, largest total. Blocks are always passed as contiguous bytes and never as (1, derived type): Open
// MPI 4.1 cuts long messages by element count, so ranks that describe the same bytes differently would
// disagree. Alltoallw is the exception; it never cuts.
#include "graphs/graph/segments.h"
#include "runtime/mpi/collective_calls.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/builtin_drivers.h"
#include "runtime/run/communicators.h"
#include "runtime/run/lower.h"
#include "runtime/run/persistent_requests.h"

#include <algorithm>
#include <climits>

namespace tacit::runtime {
namespace {

/// Blocks up to this size are packed so that the uniform call with the library's best small-message algorithm
/// can be used; the two copies of n · 1 KiB cost less than one more message.
constexpr std::uint64_t packed_block_limit = 1024;
/// A broadcast of more is several calls: counts are int.
constexpr std::uint64_t broadcast_piece = std::uint64_t{1} << 30;

using call_table = const collective_calls&;

std::byte* bytes_at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}
std::uint64_t address(const std::byte* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

/// One contiguous block per member; length 0 if there is none.
struct slots {
  std::byte* base = nullptr;
  std::vector<int> counts, displacements;
};

class coll_lowering : public lowering {
public:
  /// `persistent`: takes the calls, to be made later; null: each run makes them.
  coll_lowering(const program& p, MPI_Comm comm, const group_communicators& groups,
                persistent_requests* persistent)
      : lowering(p, comm), communicators_(groups), persistent_(persistent) {}

private:
  /// Per member of the group: its segments (resolved), empty if none. Own entry: `own`.
  using member_blocks = std::vector<std::vector<graphs::segment>>;

  action_span collective(const graphs::step& s) override;
  action_span broadcast(const graphs::step& s);
  action_span allgather(const graphs::step& s);
  action_span alltoall(const graphs::step& s);
  action_span scatter(const graphs::step& s);
  action_span gather(const graphs::step& s);
  action_span combine(const graphs::step& s);
  action_span reduce_scatter(const graphs::step& s);
  std::size_t element_of(const bound_reducer& by) const;
  /// Where bytes are if they are one piece, else memory of the driver's own.
  std::byte* one_piece(const std::vector<graphs::segment>& bytes);
  /// The same of operands, which must also lie where the operator can take them.
  std::byte* one_operand(const bound_reducer& by, const std::vector<graphs::segment>& bytes);
  /// Copies to `bytes`, after all that is in the span, if they are several pieces.
  void unpack(action_span& span, const std::byte* from, const std::vector<graphs::segment>& bytes);

  member_blocks by_member(const graphs::step& s, const graphs::block_list& blocks) const;
  std::size_t me(const graphs::step& s) const;
  std::size_t root(const graphs::step& s) const { return position(s, static_cast<int>(index(s.peer))); }
  std::size_t position(const graphs::step& s, int rank) const {
    const auto& members = program_.group(s.comm).members;
    return static_cast<std::size_t>(std::find(members.begin(), members.end(), rank) - members.begin());
  }

  /// Where the blocks are if they fit the call as they stand; else `direct` is false.
  static bool in_place(const member_blocks& blocks, slots& out);
  static bool overlap(const member_blocks& blocks);
  /// Equal slots of `slot` bytes, or tightly one after the other if slot is 0.
  slots packed(const member_blocks& blocks, std::uint64_t slot);
  void pack_before(action_span& span, const slots& to, const member_blocks& from);
  void unpack_after(action_span& span, const slots& from, const member_blocks& to, std::size_t own);
  /// Posts `call`, after everything in `span` and after earlier calls on the communicator.
  void post(action_span& span, const graphs::step& s, collective_call call);
  std::function<void(MPI_Request*)> bound(comm_id comm, collective_call call);

  const group_communicators& communicators_;
  persistent_requests* persistent_;
  std::map<comm_id, action_id> last_call_;
};

std::size_t coll_lowering::me(const graphs::step& s) const {
  return position(s, program_.rank);
}

coll_lowering::member_blocks coll_lowering::by_member(const graphs::step& s,
                                                      const graphs::block_list& blocks) const {
  member_blocks out(program_.group(s.comm).members.size());
  for (const graphs::block b : blocks)
    out[b.peer == no_rank ? me(s) : position(s, static_cast<int>(index(b.peer)))] = resolve(b.bytes);
  return out;
}

bool coll_lowering::in_place(const member_blocks& blocks, slots& out) {
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  for (const auto& b : blocks) {
    if (b.size() > 1 || graphs::total_length(b) > INT_MAX)
      return false;
    if (b.empty())
      continue;
    lowest = std::min(lowest, b.front().address);
    highest = std::max(highest, b.front().address);
  }
  if (lowest <= highest && highest - lowest > INT_MAX)
    return false;
  out.base = lowest <= highest ? bytes_at(lowest) : nullptr;
  for (const auto& b : blocks) {
    out.counts.push_back(static_cast<int>(graphs::total_length(b)));
    out.displacements.push_back(b.empty() ? 0 : static_cast<int>(b.front().address - lowest));
  }
  return true;
}

bool coll_lowering::overlap(const member_blocks& blocks) {
  std::vector<graphs::segment> all;
  for (const auto& b : blocks)
    all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end(),
            [](const graphs::segment& a, const graphs::segment& b) { return a.address < b.address; });
  return std::adjacent_find(all.begin(), all.end(), [](const graphs::segment& a, const graphs::segment& b) {
           return b.address - a.address < a.length;
         }) != all.end();
}

slots coll_lowering::packed(const member_blocks& blocks, std::uint64_t slot) {
  slots out;
  std::uint64_t end = 0;
  for (const auto& b : blocks) {
    out.counts.push_back(static_cast<int>(graphs::total_length(b)));
    out.displacements.push_back(static_cast<int>(end));
    end += slot > 0 ? slot : graphs::total_length(b);
  }
  out.base = actions_.allocate(end);
  std::fill_n(out.base, end, std::byte{0}); // the self slot of an alltoall is sent, too
  return out;
}

void coll_lowering::pack_before(action_span& span, const slots& to, const member_blocks& from) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!from[i].empty())
      append(span, copy(from[i], {{address(to.base) + static_cast<std::uint64_t>(to.displacements[i]),
                                   graphs::total_length(from[i])}}));
}

void coll_lowering::unpack_after(action_span& span, const slots& from, const member_blocks& to,
                                 std::size_t own) {
  action_span unpack;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!to[i].empty() && i != own)
      append(unpack, copy({{address(from.base) + static_cast<std::uint64_t>(from.displacements[i]),
                            graphs::total_length(to[i])}},
                          to[i]));
  if (unpack.first.empty())
    return;
  for (const action_id before : span.last)
    for (const action_id after : unpack.first)
      actions_.complete_before(before, after);
  span.last = unpack.last;
}

std::function<void(MPI_Request*)> coll_lowering::bound(comm_id comm, collective_call call) {
  if (!persistent_)
    return [call = std::move(call), on = communicators_.of(comm)](MPI_Request* r) {
      call(nonblocking_calls(), on, r);
    };
  return
      [of = persistent_, at = persistent_->add(comm, std::move(call))](MPI_Request* r) { of->start(at, r); };
}

void coll_lowering::post(action_span& span, const graphs::step& s, collective_call call) {
  const action_id id =
      actions_.add_posted(bound(s.comm, std::move(call)), {name(s.collective), -1, s.largest_block});
  for (const action_id before : span.last)
    actions_.complete_before(before, id);
  if (const auto last = last_call_.find(s.comm); last != last_call_.end())
    actions_.start_before(last->second, id);
  last_call_[s.comm] = id;
  if (span.first.empty())
    span.first = {id};
  span.last = {id};
}

action_span coll_lowering::collective(const graphs::step& s) {
  if (s.collective == pattern::barrier) {
    action_span span;
    post(span, s, [](call_table calls, MPI_Comm comm, MPI_Request* r) { calls.barrier(comm, r); });
    return span;
  }
  if (s.collective == pattern::bcast)
    return broadcast(s);
  if (row_of(s.collective).moves == signature::all_into_each)
    return reduce_scatter(s);
  if (is_reduction(s.collective))
    return combine(s);
  const bool counts_fit = s.largest_total <= INT_MAX;
  switch (s.collective) {
  case pattern::alltoall:
  case pattern::alltoallv:
    return alltoall(s);
  case pattern::allgather:
  case pattern::allgatherv:
    return counts_fit ? allgather(s) : direct(s);
  case pattern::scatter:
  case pattern::scatterv:
    return counts_fit ? scatter(s) : direct(s);
  default:
    return counts_fit ? gather(s) : direct(s);
  }
}

action_span coll_lowering::broadcast(const graphs::step& s) {
  const std::uint64_t length = s.largest_block;
  const bool at_root = !s.sends.empty();
  const std::vector<graphs::segment> bytes =
      resolve(at_root ? s.sends.front().bytes : s.receives.front().bytes);
  const bool contiguous = bytes.size() == 1;
  std::byte* at = contiguous ? bytes_at(bytes.front().address) : actions_.allocate(length);
  action_span span;
  if (at_root && !contiguous)
    span = copy(bytes, {{address(at), length}});
  const action_span start = span;
  action_span all;
  for (std::uint64_t done = 0; done < length; done += broadcast_piece) {
    const int count = static_cast<int>(std::min(broadcast_piece, length - done));
    action_span piece = start;
    post(piece, s,
         [where = at + done, count, from = static_cast<int>(root(s))](call_table calls, MPI_Comm comm,
                                                                      MPI_Request* r) {
           calls.bcast(where, count, MPI_BYTE, from, comm, r);
         });
    append(all, piece);
  }
  if (!at_root && !contiguous) {
    const action_span unpack = copy({{address(at), length}}, bytes);
    for (const action_id before : all.last)
      for (const action_id after : unpack.first)
        actions_.complete_before(before, after);
    all.last = unpack.last;
  }
  std::sort(all.first.begin(), all.first.end());
  all.first.erase(std::unique(all.first.begin(), all.first.end()), all.first.end());
  return all;
}

std::size_t coll_lowering::element_of(const bound_reducer& by) const {
  int element = 0;
  check_mpi(MPI_Type_size(by.type, &element), "MPI_Type_size");
  return static_cast<std::size_t>(element);
}

std::byte* coll_lowering::one_piece(const std::vector<graphs::segment>& bytes) {
  return bytes.size() == 1 ? bytes_at(bytes.front().address) : actions_.allocate(graphs::total_length(bytes));
}

std::byte* coll_lowering::one_operand(const bound_reducer& by, const std::vector<graphs::segment>& bytes) {
  const bool to_be_moved = bytes.size() == 1 && !lies_well(by, bytes.front().address);
  return to_be_moved ? actions_.allocate(bytes.front().length) : one_piece(bytes);
}

void coll_lowering::unpack(action_span& span, const std::byte* from,
                           const std::vector<graphs::segment>& bytes) {
  if (bytes.size() > 1) {
    const action_span last = copy({{address(from), graphs::total_length(bytes)}}, bytes);
    for (const action_id before : span.last)
      for (const action_id after : last.first)
        actions_.complete_before(before, after);
    span.last = last.last;
  }
  std::sort(span.first.begin(), span.first.end());
  span.first.erase(std::unique(span.first.begin(), span.first.end()), span.first.end());
}

/// Elements one after the other at their own alignment, as MPI wants them; operand and result do not overlap (plan/shape.h). Where the
/// plan has none, as at the first member of a scan, MPI gets memory of the driver's.
action_span coll_lowering::combine(const graphs::step& s) {
  const bound_reducer& by = program_.reducers.at(s.by);
  if (s.collective == pattern::exscan && name_of_predefined(by.operation).empty())
    return direct(s); // MPI may call the function on what the last member gives, and that gives nothing
  const std::uint64_t length = s.largest_block;
  const auto bytes_of = [&](const graphs::block_list& blocks) {
    return blocks.empty() ? std::vector<graphs::segment>{} : resolve(blocks.front().bytes);
  };
  const std::vector<graphs::segment> given = bytes_of(s.sends), result = bytes_of(s.receives);
  const bool scans = is_scan(s.collective);
  std::byte* const from = given.empty() ? actions_.allocate(length) : one_operand(by, given);
  if (given.empty())
    std::fill_n(from, length, std::byte{0}); // MPI may read what it does not need
  std::byte* const into = !result.empty() ? one_piece(result) : scans ? actions_.allocate(length) : nullptr;
  action_span start, all;
  if (!given.empty() && address(from) != given.front().address)
    start = copy(given, {{address(from), length}});
  const int root = s.peer == no_rank ? -1 : static_cast<int>(this->root(s));
  const std::uint64_t element = element_of(by), most = INT_MAX * element;
  for (std::uint64_t done = 0; done < length; done += most) {
    const int count = static_cast<int>(std::min(most, length - done) / element);
    const std::byte* const operand = from + done;
    std::byte* const target = into ? into + done : nullptr;
    action_span piece = start;
    post(piece, s,
         [=, kind = s.collective, type = by.type, operation = by.operation](call_table calls, MPI_Comm comm,
                                                                            MPI_Request* r) {
           if (kind == pattern::scan)
             calls.scan(operand, target, count, type, operation, comm, r);
           else if (kind == pattern::exscan)
             calls.exscan(operand, target, count, type, operation, comm, r);
           else if (root < 0)
             calls.allreduce(operand, target, count, type, operation, comm, r);
           else
             calls.reduce(operand, target, count, type, operation, root, comm, r);
         });
    append(all, piece);
  }
  unpack(all, into, result);
  return all;
}

/// Blocks one after the other, in the order of the group.
action_span coll_lowering::reduce_scatter(const graphs::step& s) {
  const bound_reducer& by = program_.reducers.at(s.by);
  const std::uint64_t element = element_of(by);
  if (s.largest_total / element > INT_MAX)
    return direct(s);
  std::vector<graphs::segment> given;
  std::vector<int> counts;
  for (const std::vector<graphs::segment>& b : by_member(s, s.sends)) {
    for (const graphs::segment& x : b)
      graphs::append(given, x);
    counts.push_back(static_cast<int>(graphs::total_length(b) / element));
  }
  const std::vector<graphs::segment> result =
      s.receives.empty() ? std::vector<graphs::segment>{} : resolve(s.receives.front().bytes);
  const std::byte* const from = one_operand(by, given);
  std::byte* const into = one_piece(result);
  action_span span;
  if (!given.empty() && address(from) != given.front().address)
    span = copy(given, {{address(from), graphs::total_length(given)}});
  post(span, s,
       [=, alike = s.collective == pattern::reduce_scatter_block, type = by.type,
        operation = by.operation](call_table calls, MPI_Comm comm, MPI_Request* r) {
         if (alike)
           calls.reduce_scatter_block(from, into, counts.front(), type, operation, comm, r);
         else
           calls.reduce_scatter(from, into, counts.data(), type, operation, comm, r);
       });
  unpack(span, into, result);
  return span;
}

action_span coll_lowering::allgather(const graphs::step& s) {
  const std::size_t own = me(s);
  member_blocks blocks = by_member(s, s.receives);
  if (!s.sends.empty())
    blocks[own] = resolve(s.sends.front().bytes);
  action_span span;
  slots where;
  const bool uniform = s.collective == pattern::allgather && s.largest_block <= packed_block_limit;
  if (uniform || !in_place(blocks, where)) {
    where = packed(blocks, uniform ? s.largest_block : 0);
    member_blocks mine(blocks.size());
    mine[own] = blocks[own];
    pack_before(span, where, mine);
  } else {
    blocks.clear(); // received where they belong
  }
  if (uniform)
    post(span, s,
         [base = where.base, count = static_cast<int>(s.largest_block)](call_table calls, MPI_Comm comm,
                                                                        MPI_Request* r) {
           calls.allgather(MPI_IN_PLACE, 0, MPI_BYTE, base, count, MPI_BYTE, comm, r);
         });
  else
    post(span, s, [where](call_table calls, MPI_Comm comm, MPI_Request* r) {
      calls.allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, where.base, where.counts.data(), where.displacements.data(),
                       MPI_BYTE, comm, r);
    });
  unpack_after(span, where, blocks, own);
  return span;
}

action_span coll_lowering::alltoall(const graphs::step& s) {
  const std::size_t own = me(s);
  const member_blocks out = by_member(s, s.sends), in = by_member(s, s.receives);
  action_span span;
  if (s.collective == pattern::alltoall && s.largest_block <= packed_block_limit &&
      s.largest_block * out.size() <= INT_MAX) {
    const slots from = packed(out, s.largest_block), to = packed(in, s.largest_block);
    pack_before(span, from, out);
    post(span, s,
         [from = from.base, to = to.base, count = static_cast<int>(s.largest_block)](
             const collective_calls& calls, MPI_Comm comm, MPI_Request* r) {
           calls.alltoall(from, count, MPI_BYTE, to, count, MPI_BYTE, comm, r);
         });
    unpack_after(span, to, in, own);
    return span;
  }
  struct side {
    std::vector<int> counts, displacements;
    std::vector<MPI_Datatype> types;
  };
  const auto describe = [&](const member_blocks& blocks) {
    side out_side;
    for (const auto& b : blocks) {
      out_side.counts.push_back(b.empty() ? 0 : 1);
      out_side.displacements.push_back(0);
      out_side.types.push_back(b.empty() ? MPI_BYTE : actions_.absolute_type(b));
    }
    return out_side;
  };
  post(span, s, [from = describe(out), to = describe(in)](call_table calls, MPI_Comm comm, MPI_Request* r) {
    calls.alltoallw(MPI_BOTTOM, from.counts.data(), from.displacements.data(), from.types.data(), MPI_BOTTOM,
                    to.counts.data(), to.displacements.data(), to.types.data(), comm, r);
  });
  return span;
}

action_span coll_lowering::scatter(const graphs::step& s) {
  const bool uniform = s.collective == pattern::scatter && s.largest_block <= packed_block_limit;
  const int from = static_cast<int>(root(s));
  action_span span;
  if (root(s) == me(s)) {
    const member_blocks out = by_member(s, s.sends);
    slots where;
    if (uniform || overlap(out) || !in_place(out, where)) {
      where = packed(out, uniform ? s.largest_block : 0);
      pack_before(span, where, out);
    }
    post(span, s,
         [=, count = static_cast<int>(s.largest_block)](call_table calls, MPI_Comm comm, MPI_Request* r) {
           if (uniform)
             calls.scatter(where.base, count, MPI_BYTE, MPI_IN_PLACE, 0, MPI_BYTE, from, comm, r);
           else
             calls.scatterv(where.base, where.counts.data(), where.displacements.data(), MPI_BYTE,
                            MPI_IN_PLACE, 0, MPI_BYTE, from, comm, r);
         });
    return span;
  }
  const std::vector<graphs::segment> bytes =
      s.receives.empty() ? std::vector<graphs::segment>{} : resolve(s.receives.front().bytes);
  const bool contiguous = bytes.size() <= 1;
  const auto length = static_cast<int>(graphs::total_length(bytes));
  std::byte* at = bytes.size() == 1 ? bytes_at(bytes.front().address)
                                    : actions_.allocate(static_cast<std::uint64_t>(length));
  post(span, s, [=](call_table calls, MPI_Comm comm, MPI_Request* r) {
    if (uniform)
      calls.scatter(nullptr, 0, MPI_BYTE, at, length, MPI_BYTE, from, comm, r);
    else
      calls.scatterv(nullptr, nullptr, nullptr, MPI_BYTE, at, length, MPI_BYTE, from, comm, r);
  });
  if (!contiguous) {
    const action_span unpack = copy({{address(at), static_cast<std::uint64_t>(length)}}, bytes);
    actions_.complete_before(span.last.front(), unpack.first.front());
    span.last = unpack.last;
  }
  return span;
}

action_span coll_lowering::gather(const graphs::step& s) {
  const bool uniform = s.collective == pattern::gather && s.largest_block <= packed_block_limit;
  const int to = static_cast<int>(root(s));
  action_span span;
  if (root(s) == me(s)) {
    member_blocks in = by_member(s, s.receives);
    slots where;
    if (uniform || !in_place(in, where))
      where = packed(in, uniform ? s.largest_block : 0);
    else
      in.clear(); // received where they belong
    post(span, s,
         [=, count = static_cast<int>(s.largest_block)](call_table calls, MPI_Comm comm, MPI_Request* r) {
           if (uniform)
             calls.gather(MPI_IN_PLACE, 0, MPI_BYTE, where.base, count, MPI_BYTE, to, comm, r);
           else
             calls.gatherv(MPI_IN_PLACE, 0, MPI_BYTE, where.base, where.counts.data(),
                           where.displacements.data(), MPI_BYTE, to, comm, r);
         });
    unpack_after(span, where, in, me(s));
    return span;
  }
  const std::vector<graphs::segment> bytes =
      s.sends.empty() ? std::vector<graphs::segment>{} : resolve(s.sends.front().bytes);
  const auto length = static_cast<int>(graphs::total_length(bytes));
  std::byte* at = bytes.size() == 1 ? bytes_at(bytes.front().address)
                                    : actions_.allocate(static_cast<std::uint64_t>(length));
  if (bytes.size() > 1)
    span = copy(bytes, {{address(at), static_cast<std::uint64_t>(length)}});
  post(span, s, [=](call_table calls, MPI_Comm comm, MPI_Request* r) {
    if (uniform)
      calls.gather(at, length, MPI_BYTE, nullptr, 0, MPI_BYTE, to, comm, r);
    else
      calls.gatherv(at, length, MPI_BYTE, nullptr, nullptr, nullptr, MPI_BYTE, to, comm, r);
  });
  return span;
}

std::string why_not(const program& p, MPI_Comm comm) {
  return uses_device_memory(p) ? why_not_in_device_memory() : tags_fit(p, comm); // blocks are packed
}

class coll_driver : public driver {
public:
  std::string_view name() const override { return "coll"; }
  std::string can_run(const program& p, MPI_Comm comm) const override { return why_not(p, comm); }
  std::unique_ptr<connection> offer(const program& p, MPI_Comm comm) const override {
    return std::make_unique<group_communicators>(p, comm);
  }
  std::unique_ptr<execution> prepare(program p, MPI_Comm comm, connection* peers) const override {
    const auto& groups = dynamic_cast<const group_communicators&>(*peers);
    return std::make_unique<action_run>(coll_lowering(p, comm, groups, nullptr).run());
  }
};

/// Holds all of a prepared program but its execution.
class prepared_calls : public group_communicators {
public:
  prepared_calls(const program& p, MPI_Comm comm)
      : group_communicators(p, comm), actions_(coll_lowering(p, comm, *this, &requests_).run()) {}
  void create() override {
    group_communicators::create();
    requests_.create(*this);
  }
  action_list take() { return std::move(actions_); }

private:
  persistent_requests requests_;
  action_list actions_; ///< after `requests_`, which it uses
};

class persistent_coll_driver : public driver {
public:
  std::string_view name() const override { return "pcoll"; }
  bool automatic(const program&) const override {
    return false;
  } // the choice names it where it may be faster
  std::string can_run(const program& p, MPI_Comm comm) const override {
    return persistent_calls() ? why_not(p, comm)
                              : "the MPI library has no persistent collectives that can be relied on";
  }
  std::unique_ptr<connection> offer(const program& p, MPI_Comm comm) const override {
    return std::make_unique<prepared_calls>(p, comm);
  }
  std::unique_ptr<execution> prepare(program, MPI_Comm, connection* peers) const override {
    return std::make_unique<action_run>(dynamic_cast<prepared_calls&>(*peers).take());
  }
};

} // namespace

const driver& coll() {
  static const coll_driver instance;
  return instance;
}

const driver& pcoll() {
  static const persistent_coll_driver instance;
  return instance;
}

} // namespace tacit::runtime
