// Costs of messages by size (LogGP), and how MPI treats large ones.
//
// One way: half of a ping-pong in which both sides rewrite what they send and read what they got, because
// copies of bytes that never leave a cache look twice as fast. o_s: the time inside MPI_Isend. o_r: the
// receives are posted, the messages have arrived while the receiver's core was busy elsewhere, then the
// waiting is timed. Gap: a stream of messages to posted receives, ended by an empty answer.
#include "surface/measure/pair.h"

#include <algorithm>
#include <cstring>

namespace tacit::surface {
namespace {

constexpr std::uint64_t largest_message = 1 << 20;
constexpr int tag = 1, answer_tag = 2;

std::uint64_t seen = 0; // sum of what was read

struct buffers {
  std::vector<char> out = std::vector<char>(largest_message), in = std::vector<char>(largest_message);
};

double round_trips(const pair& p, buffers& b, std::uint64_t bytes, int count) {
  const int n = static_cast<int>(bytes);
  const double start = now();
  for (int i = 0; i < count; ++i) {
    if (p.first()) {
      rewrite(b.out, bytes, static_cast<std::uint64_t>(i));
      MPI_Send(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm);
      MPI_Recv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, MPI_STATUS_IGNORE);
      rewrite(b.out, bytes, static_cast<std::uint64_t>(i));
    }
    seen += read_through(b.in, bytes);
    if (!p.first())
      MPI_Send(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm);
  }
  return (now() - start) / count;
}

double exchanges(const pair& p, buffers& b, std::uint64_t bytes, int count) {
  const int n = static_cast<int>(bytes);
  const double start = now();
  for (int i = 0; i < count; ++i) {
    rewrite(b.out, bytes, static_cast<std::uint64_t>(i));
    MPI_Request requests[2];
    MPI_Irecv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, &requests[0]);
    MPI_Isend(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    seen += read_through(b.in, bytes);
  }
  return (now() - start) / count;
}

/// Enough round trips for about 0.2 ms, the same number on both ranks.
int block_of(const pair& p, buffers& b, std::uint64_t bytes) {
  round_trips(p, b, bytes, 3); // connections and page faults
  int count = static_cast<int>(std::clamp(2e5 / round_trips(p, b, bytes, 10), 2.0, 200.0));
  MPI_Bcast(&count, 1, MPI_INT, 0, p.comm);
  return count;
}

struct travels {
  graphs::spread one_way, exchange;
};

travels travels_of(const pair& p, buffers& b, std::uint64_t bytes) {
  const int count = block_of(p, b, bytes);
  std::vector<double> one_way, exchange;
  for (sampling s(p); s.more();) {
    one_way.push_back(round_trips(p, b, bytes, count) / 2);
    exchange.push_back(exchanges(p, b, bytes, count));
  }
  return {graphs::spread_of(std::move(one_way)), graphs::spread_of(std::move(exchange))};
}

struct overheads {
  graphs::spread send, receive;
};

/// `arrival`: after so long a message has certainly arrived, if it moves without its receiver's help.
overheads overheads_of(const pair& p, buffers& b, std::uint64_t bytes, double arrival) {
  const int n = static_cast<int>(bytes), batch = bytes > 65536 ? 1 : 4;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(batch), MPI_REQUEST_NULL);
  std::vector<double> list;
  for (sampling s(p); s.more();) {
    if (!p.first())
      for (MPI_Request& r : requests)
        MPI_Irecv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, &r);
    rewrite(b.out, bytes, list.size());
    MPI_Barrier(p.comm); // the receives are posted
    if (!p.first())
      compute_for(arrival * batch + 20e3);
    const double start = now();
    if (p.first())
      for (MPI_Request& r : requests)
        MPI_Isend(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm, &r);
    else
      MPI_Waitall(batch, requests.data(), MPI_STATUSES_IGNORE);
    list.push_back((now() - start) / batch);
    if (p.first())
      MPI_Waitall(batch, requests.data(), MPI_STATUSES_IGNORE);
    seen += read_through(b.in, bytes);
  }
  const graphs::spread mine = graphs::spread_of(std::move(list));
  overheads both{mine, mine};
  if (p.first())
    MPI_Recv(&both.receive, sizeof(graphs::spread), MPI_BYTE, p.other(), answer_tag, p.comm,
             MPI_STATUS_IGNORE);
  else
    MPI_Send(&mine, sizeof mine, MPI_BYTE, p.other(), answer_tag, p.comm);
  return both;
}

graphs::spread gap(const pair& p, buffers& b, std::uint64_t bytes) {
  const int n = static_cast<int>(bytes);
  const int stream =
      static_cast<int>(std::clamp<std::uint64_t>((1u << 20) / std::max<std::uint64_t>(bytes, 1), 4, 64));
  std::vector<MPI_Request> requests(static_cast<std::size_t>(stream), MPI_REQUEST_NULL);
  std::vector<double> list;
  for (sampling s(p); s.more();) {
    if (!p.first())
      for (MPI_Request& r : requests)
        MPI_Irecv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, &r);
    MPI_Barrier(p.comm);
    const double start = now();
    if (p.first())
      for (MPI_Request& r : requests) {
        rewrite(b.out, bytes, list.size());
        MPI_Isend(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
      }
    else
      MPI_Waitall(stream, requests.data(), MPI_STATUSES_IGNORE);
    char nothing = 0;
    if (p.first())
      MPI_Recv(&nothing, 0, MPI_BYTE, p.other(), answer_tag, p.comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(&nothing, 0, MPI_BYTE, p.other(), answer_tag, p.comm);
    list.push_back((now() - start) / stream);
  }
  return graphs::spread_of(std::move(list));
}

/// Rank 0 sends; rank 1 posts its receive only when it is told to. True if the send was complete before.
bool completes_alone(const pair& p, buffers& b, std::uint64_t bytes) {
  const int n = static_cast<int>(bytes);
  int done = 0;
  if (p.first()) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm, &request);
    const double end = now() + 3e6; // 3 ms and many tests: an eager message is complete after a copy
    for (int tests = 0; !done && (tests < 300 || now() < end); ++tests)
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Send(&done, 1, MPI_INT, p.other(), answer_tag, p.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&done, 1, MPI_INT, p.other(), answer_tag, p.comm, MPI_STATUS_IGNORE);
    MPI_Recv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, MPI_STATUS_IGNORE);
  }
  return done != 0;
}

bool completes(const pair& p, buffers& b, std::uint64_t bytes) {
  for (int attempt = 0; attempt < 3; ++attempt) // an interrupted core may need longer than 3 ms
    if (completes_alone(p, b, bytes))
      return true;
  return false;
}

} // namespace

const std::vector<std::uint64_t>& sizes() {
  static const std::vector<std::uint64_t> list{8,    64,    256,   1024,   4096,
                                               8192, 16384, 65536, 262144, largest_message};
  return list;
}

void compute_for(double nanoseconds) {
  const double end = now() + nanoseconds;
  while (now() < end) {
  }
}

void rewrite(std::vector<char>& buffer, std::uint64_t bytes, std::uint64_t value) {
  for (std::uint64_t at = 0; at + 8 <= bytes; at += 64)
    std::memcpy(buffer.data() + at, &value, 8);
}

std::uint64_t read_through(const std::vector<char>& buffer, std::uint64_t bytes) {
  std::uint64_t sum = 0;
  for (std::uint64_t at = 0; at + 8 <= bytes; at += 64) {
    std::uint64_t word = 0;
    std::memcpy(&word, buffer.data() + at, 8);
    sum += word;
  }
  volatile std::uint64_t keep = sum;
  return keep;
}

std::vector<graphs::message_times> message_costs(const pair& p) {
  buffers b;
  std::vector<graphs::message_times> list;
  for (const std::uint64_t bytes : sizes()) {
    graphs::message_times c;
    c.bytes = bytes;
    const travels t = travels_of(p, b, bytes);
    c.one_way = t.one_way;
    c.exchange = t.exchange;
    const overheads o = overheads_of(p, b, bytes, c.one_way.median);
    c.send = o.send;
    c.receive = o.receive;
    c.gap = gap(p, b, bytes);
    list.push_back(c);
  }
  return list;
}

eager_result eager_limit(const pair& p) {
  buffers b;
  std::uint64_t good = 0, bad = largest_message + 1;
  for (std::uint64_t bytes = 1; bytes <= largest_message; bytes *= 2) {
    if (!completes(p, b, bytes)) {
      bad = bytes;
      break;
    }
    good = bytes;
  }
  if (bad > largest_message)
    return {good, true};
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (completes(p, b, middle) ? good : bad) = middle;
  }
  return {good, false};
}

graphs::spread asynchronous_progress(const pair& p, const eager_result& eager) {
  buffers b;
  const std::uint64_t bytes =
      eager.always ? largest_message : std::clamp<std::uint64_t>(eager.limit * 4, 1u << 18, largest_message);
  const int n = static_cast<int>(bytes);
  const auto transfer = [&](double computation) {
    MPI_Request request = MPI_REQUEST_NULL;
    rewrite(b.out, bytes, 1);
    if (!p.first())
      MPI_Irecv(b.in.data(), n, MPI_BYTE, p.other(), tag, p.comm, &request);
    MPI_Barrier(p.comm);
    if (p.first())
      MPI_Isend(b.out.data(), n, MPI_BYTE, p.other(), tag, p.comm, &request);
    else
      compute_for(computation);
    const double start = now();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return now() - start;
  };
  std::vector<double> alone, list;
  for (sampling s(p); s.more();)
    alone.push_back(transfer(0));
  double whole = graphs::spread_of(alone).median;
  MPI_Bcast(&whole, 1, MPI_DOUBLE, 1, p.comm); // the receiver's time
  for (sampling s(p); s.more();)
    list.push_back(std::clamp(100 * (1 - transfer(3 * whole + 1e4) / whole), 0.0, 100.0));
  graphs::spread result = graphs::spread_of(list);
  MPI_Bcast(&result, sizeof result, MPI_BYTE, 1, p.comm);
  return result;
}

} // namespace tacit::surface
