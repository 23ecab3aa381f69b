// The recorder's part for recordings with a limit: what no longer fits is counted, by shape (tally.h). What a shape adds up to in
// calls, messages, bytes and time is the same as of the records that would have been written; only their order, and the
// contents, are lost.
#include "interpose/layer/clock.h"
#include "interpose/layer/environment.h"
#include "interpose/layer/polls.h"
#include "interpose/recorder/recorder.h"

#include <string>

namespace tacit::interpose {

namespace rec = recordings;

namespace {

/// What polls that found nothing have taken is no time in MPI: the program waits for something else between them.
bool is_idle_poll(const invocation& v) {
  if (v.kind != call_class::complete && v.kind != call_class::probe && v.kind != call_class::mprobe)
    return false;
  if (v.flag)
    return *v.flag == 0;
  return v.call == mpi_call::Testsome && (*v.done_count == 0 || *v.done_count == MPI_UNDEFINED);
}

bool is_collective(call_class kind) {
  return kind == call_class::collective || kind == call_class::icollective || kind == call_class::neighbor ||
         kind == call_class::ineighbor;
}

/// The bytes of a request's buffer.
std::uint64_t length_of(const open_request& r) {
  return r.layout ? r.layout->size * r.count : 0;
}

} // namespace

/// Each rank gets an equal share of the limit; all know whether that is enough.
bool call_recorder::refuse_limit(int size) {
  const auto ranks = static_cast<std::uint64_t>(size);
  const std::uint64_t least = ranks * (rec::writer::smallest_limit + 16 * ranks);
  if (settings().max_size >= least)
    return false;
  if (world_rank_ == 0)
    say(reason::recording_limit, "nothing is recorded: a recording of " + std::to_string(size) +
                                     " ranks needs a limit (TACIT_MAX_SIZE, --max-size) of at least " +
                                     std::to_string(least) + " bytes");
  leave_mark(reached::refused);
  complained_ = true;
  return true;
}

/// Whether a record of so many bytes is to be counted instead of written; once that was so, all are.
bool call_recorder::counts(std::size_t bytes) {
  if (counting_ || (out_.room() == rec::recording_room::everything && out_.fits(bytes)))
    return counting_;
  counting_ = true;
  hashing_ = false;
  received_ = {};
  close_polls();
  return true;
}

rec::tally_record call_recorder::row_of(const invocation& v, rec::tally_kind what) const {
  rec::tally_record row{};
  row.what = what;
  row.call = static_cast<std::uint16_t>(v.call);
  row.site = notes_of(v).path;
  if (what != rec::tally_kind::calls && v.comm != MPI_Comm{}) // of a call it may be gone
    row.comm = names_->comm_id(v.comm);
  row.peer = rec::peer_none;
  row.times = 1;
  row.end = v.end;
  return row;
}

void call_recorder::count_call(const invocation& v) {
  rec::tally_record row = row_of(v, rec::tally_kind::calls);
  row.ticks = is_idle_poll(v) ? 0 : v.end - v.begin;
  notes_of(v).noted = true;
  tally_.add(row, 0);
}

void call_recorder::count_part(const invocation& v, int result, const part& p) {
  const bool first = !notes_of(v).noted;
  if (first)
    count_call(v);
  if (result != MPI_SUCCESS)
    return;
  const bool both = v.kind == call_class::sendrecv || v.kind == call_class::isendrecv;
  if (is_collective(v.kind) && first) {
    rec::tally_record row = row_of(v, rec::tally_kind::collectives);
    row.site = 0;
    row.bytes = contributed_bytes(v);
    row.ticks = v.end - v.begin;
    tally_.add(row, 0);
  } else if ((v.kind == call_class::send || v.kind == call_class::isend || both) && !p.receives &&
             p.peer != rec::peer_null) {
    rec::tally_record row = row_of(v, rec::tally_kind::sends);
    const data_layout* const layout = names_->layout_of(v.send);
    row.peer = p.peer;
    row.tag = p.tag;
    row.bytes = layout && v.send.count > 0 ? layout->size * static_cast<std::uint64_t>(v.send.count) : 0;
    row.ticks = (v.end - v.begin) / (both ? 2 : 1);
    tally_.add(row, row.bytes);
  }
}

/// A receive is complete. `posted_before`: its call has a record, in which it says what it knew.
void call_recorder::count_receive(rec::tally_record row, const MPI_Status& status, std::uint16_t flags,
                                  bool posted_before) {
  row.what = rec::tally_kind::receives;
  if ((flags & (rec::completion_any_source | rec::completion_any_tag)) != 0)
    row.header.flags |= rec::tally_wildcard;
  if (posted_before)
    row.header.flags |= rec::tally_posted_before;
  if ((flags & (rec::completion_failed | rec::completion_cancelled)) != 0) {
    row.what = (flags & rec::completion_failed) != 0 ? rec::tally_kind::failed : rec::tally_kind::cancelled;
    return tally_.add(row, 0);
  }
  row.peer = rank_code(status.MPI_SOURCE);
  row.tag = status.MPI_TAG;
  if (row.peer == rec::peer_null)
    return;
  row.bytes = bytes_of(status);
  tally_.add(row, row.bytes);
}

/// A persistent request has been started.
void call_recorder::count_start(const invocation& v, open_request& r, int result) {
  if (!notes_of(v).noted)
    count_call(v);
  if (result != MPI_SUCCESS)
    return;
  r.ticks = (v.end - v.begin) / static_cast<std::uint64_t>(std::max(v.request_count, 1));
  const call_row* const row_of_call = find_call(r.call);
  const bool collective = row_of_call && (row_of_call->kind == call_class::collective_init ||
                                          row_of_call->kind == call_class::neighbor_init);
  rec::tally_record row = row_of(v, collective ? rec::tally_kind::collectives : rec::tally_kind::sends);
  row.comm = r.comm;
  if (collective) {
    row.call = r.call;
    row.site = 0;
    row.bytes = r.contributed;
  } else if (r.kind == request_kind::send && r.peer != rec::peer_null) {
    row.peer = r.peer;
    row.tag = r.tag;
    row.bytes = length_of(r);
  } else {
    return; // receives are counted when they are complete
  }
  row.ticks = std::exchange(r.ticks, 0);
  tally_.add(row, collective ? 0 : row.bytes);
}

/// A request is complete. What was sent has been counted before: only its time is new.
void call_recorder::count_completion(open_request& r, const MPI_Status& status, std::uint16_t flags) {
  rec::tally_record row{};
  row.call = r.started_by;
  row.site = r.path;
  row.comm = r.comm;
  row.peer = rec::peer_none;
  row.ticks = std::exchange(r.ticks, 0);
  row.end = ticks_now();
  if (r.kind == request_kind::recv || r.kind == request_kind::both) {
    row.times = 1;
    return count_receive(row, status, flags, !r.counted);
  }
  if (row.ticks == 0)
    return;
  if (r.kind == request_kind::send && r.peer != rec::peer_null) {
    row.what = rec::tally_kind::sends;
    row.peer = r.peer;
    row.tag = r.tag;
    return tally_.add(row, length_of(r));
  }
  const call_row* const made_by = find_call(r.call);
  if (!made_by || (!is_collective(made_by->kind) && made_by->kind != call_class::collective_init &&
                   made_by->kind != call_class::neighbor_init))
    return;
  row.what = rec::tally_kind::collectives;
  row.call = r.call;
  row.site = 0;
  tally_.add(row, 0);
}

/// The time of a completion call belongs to the requests that it was given, in equal parts.
void call_recorder::share_time(invocation& v) {
  std::uint64_t open = 0;
  auto& seen = notes_of(v).requests;
  for (std::size_t i = 0; i < seen.size(); ++i)
    open += seen[i].id != 0 && seen[i].slot != seen_request::none ? 1 : 0;
  if (open == 0)
    return;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i].id != 0 && seen[i].slot != seen_request::none)
      requests_[seen[i].slot].ticks += (v.end - v.begin) / open;
}

} // namespace tacit::interpose
