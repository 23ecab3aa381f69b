#include "interpose/recorder/recorder.h"

#include "interpose/layer/clock.h"
#include "interpose/layer/environment.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/polls.h"
#include "interpose/recorder/memory.h"
#include "vocabulary/base/launched.h"
#include "vocabulary/base/python_program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tacit::interpose {

namespace rec = recordings;

std::int32_t rank_code(int rank) {
  if (rank == no_peer)
    return rec::peer_none;
  if (rank == MPI_ANY_SOURCE)
    return rec::peer_any;
  if (rank == MPI_PROC_NULL)
    return rec::peer_null;
  if (rank == MPI_ROOT)
    return rec::peer_root;
  return rank;
}

namespace {

/// Locks only if several threads may be in MPI at once.
class optional_lock {
public:
  optional_lock(std::mutex& mutex, bool wanted) : mutex_(wanted ? &mutex : nullptr) {
    if (mutex_)
      mutex_->lock();
  }
  ~optional_lock() {
    if (mutex_)
      mutex_->unlock();
  }
  optional_lock(const optional_lock&) = delete;
  optional_lock& operator=(const optional_lock&) = delete;

private:
  std::mutex* mutex_;
};

// Leaving a call is timed once in this many calls, so that the cost we report costs little itself.
constexpr std::uint32_t sample_every = 64;
// About 20 µs. A longer sample was interrupted, not working, and would count 64 times.
constexpr std::uint64_t longest_sample = 1u << 16;

/// Whoever makes the mark speaks; if no mark can be made, everybody does. The mark of an earlier run does not
/// count.
bool another_rank_has_spoken(const std::string& mark) {
  const auto make = [&] {
    const int file = open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    return file >= 0 && close(file) == 0;
  };
  if (make() || errno != EEXIST)
    return false;
  struct stat found{};
  const std::int64_t began =
      nanoseconds_of(CLOCK_REALTIME) - (nanoseconds_of(CLOCK_MONOTONIC) - first_moment().monotonic_ns);
  constexpr std::int64_t slack_ns = 100'000'000; // ranks leave MPI_Init after all were loaded; clocks differ
  const bool old = stat(mark.c_str(), &found) == 0 &&
                   found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec < began - slack_ns;
  return !old || unlink(mark.c_str()) != 0 || !make();
}

/// The launcher's variables (its library may not be the program's) speak of more than one process.
bool launched_with_others() {
  return launched_ranks().value_or(1) > 1;
}

/// Calls that a rank may hang in. Polls return, and posting does.
bool may_block(call_class kind) {
  switch (kind) {
  case call_class::isend:
  case call_class::irecv:
  case call_class::isendrecv:
  case call_class::imrecv:
  case call_class::start:
  case call_class::send_init:
  case call_class::recv_init:
  case call_class::type_make:
  case call_class::type_free:
  case call_class::local:
  case call_class::abort:
    return false;
  default:
    return true;
  }
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  return words;
}

/// The program's file; of Python, what it runs.
std::string program_name() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string file = length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
  const std::string script = is_python(file) ? python_script(command_line()) : "";
  return script.empty() ? file : script;
}

} // namespace

client& recorder() {
  static call_recorder& it = *new call_recorder; // never destroyed: calls may come until the very end
  return it;
}

// Life.

bool call_recorder::wanted() const {
  return !settings().record.empty();
}

void call_recorder::loaded() {
  all_calls_.add_all();
  follow_memory(true);
  pthread_atfork(nullptr, nullptr, memory_after_fork);
}

void call_recorder::stopped() {
  follow_memory(false);
}

bool call_recorder::start(const invocation& v) {
  int size = 0, level = MPI_THREAD_SINGLE;
  TACIT_PMPI(Comm_rank)(handles().world, &world_rank_);
  TACIT_PMPI(Query_thread)(&level);
  TACIT_PMPI(Comm_size)(handles().world, &size);
  threaded_ = level == MPI_THREAD_MULTIPLE;
  allow_quick_polls(!threaded_);
  hashing_ = settings().hash;
  out_.fold(settings().fold);
  if (settings().max_size > 0) {
    if (refuse_limit(size))
      return false;
    out_.limit(settings().max_size / static_cast<std::uint64_t>(size));
  }
  if (mkdir(settings().record.c_str(), 0777) != 0 && errno != EEXIST && world_rank_ == 0)
    say(reason::disk, "cannot make the folder " + settings().record + ": " + std::strerror(errno));
  if (!out_.open(settings().record, static_cast<std::uint32_t>(world_rank_))) {
    if (out_.taken() && size == 1 && launched_with_others())
      refuse_single_processes();
    else if (out_.taken())
      refuse_taken_folder();
    else
      check_writer();
    return false;
  }
  names_ = std::make_unique<dictionary>(out_);
  write_start();
  names_->start();
  write_call(v, MPI_SUCCESS, part{});
  all_calls_.switch_on();
  return true;
}

void call_recorder::write_start() {
  // A short MPI_Init still needs some time between the two moments that calibrate the counter.
  constexpr std::int64_t enough_ns = 2'000'000;
  clock_pair now = clock_pair::now();
  while (now.monotonic_ns - first_moment().monotonic_ns < enough_ns)
    now = clock_pair::now();
  const std::string program = program_name(), library = library_version(nullptr);
  int size = 0;
  TACIT_PMPI(Comm_size)(handles().world, &size);
  rec::run_start record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::start);
  std::memcpy(record.magic, rec::magic, sizeof record.magic);
  record.version = rec::format_version;
  record.rank = static_cast<std::uint32_t>(world_rank_);
  record.size = static_cast<std::uint32_t>(size);
  record.hashing = hashing_;
  record.seconds_per_tick = seconds_per_tick(first_moment(), now);
  record.start_unix_ns = nanoseconds_of(CLOCK_REALTIME);
  record.start_tick = start_tick_ = ticks_now();
  record.program_bytes = static_cast<std::uint32_t>(program.size());
  record.library_bytes = static_cast<std::uint32_t>(library.size());
  out_.append(record, std::as_bytes(std::span(program)), std::as_bytes(std::span(library)));
}

void call_recorder::finish() {
  rec::finish_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::finish);
  record.tick = ticks_now();
  record.records = out_.records() + 1;
  record.cpu_ns = static_cast<std::uint64_t>(nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID));
  record.recorder_ticks = recorder_ticks_ + hash_ticks_;
  record.hash_ticks = hash_ticks_;
  out_.append(record);
  out_.close();
  check_writer();
}

void call_recorder::end() {
  out_.close();
}

void call_recorder::forked() {
  out_.forked();
}

/// Another process of this run is rank 0 of 1, too: nobody told them of each other.
void call_recorder::refuse_single_processes() {
  complained_ = true;
  leave_mark(reached::refused);
  if (another_rank_has_spoken(settings().record + "/" + rec::launched_apart_mark))
    return;
  say(reason::wrong_mpi,
      "several processes record as rank 0 of 1: the launcher belongs to another MPI library than the program "
      "(" +
          library_version(nullptr).substr(0, library_version(nullptr).find_first_of(",\n")) +
          "), so each process runs alone. Start the program with its own library's mpiexec, into a new "
          "folder.");
}

/// Another run has left its recording here: of the same command, if that starts several programs.
void call_recorder::refuse_taken_folder() {
  complained_ = true;
  if (world_rank_ == 0)
    say(reason::disk,
        settings().record +
            " has the recording of another program already, of the same command or of an earlier "
            "one: this program is not recorded. Record each into a folder of its own.");
}

/// The recording cannot go on: say so once on this node, and let the program be.
void call_recorder::check_writer() {
  if (out_.problem().empty() || complained_)
    return;
  complained_ = true;
  retire(*this);
  if (another_rank_has_spoken(settings().record + "/" + rec::stop_mark))
    return;
  say(reason::disk,
      "rank " + std::to_string(world_rank_) + ": " + out_.problem() +
          ". Recording stops, the program continues; what was written stays usable. Give TACIT_RECORD a new "
          "folder on a disk with more room.");
}

// Every call.

void call_recorder::before(invocation& v) {
  const std::uint64_t entered = ticks_now();
  {
    const optional_lock hold(mutex_, threaded_);
    v.begin = entered;
    v.notes.make<call_notes>().path = names_->path(v);
    dispatch_before(v);
    if (may_block(v.kind))
      note_begun(v);
  }
  if (notes_of(v).slow)
    v.begin = ticks_now();
}

/// Whoever looks at what is left of a process that was killed learns which call it was in.
void call_recorder::note_begun(const invocation& v) {
  rec::begun_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::begun);
  record.call = static_cast<std::uint16_t>(v.call);
  record.site = notes_of(v).path;
  record.begin = v.begin;
  record.comm = v.kind == call_class::comm_free || v.comm == MPI_Comm{} ? 0 : names_->comm_id(v.comm);
  const bool sends = v.kind == call_class::send || v.kind == call_class::isend;
  record.peer = rank_code(sends ? v.dest : v.source);
  record.tag = sends ? v.send_tag : v.recv_tag == MPI_ANY_TAG ? rec::any_tag : v.recv_tag;
  out_.put_behind(record);
}

void call_recorder::after(invocation& v, int result) {
  if (!v.notes.made())
    return; // recording began while the call was under way
  v.end = ticks_now();
  const optional_lock hold(mutex_, threaded_);
  const std::uint64_t hashed = hash_ticks_;
  dispatch_after(v, result);
  out_.drop_behind(); // polls that found nothing may have written nothing
  for (const data_part* data : {&v.send, &v.recv})
    if (data->type_ends)
      names_->forget_type(data->type);
  if (!out_.alive())
    check_writer();
  if (--until_sample_ > 0)
    return;
  until_sample_ = sample_every;
  const std::uint64_t spent = ticks_now() - v.end - (hash_ticks_ - hashed);
  recorder_ticks_ += sample_every * std::min(spent, longest_sample);
}

void call_recorder::dispatch_before(invocation& v) {
  const bool may_poll =
      v.kind == call_class::complete || v.kind == call_class::probe || v.kind == call_class::mprobe;
  if (!may_poll)
    close_polls(); // see polls.h; those that may are decided when it is known what they found
  switch (v.kind) {
  case call_class::send:
  case call_class::isend:
  case call_class::sendrecv:
  case call_class::isendrecv:
    before_send(v);
    [[fallthrough]];
  case call_class::recv:
  case call_class::mrecv:
  case call_class::probe:
  case call_class::mprobe:
    if (v.message)
      notes_of(v).message = *v.message;
    if (v.status == MPI_STATUS_IGNORE && v.kind != call_class::isend) {
      v.status = notes_of(v).statuses.resize(1);
      v.status_ignored = true;
    }
    return;
  case call_class::imrecv:
    notes_of(v).message = *v.message;
    return;
  case call_class::start:
    before_start(v);
    notes_of(v).slow = true;
    return;
  case call_class::complete:
    return before_complete(v);
  case call_class::cancel:
  case call_class::request_free:
  case call_class::request_query:
    return before_request_call(v);
  case call_class::comm_free:
    notes_of(v).freed = names_->comm_id(v.comm);
    return names_->forget_communicator(v.comm);
  case call_class::type_free:
    return names_->forget_type(v.type_freed);
  case call_class::abort:
    v.end = v.begin;
    write_call(v, MPI_SUCCESS, part{});
    return out_.flush();
  default:
    return;
  }
}

void call_recorder::dispatch_after(invocation& v, int result) {
  switch (v.kind) {
  case call_class::send:
  case call_class::recv:
  case call_class::sendrecv:
  case call_class::isend:
  case call_class::irecv:
  case call_class::isendrecv:
  case call_class::send_init:
  case call_class::recv_init:
  case call_class::mrecv:
  case call_class::imrecv:
    return after_point_to_point(v, result);
  case call_class::start:
    return after_start(v, result);
  case call_class::complete:
    return after_complete(v, result);
  case call_class::probe:
  case call_class::mprobe:
    return after_probe(v, result);
  case call_class::cancel:
  case call_class::request_free:
  case call_class::request_query:
    write_call(v, result, part{}, std::span(&notes_of(v).requests[0].id, 1));
    return;
  case call_class::collective:
  case call_class::icollective:
  case call_class::collective_init:
  case call_class::neighbor:
  case call_class::ineighbor:
  case call_class::neighbor_init:
    return after_collective(v, result);
  case call_class::comm_make:
  case call_class::comm_idup:
    return after_constructor(v, result);
  case call_class::type_make:
  case call_class::type_free:
    return; // datatypes are described when they are used
  case call_class::finalize:
    write_call(v, result, part{});
    return finish();
  default: {
    const std::uint64_t id = v.new_request && result == MPI_SUCCESS ? post(v) : 0;
    write_call(v, result, part{}, std::span(&id, id ? 1 : 0));
    return;
  }
  }
}

// Call records.

call_recorder::part call_recorder::sending(const invocation& v) {
  return {false, &v.send, rank_code(v.dest), v.send_tag, notes_of(v).content};
}

call_recorder::part call_recorder::receiving(const invocation& v) {
  return {true, &v.recv, rank_code(v.source), v.recv_tag == MPI_ANY_TAG ? rec::any_tag : v.recv_tag, {}};
}

bool call_recorder::write_call(const invocation& v, int result, const part& p,
                               std::span<const std::uint64_t> requests) {
  const bool must =
      v.kind == call_class::init || v.kind == call_class::finalize || v.kind == call_class::abort;
  if (!must && counts(sizeof(rec::call_record) + requests.size_bytes()))
    return count_part(v, result, p), false;
  if (v.notes.made())
    notes_of(v).noted = true;
  rec::call_record record{};
  record.header.kind = static_cast<std::uint16_t>(rec::record_kind::call);
  std::uint16_t flags = 0;
  if (result != MPI_SUCCESS)
    flags |= rec::call_failed;
  if (v.status_ignored)
    flags |= rec::call_status_ignored;
  if (v.kind == call_class::unknown)
    flags |= rec::call_unknown;
  if (v.flag && result == MPI_SUCCESS && *v.flag)
    flags |= rec::call_flag_true;
  flags |= p.content.flags;
  record.call = static_cast<std::uint16_t>(v.call);
  record.part = p.receives;
  record.site = v.notes.made() ? notes_of(v).path : names_->path(v); // MPI_Init has begun before recording
  record.begin = v.begin;
  record.end = v.end;
  record.comm = v.kind == call_class::comm_free ? notes_of(v).freed
                : v.comm == MPI_Comm{}          ? 0
                                                : names_->comm_id(v.comm);
  record.peer = p.peer;
  record.tag = p.tag;
  record.hash = p.content.hash;
  record.requests = static_cast<std::uint32_t>(requests.size());
  if (p.data) {
    const data_part& d = *p.data;
    const data_layout* layout = nullptr;
    if (d.buffer != MPI_IN_PLACE) { // then the other arguments mean nothing
      record.count = total_count(v, p);
      layout = names_->layout_of(d, record.count > 0);
      record.layout = layout ? layout->id : 0;
    }
    if (d.buffer == MPI_IN_PLACE) {
      flags |= rec::call_in_place;
    } else if (record.count > 0 || d.buffer != nullptr) {
      if (d.buffer == MPI_BOTTOM)
        flags |= rec::call_bottom;
      const location at = names_->location_of(d.buffer, layout);
      record.allocation = at.allocation;
      record.offset = at.offset;
    }
  }
  record.header.flags = flags;
  out_.append(record, std::as_bytes(requests));
  return true;
}

bool call_recorder::join_poll(const invocation& v, const poll_question& asked) {
  if (out_.flushes() != poll_flushes_ || counting_)
    close_polls();
  open_poll* const open = find_open_poll(v.from, asked);
  if (open)
    open->row.repeat();
  return open != nullptr;
}

void call_recorder::write_poll(const invocation& v, const poll_question& asked, const part& p,
                               std::span<const std::uint64_t> requests) {
  if (!write_call(v, MPI_SUCCESS, p, requests))
    return;
  if (out_.flushes() != poll_flushes_ || open_poll_count() == max_open_polls)
    close_polls();
  poll_flushes_ = out_.flushes();
  auto* const written = out_.last<rec::call_record>();
  if (!written)
    return;
  written->count = 1;
  open_one(v.from, asked, written->count, written->end);
}

void call_recorder::write_forwards(const std::vector<forwarded_part>& forwards) {
  for (const forwarded_part& f : forwards) {
    rec::forward_record record{};
    record.header.kind = static_cast<std::uint16_t>(rec::record_kind::forward);
    record.header.flags = f.constant ? rec::forward_constant : 0;
    record.receive = f.receive;
    record.receive_offset = f.receive_offset;
    record.send_offset = f.send_offset;
    record.length = f.length;
    out_.append(record);
  }
}

void call_recorder::after_point_to_point(invocation& v, int result) {
  std::uint64_t id = 0;
  if (v.message) {
    // A matched receive: what it matches was said to the probe.
    if (const found_message* found = messages_.find(bits(notes_of(v).message))) {
      v.comm = found->comm;
      v.source = found->source;
      v.recv_tag = found->tag;
      messages_.erase(bits(notes_of(v).message));
    }
  }
  if (result == MPI_SUCCESS)
    id = post(v);
  const std::span<const std::uint64_t> ids(&id, id ? 1 : 0);
  const bool sends = v.kind == call_class::send || v.kind == call_class::isend ||
                     v.kind == call_class::send_init || v.kind == call_class::sendrecv ||
                     v.kind == call_class::isendrecv;
  const bool receives =
      !(v.kind == call_class::send || v.kind == call_class::isend || v.kind == call_class::send_init);
  if (sends) {
    if (notes_of(v).hash_later && result == MPI_SUCCESS && !counting_)
      observe_send(v.send.buffer, v.send.count, names_->layout_of(v.send), notes_of(v).content, nullptr);
    if (write_call(v, result, sending(v), ids))
      write_forwards(notes_of(v).forwards);
  }
  const bool recorded = receives && write_call(v, result, receiving(v), ids);
  if (open_request* r = id ? &requests_[requests_.newest()] : nullptr)
    r->counted = !recorded;
  const bool blocking =
      v.kind == call_class::recv || v.kind == call_class::sendrecv || v.kind == call_class::mrecv;
  if (!blocking)
    return;
  std::uint16_t flags = result == MPI_SUCCESS ? 0 : rec::completion_failed;
  if (v.source == MPI_ANY_SOURCE)
    flags |= rec::completion_any_source;
  if (v.recv_tag == MPI_ANY_TAG)
    flags |= rec::completion_any_tag;
  if (counts(sizeof(rec::completion_record))) {
    rec::tally_record row = row_of(v, rec::tally_kind::receives);
    row.ticks = recorded ? 0 : (v.end - v.begin) / (sends ? 2 : 1);
    if (result == MPI_SUCCESS)
      count_receive(row, *v.status, flags, recorded);
    return;
  }
  complete_receive(v.recv.buffer, names_->layout_of(v.recv),
                   v.recv.count > 0 ? static_cast<std::uint64_t>(v.recv.count) : 0, 0, *v.status, flags);
}

void call_recorder::after_probe(invocation& v, int result) {
  part p = receiving(v);
  p.data = nullptr;
  if (v.flag && result == MPI_SUCCESS && !*v.flag) {
    const poll_question asked(v.call, v.comm, v.source, v.recv_tag);
    return join_poll(v, asked) ? void() : write_poll(v, asked, p);
  }
  close_polls();
  write_call(v, result, p);
  const bool found = result == MPI_SUCCESS && v.message && *v.message != handles().message_no_proc;
  if (found)
    messages_[bits(*v.message)] = {v.comm, v.source, v.recv_tag};
}

} // namespace tacit::interpose
