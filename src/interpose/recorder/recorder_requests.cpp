// The recorder's half about requests: what was posted, started, waited for, completed, and with which bytes.
#include "interpose/layer/clock.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/polls.h"
#include "interpose/recorder/recorder.h"
#include "runtime/mpi/memory_kind.h"

#include <algorithm>

namespace tacit::interpose {

namespace rec = recordings;

std::uint64_t bytes_of(const MPI_Status& status) {
  int few = 0;
  TACIT_PMPI(Get_count)(&status, handles().byte, &few);
  if (few != MPI_UNDEFINED)
    return few > 0 ? static_cast<std::uint64_t>(few) : 0;
  MPI_Count many = 0;
  TACIT_PMPI(Get_elements_x)(&status, handles().byte, &many);
  return many > 0 ? static_cast<std::uint64_t>(many) : 0;
}

namespace {

/// Whether only MPI may read there (runtime/mpi/memory_kind.h). One element tells: it may have pieces in both
/// kinds of memory (a header of the processor's, data of the device's), the next ones lie in the same blocks.
bool is_in_device_memory(const void* buffer, const data_layout& layout) {
  if (!runtime::has_device_library())
    return false;
  const auto base = reinterpret_cast<std::uint64_t>(buffer);
  return std::any_of(layout.segments.begin(), layout.segments.end(), [base](const layout_segment& s) {
    const std::uint64_t at = base + static_cast<std::uint64_t>(s.displacement);
    return s.length > 0 && runtime::in_device_memory(reinterpret_cast<const void*>(at));
  });
}

} // namespace

/// The runs of a buffer's packed bytes, each inside one allocation, into runs_. False if there are more than
/// are worth following; `hull` covers them all either way.
bool call_recorder::collect_runs(const void* buffer, const data_layout& layout, std::uint64_t count,
                                 std::uint64_t bytes, memory_run& hull) {
  runs_.clear();
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  bool few = true;
  memory_block in;
  for_each_run(reinterpret_cast<std::uint64_t>(buffer), layout, count, bytes, [&](const memory_run& run) {
    low = std::min(low, run.address);
    high = std::max(high, run.address + run.length);
    few = few && runs_.size() < received_table::max_runs_of_receive;
    if (!few)
      return;
    if (!in.contains(run.address))
      in = names_->block(run.address);
    runs_.push_back({run, in.id, in.kind == rec::memory_kind::heap});
  });
  hull = {low, high > low ? high - low : 0};
  return few;
}

/// Whether a send may carry bytes that were received: then it is looked at before the call, for a receive of the same call,
/// or one under way, may write into blocks that it shares.
bool call_recorder::has_received_bytes(const void* buffer, MPI_Count count, const data_layout* layout) {
  if (received_.empty() || !layout || !layout->known || count <= 0)
    return false;
  const auto elements = static_cast<std::uint64_t>(count);
  memory_run hull;
  collect_runs(buffer, *layout, elements, elements * layout->size, hull);
  return hull.length > 0 && received_.touches(hull);
}

/// A send's content is hashed after the library has been called, when the message is on its way: MPI forbids to change it
/// until the send is complete. Only what may be forwarded, or is replaced by the same call, is hashed before.
void call_recorder::before_send(invocation& v) {
  if (!hashing_ || v.dest == MPI_PROC_NULL)
    return;
  const data_layout* const layout = names_->layout_of(v.send);
  call_notes& notes = notes_of(v);
  const bool replaced = v.call == mpi_call::Sendrecv_replace || v.call == mpi_call::Isendrecv_replace;
  notes.hash_later = !replaced && !has_received_bytes(v.send.buffer, v.send.count, layout);
  if (notes.hash_later)
    return;
  observe_send(v.send.buffer, v.send.count, layout, notes.content, &notes.forwards);
  notes.slow = true;
}

void call_recorder::observe_send(const void* buffer, MPI_Count count, const data_layout* layout,
                                 content_note& content, std::vector<forwarded_part>* forwards) {
  if (!hashing_ || !layout || !layout->known || count < 0)
    return;
  const std::uint64_t begin = ticks_now();
  const auto elements = static_cast<std::uint64_t>(count);
  const std::uint64_t bytes = elements * layout->size;
  // A null buffer is the library's to complain about, not ours to read.
  const auto first = layout->segments.empty() ? 0 : layout->segments[0].displacement;
  if (bytes > 0 && reinterpret_cast<std::uint64_t>(buffer) + static_cast<std::uint64_t>(first) < 4096)
    return;
  if (bytes > 0 && is_in_device_memory(buffer, *layout)) {
    content.flags = rec::call_in_device;
    return;
  }
  content = {hasher_.hash(reinterpret_cast<std::uint64_t>(buffer), *layout, elements, bytes),
             rec::call_hash_valid};
  if (forwards && bytes > 0 && !received_.empty()) {
    memory_run hull;
    if (collect_runs(buffer, *layout, elements, bytes, hull))
      *forwards = received_.forwarded(runs_, hasher_.blocks());
  }
  hash_ticks_ += ticks_now() - begin;
}

/// Notes a request that a call made; its id, or 0 if it made none.
std::uint64_t call_recorder::post(invocation& v) {
  if (!v.new_request || *v.new_request == handles().request_null)
    return 0;
  const std::uint32_t slot = requests_.make();
  open_request& r = requests_[slot];
  r.id = ++last_request_;
  r.active = true;
  r.comm = names_->comm_id(v.comm);
  r.call = r.started_by = static_cast<std::uint16_t>(v.call);
  r.path = v.notes.made() ? notes_of(v).path : 0;
  if (counting_ && (v.kind == call_class::irecv || v.kind == call_class::imrecv))
    r.ticks = v.end - v.begin;
  else if (counting_ && v.kind == call_class::isendrecv)
    r.ticks = (v.end - v.begin) / 2;
  if (v.kind == call_class::collective_init || v.kind == call_class::neighbor_init)
    r.contributed = contributed_bytes(v);
  const bool sends = v.kind == call_class::isend || v.kind == call_class::send_init;
  const data_part& data = sends ? v.send : v.recv;
  switch (v.kind) {
  case call_class::isend:
    r.kind = request_kind::send;
    break;
  case call_class::irecv:
  case call_class::imrecv:
    r.kind = request_kind::recv;
    break;
  case call_class::isendrecv:
    r.kind = request_kind::both;
    break;
  case call_class::comm_idup:
    r.kind = request_kind::idup;
    break;
  case call_class::send_init:
    r.kind = request_kind::send;
    break;
  case call_class::recv_init:
    r.kind = request_kind::recv;
    break;
  default:
    r.kind = request_kind::other;
    break;
  }
  if (v.kind == call_class::send_init || v.kind == call_class::recv_init ||
      v.kind == call_class::collective_init || v.kind == call_class::neighbor_init ||
      v.call == mpi_call::Psend_init || v.call == mpi_call::Precv_init) {
    r.persistent = true;
    r.active = false;
    r.init_id = r.id;
  }
  if (r.kind == request_kind::send || r.kind == request_kind::recv || r.kind == request_kind::both) {
    r.buffer = data.buffer;
    r.count = data.count > 0 ? static_cast<std::uint64_t>(data.count) : 0;
    r.layout = names_->layout_of(data);
    r.peer = rank_code(sends ? v.dest : v.source);
    r.tag = sends ? v.send_tag : v.recv_tag;
    r.any_source = !sends && v.source == MPI_ANY_SOURCE;
    r.any_tag = !sends && v.recv_tag == MPI_ANY_TAG;
  }
  if (v.kind == call_class::comm_idup) {
    r.new_comm = v.new_comm;
    r.new_comm_value = *v.new_comm;
    if (v.fortran)
      r.new_comm = nullptr;
    r.new_key = names_->constructor_key(v);
  }
  requests_.put(bits(*v.new_request), slot);
  return r.id;
}

// Persistent requests.

void call_recorder::before_start(invocation& v) {
  for (int i = 0; i < v.request_count; ++i) {
    const std::uint32_t slot = requests_.look(bits(v.requests[i]));
    if (slot == open_request_table::none)
      continue;
    open_request& r = requests_[slot];
    r.content = {};
    r.forwards.clear();
    const auto count = static_cast<MPI_Count>(r.count);
    const bool sends = hashing_ && r.kind == request_kind::send && r.peer != rec::peer_null;
    r.hash_later = sends && !has_received_bytes(r.buffer, count, r.layout);
    if (sends && !r.hash_later)
      observe_send(r.buffer, count, r.layout, r.content, &r.forwards);
  }
}

void call_recorder::after_start(invocation& v, int result) {
  const std::uint64_t end = ticks_now();
  for (int i = 0; i < v.request_count; ++i) {
    const std::uint32_t slot = requests_.look(bits(v.requests[i]));
    if (slot == open_request_table::none)
      continue;
    open_request& r = requests_[slot];
    if (result == MPI_SUCCESS) {
      r.id = ++last_request_;
      r.active = true;
      r.cancel_asked = false;
      if (r.hash_later)
        observe_send(r.buffer, static_cast<MPI_Count>(r.count), r.layout, r.content, nullptr);
    }
    r.started_by = static_cast<std::uint16_t>(v.call);
    r.path = notes_of(v).path;
    r.counted = counts(sizeof(rec::call_record) + 16);
    if (r.counted) {
      count_start(v, r, result);
      continue;
    }
    notes_of(v).noted = true;
    rec::call_record record{};
    record.header.kind = static_cast<std::uint16_t>(rec::record_kind::call);
    record.header.flags =
        static_cast<std::uint16_t>((result == MPI_SUCCESS ? 0 : rec::call_failed) | r.content.flags);
    record.call = static_cast<std::uint16_t>(v.call);
    record.part = r.kind == request_kind::recv;
    record.site = notes_of(v).path;
    record.begin = v.begin;
    record.end = end;
    record.comm = r.comm;
    record.peer = r.kind == request_kind::other ? rec::peer_none : r.peer;
    record.tag = r.any_tag ? rec::any_tag : r.tag;
    record.layout = r.layout ? r.layout->id : 0;
    record.count = r.count;
    const location at = names_->location_of(r.buffer, r.layout);
    record.allocation = at.allocation;
    record.offset = at.offset;
    record.hash = r.content.hash;
    const std::uint64_t ids[2] = {r.id, r.init_id};
    record.requests = 2;
    out_.append(record, std::as_bytes(std::span(ids)));
    write_forwards(r.forwards);
  }
}

// Completion.

void call_recorder::before_complete(invocation& v) {
  const bool several = v.call == mpi_call::Waitall || v.call == mpi_call::Testall ||
                       v.call == mpi_call::Waitsome || v.call == mpi_call::Testsome;
  const int n = std::max(v.request_count, 0);
  if (several && v.statuses == MPI_STATUSES_IGNORE) {
    v.statuses = notes_of(v).statuses.resize(static_cast<std::size_t>(std::max(n, 1)));
    v.status_ignored = true;
  } else if (!several && v.status == MPI_STATUS_IGNORE) {
    v.status = notes_of(v).statuses.resize(1);
    v.status_ignored = true;
  }
  seen_request* seen = notes_of(v).requests.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    seen[i] = {bits(v.requests[i]), 0, seen_request::none};
  if (threaded_)
    take_requests(v); // else nobody can get the handles anew while we wait
}

/// Takes the requests of a completion call out of the table.
void call_recorder::take_requests(invocation& v) {
  const std::uint64_t null = bits(handles().request_null);
  for (std::size_t i = 0; i < notes_of(v).requests.size(); ++i) {
    seen_request& seen = notes_of(v).requests[i];
    if (seen.handle == null)
      continue;
    seen.slot = requests_.take(seen.handle);
    if (seen.slot != open_request_table::none)
      seen.id = requests_[seen.slot].active ? requests_[seen.slot].id : 0;
  }
}

/// What did not complete, and persistent requests, go back where they were.
void call_recorder::put_back_requests(invocation& v) {
  for (std::size_t i = notes_of(v).requests.size(); i-- > 0;) {
    const seen_request& seen = notes_of(v).requests[i];
    if (seen.slot != seen_request::none)
      requests_.put_back(seen.handle, seen.slot);
  }
}

void call_recorder::complete_receive(const void* buffer, const data_layout* layout, std::uint64_t count,
                                     std::uint64_t request, const MPI_Status& status, std::uint16_t flags) {
  rec::completion_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::completion);
  record.request = request;
  record.tick = ticks_now();
  record.source = rec::peer_none;
  record.tag = 0;
  const bool usable = (flags & (rec::completion_cancelled | rec::completion_failed)) == 0;
  if (usable) {
    record.source = rank_code(status.MPI_SOURCE);
    record.tag = status.MPI_TAG;
    record.bytes = record.source == rec::peer_null ? 0 : bytes_of(status);
  }
  if (usable && hashing_ && layout && layout->known && record.source != rec::peer_null) {
    const bool in_device = record.bytes > 0 && is_in_device_memory(buffer, *layout);
    memory_run hull;
    const bool few = record.bytes > 0 && collect_runs(buffer, *layout, count, record.bytes, hull);
    const bool worth = !in_device && (!few || received_.is_worth_hashing(runs_));
    if (worth)
      record.hash = hasher_.hash(reinterpret_cast<std::uint64_t>(buffer), *layout, count, record.bytes);
    if (worth || in_device)
      flags |= in_device ? rec::completion_in_device : rec::completion_hash_valid;
    if (few && worth)
      received_.received(completions_, runs_, hasher_.blocks());
    else if (few && !in_device)
      received_.received_unseen(completions_, runs_);
    else if (record.bytes > 0)
      received_.overwritten(hull);
    hash_ticks_ += ticks_now() - record.tick;
  }
  record.header.flags = flags;
  out_.append(record);
  ++completions_;
}

void call_recorder::complete(seen_request seen, const MPI_Status& status, bool failed) {
  open_request& r = requests_[seen.slot];
  std::uint16_t flags = failed ? rec::completion_failed : 0;
  int cancelled = 0;
  if (r.cancel_asked && !failed)
    TACIT_PMPI(Test_cancelled)(&status, &cancelled);
  if (cancelled)
    flags |= rec::completion_cancelled;
  if (r.kind == request_kind::recv || r.kind == request_kind::both) {
    if (r.any_source)
      flags |= rec::completion_any_source;
    if (r.any_tag)
      flags |= rec::completion_any_tag;
    if (counts(sizeof(rec::completion_record)))
      return count_completion(r, status, flags);
    complete_receive(r.buffer, r.layout, r.count, seen.id, status, flags);
  } else {
    if (counts(sizeof(rec::completion_record)))
      count_completion(r, status, flags);
    else
      write_completion(seen.id, flags);
    if (r.kind == request_kind::idup && !failed)
      names_->made(r.new_comm ? *r.new_comm : r.new_comm_value, r.comm, mpi_call::Comm_idup, r.new_key);
  }
}

/// Of a request that received nothing.
void call_recorder::write_completion(std::uint64_t request, std::uint16_t flags) {
  rec::completion_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::completion);
  record.header.flags = flags;
  record.request = request;
  record.source = rec::peer_none;
  record.tick = ticks_now();
  out_.append(record);
  ++completions_;
}

namespace {

/// Which of the requests of a completion call completed: calls `done(index in requests, status)`.
template <typename Done>
void for_each_completed(invocation& v, int result, Done done) {
  const bool in_status = result == MPI_ERR_IN_STATUS;
  if (result != MPI_SUCCESS && !in_status && v.request_count != 1 && !v.done_index)
    return;
  switch (v.call) {
  case mpi_call::Wait:
    return done(0, *v.status);
  case mpi_call::Test:
    return *v.flag || result != MPI_SUCCESS ? done(0, *v.status) : void();
  case mpi_call::Testall:
    if (!*v.flag && !in_status)
      return;
    [[fallthrough]];
  case mpi_call::Waitall:
    for (int i = 0; i < v.request_count; ++i)
      done(i, v.statuses[i]);
    return;
  case mpi_call::Testany:
    if (!*v.flag && result == MPI_SUCCESS)
      return;
    [[fallthrough]];
  case mpi_call::Waitany:
    if (*v.done_index != MPI_UNDEFINED && *v.done_index >= 0)
      done(*v.done_index, *v.status);
    return;
  case mpi_call::Waitsome:
  case mpi_call::Testsome:
    if (*v.done_count == MPI_UNDEFINED)
      return;
    for (int i = 0; i < *v.done_count; ++i)
      done(v.done_indices[i], v.statuses[i]);
    return;
  default:
    return;
  }
}

} // namespace

namespace {

/// True if a Test* found nothing.
bool found_nothing(const invocation& v, int result) {
  if (result != MPI_SUCCESS)
    return false;
  if (v.flag)
    return *v.flag == 0;
  return v.call == mpi_call::Testsome && (*v.done_count == 0 || *v.done_count == MPI_UNDEFINED);
}

} // namespace

void call_recorder::after_complete(invocation& v, int result) {
  const bool nothing = found_nothing(v, result);
  const poll_question asked = nothing ? poll_question(v.call, v.requests, v.request_count) : poll_question();
  if (nothing && join_poll(v, asked))
    return threaded_ ? put_back_requests(v) : void();
  if (!nothing)
    close_polls();
  if (!threaded_)
    take_requests(v);
  ids_.clear();
  for (std::size_t i = 0; i < notes_of(v).requests.size(); ++i)
    ids_.push_back(notes_of(v).requests[i].id);
  if (nothing) {
    write_poll(v, asked, part{}, ids_);
    return put_back_requests(v);
  }
  write_call(v, result, part{}, ids_);
  if (counting_)
    share_time(v);
  seen_request* seen = notes_of(v).requests.data();
  for_each_completed(v, result, [&](int i, const MPI_Status& status) {
    seen_request& s = seen[i];
    if (s.slot == seen_request::none || s.id == 0)
      return;
    const int error = result == MPI_ERR_IN_STATUS ? status.MPI_ERROR : result;
    if (error == MPI_ERR_PENDING)
      return;
    complete(s, status, error != MPI_SUCCESS);
    open_request& r = requests_[s.slot];
    if (r.persistent) {
      r.active = false;
      return;
    }
    requests_.release(s.slot);
    s.slot = seen_request::none;
  });
  put_back_requests(v);
}

// Cancel, Request_free, Request_get_status.

void call_recorder::before_request_call(invocation& v) {
  if (v.call != mpi_call::Request_get_status &&
      v.kind == call_class::request_query) { // of several: none is named
    notes_of(v).requests.resize(1)[0] = {0, 0, open_request_table::none};
    return;
  }
  const std::uint64_t handle = bits(*v.requests);
  const std::uint32_t slot = requests_.look(handle);
  notes_of(v).requests.resize(1)[0] = {handle, slot == open_request_table::none ? 0 : requests_[slot].id,
                                       slot};
  if (slot == open_request_table::none)
    return;
  if (v.kind == call_class::cancel)
    requests_[slot].cancel_asked = true;
  if (v.kind == call_class::request_free)
    requests_.release(requests_.take(handle));
}

} // namespace tacit::interpose
