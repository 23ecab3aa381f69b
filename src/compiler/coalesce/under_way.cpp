// Check mode: messages that were made nonblocking, or whose waits have moved, because an annotation claims that what runs meanwhile
// has nothing to do with them. Whether that is true is seen by three means:
//
//     a receive writes into memory of ours, and the program's buffer is filled with a pattern until the message is complete: what is
//     found there otherwise was stored by the program, and what the program reads looks like no data
//     of what is sent a copy is kept, and compared when the message completes
//     programs of `tacit cc --annotations=check` call us at every load and store (accesses.h), so that also a load is found
//
// Comparing alone finds no loads. Buffers of two messages under way that share a byte are found when the second one is posted. Of
// a message each statement is said once that follows another one; what comparing finds is said only of messages of which nothing was
// said, because what was stored stays. Stores of the bytes that are there already are no fault that anybody could see.
#include "compiler/coalesce/accesses.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/type_map.h"
#include "compiler/hooks/devices.h"

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>
#include <tacit/coalesce.h>

namespace tacit::compiler {
namespace {

constexpr unsigned char poison = 0xA5;

struct source_line {
  const char* file = nullptr;
  int line = 0;
};

/// The statement that this thread is in, if it is said to be independent.
thread_local source_line statement;

struct message_under_way : watch {
  const MPI_Request* request = nullptr; ///< where the program keeps it
  const char* call = "";
  source_line at;
  bool receives = false, said = false;
  source_line said_of; ///< the statement that was said last
  type_map map;
  char* buffer = nullptr; ///< of the program, from the first byte of the map on
  char* kept = nullptr;   ///< as long: where the message arrives, or what was sent
  message_under_way* following = nullptr;

  /// What the program's buffer has as long as nobody stores into it.
  unsigned char expected(MPI_Aint byte) const {
    return receives ? poison : static_cast<unsigned char>(kept[byte]);
  }
};

pthread_mutex_t messages = PTHREAD_MUTEX_INITIALIZER;
message_under_way* newest = nullptr;

struct locked {
  locked() { pthread_mutex_lock(&messages); }
  ~locked() { pthread_mutex_unlock(&messages); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;
};

void say_touched(message_under_way& m, MPI_Aint byte, bool stores) {
  if (m.said && m.said_of.file == statement.file && m.said_of.line == statement.line)
    return;
  m.said = true;
  m.said_of = statement;
  if (!is_worth_saying({stores ? "stores" : "loads", m.at.file, m.at.line},
                       {"", statement.file, statement.line}))
    return;
  const char* const does = stores ? "stores into" : "loads";
  const long long place = static_cast<long long>(m.map.low) + byte;
  if (statement.file)
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: this statement %s byte %lld of the buffer of the %s at %s:%d, which is "
        "under way, but is said to be independent of it [TACIT-202]\n",
        world_rank(), statement.file, statement.line, does, place, m.call, m.at.file, m.at.line);
  else
    std::fprintf(stderr,
                 "tacit: rank %d: %s:%d: something between this %s and its completion %s byte %lld of its "
                 "buffer, but an annotation says that nothing does [TACIT-202]\n",
                 world_rank(), m.at.file, m.at.line, m.call, does, place);
}

void touched(watch& at, const char* from, const char* to, bool stores) {
  auto& m = static_cast<message_under_way&>(at);
  if (!stores && !m.receives)
    return;
  for (; from < to; ++from)
    if (m.map.has(from - m.buffer))
      return say_touched(m, from - m.buffer, stores);
}

void compare(message_under_way& m) {
  for (MPI_Aint i = 0; !m.said && i < m.map.bytes; ++i)
    if (m.map.has(i) && static_cast<unsigned char>(m.buffer[i]) != m.expected(i))
      say_touched(m, i, true);
}

/// A byte of both, counted in the memory of the first; -1: there is none.
MPI_Aint common_byte(const message_under_way& a, const message_under_way& b) {
  const auto first = reinterpret_cast<std::intptr_t>(a.buffer);
  const auto second = reinterpret_cast<std::intptr_t>(b.buffer);
  for (MPI_Aint i = second > first ? second - first : 0; i < a.map.bytes && first + i < second + b.map.bytes;
       ++i)
    if (a.map.has(i) && b.map.has(first + i - second))
      return i;
  return -1;
}

void say_shared(const message_under_way& added) {
  for (message_under_way* m = newest; m; m = m->following) {
    const MPI_Aint byte = m->receives || added.receives ? common_byte(added, *m) : -1;
    if (byte < 0 || m->said)
      continue;
    m->said = true;
    if (!is_worth_saying({"shared", added.at.file, added.at.line}, {m->call, m->at.file, m->at.line}))
      continue;
    std::fprintf(
        stderr,
        "tacit: rank %d: %s:%d: byte %lld of the buffer of this %s belongs to that of the %s at %s:%d, "
        "too, but an annotation says that both may be under way together [TACIT-202]\n",
        world_rank(), added.at.file, added.at.line, static_cast<long long>(added.map.low) + byte, added.call,
        m->call, m->at.file, m->at.line);
  }
}

void release(message_under_way& m) {
  m.map.release();
  std::free(m.kept);
  std::free(&m);
}

/// Null: this message is not checked. Those that may be in the memory of a device are not.
message_under_way* prepared(const char* call, const void* buffer, MPI_Count count, MPI_Datatype type,
                            const MPI_Request* request, source_line at) {
  const unwatched here;
  if (!checks_claims() || buffer == MPI_BOTTOM || tacit_uses_devices())
    return nullptr;
  type_map map = map_of(count, type);
  void* const room = map.known ? std::malloc(sizeof(message_under_way)) : nullptr;
  void* const kept = room ? std::malloc(static_cast<std::size_t>(map.bytes)) : nullptr;
  if (!kept) {
    map.release();
    std::free(room);
    return nullptr;
  }
  auto* const made = new (room) message_under_way();
  made->call = call;
  made->request = request;
  made->at = at;
  made->map = map;
  made->buffer = static_cast<char*>(const_cast<void*>(buffer)) + map.low;
  made->kept = static_cast<char*>(kept);
  std::memcpy(kept, made->buffer, static_cast<std::size_t>(map.bytes));
  return made;
}

/// It is under way now.
void add(message_under_way& m) {
  const unwatched here;
  const locked all;
  say_shared(m);
  for (MPI_Aint i = 0; m.receives && i < m.map.bytes; ++i)
    if (m.map.has(i))
      m.buffer[i] = static_cast<char>(poison);
  m.following = newest;
  newest = &m;
  m.low = m.buffer;
  m.high = m.buffer + m.map.bytes;
  m.seen = touched;
  begin_watch(m);
}

message_under_way* take(const MPI_Request* request) {
  const locked all;
  for (message_under_way** at = &newest; *at; at = &(*at)->following)
    if ((*at)->request == request) {
      message_under_way* const found = *at;
      *at = found->following;
      return found;
    }
  return nullptr;
}

/// The message of this request, if there is one, is complete. After an error it may not be.
void complete(const MPI_Request* request) {
  const unwatched here;
  message_under_way* const m = *request == MPI_REQUEST_NULL ? take(request) : nullptr;
  if (!m)
    return;
  end_watch(*m);
  compare(*m);
  for (MPI_Aint i = 0; m->receives && i < m->map.bytes; ++i)
    if (m->map.has(i))
      m->buffer[i] = m->kept[i];
  release(*m);
}

void settle(message_under_way* m, int error) {
  if (m && error == MPI_SUCCESS)
    add(*m);
  else if (m)
    release(*m);
}

int send(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
         MPI_Request* request) {
#if MPI_VERSION >= 4
  if (count > INT_MAX)
    return MPI_Isend_c(buffer, count, type, dest, tag, comm, request);
#endif
  return MPI_Isend(buffer, static_cast<int>(count), type, dest, tag, comm, request);
}

int ready_send(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
#if MPI_VERSION >= 4
  if (count > INT_MAX)
    return MPI_Irsend_c(buffer, count, type, dest, tag, comm, request);
#endif
  return MPI_Irsend(buffer, static_cast<int>(count), type, dest, tag, comm, request);
}

int receive(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
            MPI_Request* request) {
#if MPI_VERSION >= 4
  if (count > INT_MAX)
    return MPI_Irecv_c(buffer, count, type, source, tag, comm, request);
#endif
  return MPI_Irecv(buffer, static_cast<int>(count), type, source, tag, comm, request);
}

} // namespace
} // namespace tacit::compiler

using namespace tacit::compiler;

int tacit_checked_isend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                        MPI_Comm comm, MPI_Request* request, const char* file, int line) {
  message_under_way* const m = prepared("send", buffer, count, type, request, {file, line});
  const int error = send(buffer, count, type, dest, tag, comm, request);
  settle(m, error);
  return error;
}

int tacit_checked_irsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm comm, MPI_Request* request, const char* file, int line) {
  message_under_way* const m = prepared("send", buffer, count, type, request, {file, line});
  const int error = ready_send(buffer, count, type, dest, tag, comm, request);
  settle(m, error);
  return error;
}

int tacit_checked_irecv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Request* request, const char* file, int line) {
  message_under_way* const m = prepared("receive", buffer, count, type, request, {file, line});
  if (m)
    m->receives = true;
  const int error = receive(m ? m->kept - m->map.low : buffer, count, type, source, tag, comm, request);
  settle(m, error);
  return error;
}

int tacit_checked_wait(MPI_Request* request, MPI_Status* status) {
  const int error = MPI_Wait(request, status);
  complete(request);
  return error;
}

int tacit_checked_waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const int error = MPI_Waitall(count, requests, statuses);
  for (int i = 0; i < count; ++i)
    complete(requests + i);
  return error;
}

void tacit_checked_statement(const char* file, int line) {
  const unwatched here;
  {
    const locked all;
    for (message_under_way* m = newest; m; m = m->following)
      compare(*m);
  }
  statement = {file, line};
}
