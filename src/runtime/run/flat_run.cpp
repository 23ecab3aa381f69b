#include "runtime/run/flat_run.h"

#include "graphs/graph/segments.h"
#include "runtime/channel/pieces.h"
#include "runtime/mpi/memory_kind.h"
#include "runtime/mpi/rank_and_size.h"
#include "runtime/mpi/tags.h"
#include "runtime/run/lower.h"
#include "vocabulary/base/copy_memory.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

/// Packing costs a copy at memory speed, an MPI datatype of pieces costs MPI's own walk over them, which is
/// slower per piece but saves the copy when messages are large.
constexpr std::uint64_t largest_packed = 32 * 1024;

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

bool uses_scratch(std::span<const graphs::segment> bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](const graphs::segment& s) { return s.address >= graphs::scratch_base; });
}

bool any_in_device_memory(const graphs::rank_plan& plan) {
  return has_device_library() && std::any_of(plan.steps.begin(), plan.steps.end(), [](const graphs::step& s) {
           return in_device_memory(s.reads) || in_device_memory(s.writes);
         });
}

} // namespace

bool is_flat(const graphs::rank_plan& plan) {
  return plan.scratch_bytes == 0 &&
         std::all_of(plan.steps.begin(), plan.steps.end(), [](const graphs::step& s) {
           if (!s.after.empty() || uses_scratch(s.reads) || uses_scratch(s.writes))
             return false;
           if (s.kind == graphs::step_kind::copy)
             return !graphs::overlap(s.reads, s.writes);
           return graphs::is_message(s);
         });
}

flat_run::flat_run(const graphs::rank_plan& plan, MPI_Comm comm, bool in_device)
    : comm_(comm), only_mpi_copies_(in_device || any_in_device_memory(plan)) {
  try {
    for (const graphs::step& s : plan.steps) {
      if (s.kind == graphs::step_kind::copy && only_mpi_copies_)
        add_messages_to_itself(s);
      else if (s.kind == graphs::step_kind::copy)
        add_copy(s);
      else
        add_message(s);
    }
    make_requests();
  } catch (...) {
    for (MPI_Datatype& type : types_)
      MPI_Type_free(&type);
    throw;
  }
}

flat_run::flat_run(std::vector<typed_message> messages, MPI_Comm comm) : comm_(comm) {
  try {
    for (const typed_message& t : messages) {
      message m;
      m.bytes = t.bytes;
      m.type = t.type;
      m.count = 1;
      m.peer = t.peer;
      m.tag = t.tag;
      (t.incoming ? receives_ : sends_).push_back(m);
    }
    make_requests();
    types_.reserve(messages.size());
  } catch (...) {
    for (typed_message& t : messages)
      MPI_Type_free(&t.type);
    throw;
  }
  for (const typed_message& t : messages)
    types_.push_back(t.type);
}

void flat_run::make_requests() {
  requests_.assign(receives_.size() + sends_.size(), MPI_REQUEST_NULL);
  statuses_.resize(requests_.size());
}

flat_run::~flat_run() {
  int over = 0;
  MPI_Finalized(&over);
  if (!over)
    for (MPI_Datatype& type : types_)
      MPI_Type_free(&type);
  if (active_) // failed while posting: MPI may still write there
    for (auto& memory : staging_)
      static_cast<void>(memory.release());
}

void flat_run::add_copy(const graphs::step& s) {
  if (copies_.empty())
    copies_.reserve(std::max(s.reads.size(), s.writes.size()));
  each_paired_piece(s.reads, s.writes, [&](std::uint64_t from, std::uint64_t into, std::uint64_t bytes) {
    copies_.push_back({from, into, bytes});
  });
}

/// A local copy that MPI makes. Its tag counts from the highest one down, where no plan has any.
void flat_run::add_messages_to_itself(const graphs::step& s) {
  const int rank = rank_in(comm_);
  const int tag = highest_tag(comm_) - copies_by_mpi_++;
  add_message(true, s.writes, rank, tag);
  add_message(false, s.reads, rank, tag);
}

void flat_run::add_message(const graphs::step& s) {
  const bool incoming = s.kind == graphs::step_kind::recv;
  add_message(incoming, incoming ? s.writes : s.reads, static_cast<int>(index(s.peer)), s.tag);
}

void flat_run::add_message(bool incoming, std::span<const graphs::segment> bytes, int peer, int tag) {
  message m;
  m.bytes = graphs::total_length(bytes);
  m.peer = peer;
  m.tag = tag;
  m.address = bytes.empty() ? 0 : bytes.front().address;
  m.count = static_cast<int>(std::min<std::uint64_t>(m.bytes, INT_MAX));
  if (bytes.size() > 1 && m.bytes <= largest_packed && !only_mpi_copies_) {
    staging_.push_back(std::make_unique_for_overwrite<std::byte[]>(m.bytes));
    m.address = reinterpret_cast<std::uint64_t>(staging_.back().get());
    m.packed = true;
    m.first_piece = static_cast<std::uint32_t>(pieces_.size());
    std::uint64_t at = m.address;
    for (const graphs::segment& g : bytes) {
      pieces_.push_back({g.address, at, g.length});
      at += g.length;
    }
    m.end_piece = static_cast<std::uint32_t>(pieces_.size());
  } else if (bytes.size() > 1 || m.bytes > INT_MAX) {
    m.type = relative_type(bytes);
    m.count = 1;
  }
  (incoming ? receives_ : sends_).push_back(m);
}

MPI_Datatype flat_run::relative_type(std::span<const graphs::segment> bytes) {
  constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30; // block lengths are int
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  lengths.reserve(bytes.size());
  displacements.reserve(bytes.size());
  for (const graphs::segment& s : bytes)
    for (std::uint64_t done = 0; done < s.length; done += largest_piece) {
      lengths.push_back(static_cast<int>(std::min(largest_piece, s.length - done)));
      displacements.push_back(static_cast<MPI_Aint>(s.address + done - bytes.front().address));
    }
  if (lengths.size() > INT_MAX)
    throw mpi_error(MPI_ERR_COUNT, "a message of more than 2^31 separate pieces");
  types_.reserve(types_.size() + 1);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                                     MPI_BYTE, &type),
            "MPI_Type_create_hindexed");
  types_.push_back(type);
  check_mpi(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return types_.back();
}

bool flat_run::rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) {
  const auto r = static_cast<std::uint64_t>(reads - bound_reads_);
  const auto w = static_cast<std::uint64_t>(writes - bound_writes_);
  bound_reads_ = reads;
  bound_writes_ = writes;
  for (message& m : sends_) {
    if (!m.packed)
      m.address += r;
    for (std::uint32_t i = m.first_piece; i < m.end_piece; ++i)
      pieces_[i].user += r;
  }
  for (message& m : receives_) {
    if (!m.packed)
      m.address += w;
    for (std::uint32_t i = m.first_piece; i < m.end_piece; ++i)
      pieces_[i].user += w;
  }
  for (piece& c : copies_) {
    c.user += r;
    c.staged += w;
  }
  return true;
}

const flat_run::message& flat_run::at(std::size_t request) const {
  return is_receive(request) ? receives_[request] : sends_[request - receives_.size()];
}

void flat_run::post_receive(std::size_t i) {
  const message& m = receives_[i];
  const int code = MPI_Irecv(pointer(m.address), m.count, m.type, m.peer, m.tag, comm_, &requests_[i]);
  if (code != MPI_SUCCESS)
    check_mpi(code, fmt::format("receive from rank {}, {} B: MPI_Irecv", m.peer, m.bytes).c_str());
}

void flat_run::post_send(std::size_t i) {
  const message& m = sends_[i];
  for (std::uint32_t k = m.first_piece; k < m.end_piece; ++k)
    copy_memory(pointer(pieces_[k].staged), pointer(pieces_[k].user), pieces_[k].length);
  const int code =
      MPI_Isend(pointer(m.address), m.count, m.type, m.peer, m.tag, comm_, &requests_[receives_.size() + i]);
  if (code != MPI_SUCCESS)
    check_mpi(code, fmt::format("send to rank {}, {} B: MPI_Isend", m.peer, m.bytes).c_str());
}

void flat_run::start() {
  active_ = true;
  for (std::size_t i = 0; i < receives_.size(); ++i)
    post_receive(i);
  for (std::size_t i = 0; i < sends_.size(); ++i)
    post_send(i);
  for (const piece& c : copies_) // while the messages travel
    copy_memory(pointer(c.staged), pointer(c.user), c.length);
}

void flat_run::fail(const message_error& e) {
  if (!first_error_)
    first_error_ = std::make_exception_ptr(e);
}

/// Keeps what failed; the other requests still have to complete.
void flat_run::check(int code, const char* call) {
  if (code == MPI_SUCCESS)
    return;
  if (code != MPI_ERR_IN_STATUS) {
    check_mpi(code, call);
    return;
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const int one = statuses_[i].MPI_ERROR;
    if (one == MPI_SUCCESS || one == MPI_ERR_PENDING)
      continue;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(one, text, &length);
    const message& m = at(i);
    fail({one,
          fmt::format("{} rank {}, {} B: {}", is_receive(i) ? "receive from" : "send to", m.peer, m.bytes,
                      text),
          is_receive(i), m.peer});
    statuses_[i].MPI_ERROR = MPI_SUCCESS; // a request that has completed leaves its status as it is
  }
}

/// Everything has arrived: compares lengths and unpacks.
void flat_run::take_in() {
  active_ = false;
  for (std::size_t i = 0; i < receives_.size() && !first_error_; ++i) {
    const message& m = receives_[i];
    if (m.type == MPI_BYTE) {
      int got = 0;
      MPI_Get_count(&statuses_[i], MPI_BYTE, &got);
      if (got != m.count)
        fail({MPI_ERR_COUNT,
              fmt::format("receive from rank {}: {} B expected, but {} B arrived", m.peer, m.bytes, got),
              true, m.peer});
    } else {
      MPI_Count got = 0; // in bytes, whatever the type is made of
      MPI_Get_elements_x(&statuses_[i], MPI_BYTE, &got);
      if (static_cast<std::uint64_t>(got) != m.bytes)
        fail({MPI_ERR_COUNT,
              fmt::format("receive from rank {}: {} B expected, but {} B arrived", m.peer, m.bytes, got),
              true, m.peer});
    }
  }
  if (first_error_)
    std::rethrow_exception(first_error_);
  for (const message& m : receives_)
    for (std::uint32_t k = m.first_piece; k < m.end_piece; ++k)
      copy_memory(pointer(pieces_[k].user), pointer(pieces_[k].staged), pieces_[k].length);
}

bool flat_run::progress() {
  if (!active_)
    return true;
  int done = 0;
  const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data());
  check(code, "MPI_Testall");
  if (code != MPI_SUCCESS)
    done =
        std::all_of(requests_.begin(), requests_.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; });
  if (!done)
    return false;
  take_in();
  return true;
}

void flat_run::finish() {
  while (active_) {
    const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
    check(code, "MPI_Waitall");
    if (code == MPI_SUCCESS ||
        std::all_of(requests_.begin(), requests_.end(), [](MPI_Request r) { return r == MPI_REQUEST_NULL; }))
      take_in();
  }
}

} // namespace tacit::runtime
