// Graphs that many simulated ranks compile together: by all ranks with their own parts, by one rank from what remains, and by one rank as a
// whole. All must find the same and move the same bytes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <string>
#include <tacit/tacit.h>
#include <vector>

namespace {

constexpr int room = 1 << 16; // blocks of 64 bytes for 1,024 ranks
int me = 0, ranks = 0, wrong = 0;
std::vector<unsigned char> sent(room), got(room), passed(room);

void expect(bool right, const char* what) {
  wrong += right ? 0 : 1;
  if (!right && me == 0)
    std::fprintf(stderr, "rank 0: wrong: %s\n", what);
}

int length_of(int rank) {
  return 1 + rank * 7 % 40;
}

/// A graph that is being described by this rank.
struct description {
  tacit_graph graph;
  tacit_op send(const unsigned char* from, int bytes, int to, int tag = 0) const {
    tacit_op op = 0;
    expect(tacit_graph_send(graph, from, bytes, MPI_BYTE, to, tag, &op) == TACIT_SUCCESS, "send");
    return op;
  }
  tacit_op recv(unsigned char* into, int bytes, int from, int tag = 0) const {
    tacit_op op = 0;
    expect(tacit_graph_recv(graph, into, bytes, MPI_BYTE, from, tag, &op) == TACIT_SUCCESS, "recv");
    return op;
  }
  /// Blocks of 64 bytes in what is sent and got, the first `bytes` of them used.
  void exchange(int with, int bytes_there, int bytes_back, int tag) const {
    send(&sent[static_cast<std::size_t>(64 * with)], bytes_there, with, tag);
    recv(&got[static_cast<std::size_t>(64 * with)], bytes_back, with, tag);
  }
};

using shape = void (*)(const description&);

void gatherv(const description& g) {
  if (me != 3)
    g.send(sent.data(), length_of(me), 3);
  for (int r = 0; me == 3 && r < ranks; ++r)
    if (r != 3)
      g.recv(&got[static_cast<std::size_t>(64 * r)], length_of(r), r);
}

void scatterv(const description& g) {
  if (me != 2)
    g.recv(got.data(), length_of(me), 2);
  for (int r = 0; me == 2 && r < ranks; ++r)
    if (r != 2)
      g.send(&sent[static_cast<std::size_t>(64 * r)], length_of(r), r);
}

void alltoallv(const description& g) {
  for (int r = 0; r < ranks; ++r)
    if (r != me)
      g.exchange(r, length_of(me + 3 * r), length_of(r + 3 * me), 0);
}

/// Down a tree, by way of memory that nobody reads afterwards at every second rank.
void declared_broadcast(const description& g) {
  const bool forgets = me % 2 == 1;
  unsigned char* const mine = me == 0 ? sent.data() : forgets ? passed.data() : got.data();
  tacit_op came = 0;
  if (me > 0) {
    came = g.recv(mine, 48, (me - 1) / 2);
    if (forgets) {
      tacit_op copied = 0;
      expect(tacit_graph_copy(g.graph, mine, 48, MPI_BYTE, got.data(), 48, MPI_BYTE, &copied) ==
                 TACIT_SUCCESS,
             "copy");
      expect(tacit_graph_depend(g.graph, came, copied) == TACIT_SUCCESS, "order");
    }
    expect(tacit_graph_live_out(g.graph, got.data(), 48, MPI_BYTE) == TACIT_SUCCESS, "live-out");
  }
  for (const int child : {2 * me + 1, 2 * me + 2})
    if (child < ranks) {
      const tacit_op away = g.send(mine, 48, child);
      if (me > 0)
        expect(tacit_graph_depend(g.graph, came, away) == TACIT_SUCCESS, "order");
    }
}

void broadcast_and_ring(const description& g) {
  declared_broadcast(g);
  g.send(&sent[100], 8, (me + 1) % ranks, 5);
  g.recv(&got[4096], 8, (me + ranks - 1) % ranks, 5);
  expect(tacit_graph_live_out(g.graph, &got[4096], 8, MPI_BYTE) == TACIT_SUCCESS, "live-out");
}

void scatter_then_gather(const description& g) {
  constexpr int root = 1;
  tacit_op came = 0;
  if (me != root) {
    came = g.recv(passed.data(), 24, root);
    expect(tacit_graph_depend(g.graph, came, g.send(passed.data(), 24, 0, 1)) == TACIT_SUCCESS, "order");
  } else {
    for (int r = 0; r < ranks; ++r)
      if (r != root)
        g.send(&sent[static_cast<std::size_t>(64 * r)], 24, r);
    g.send(&sent[static_cast<std::size_t>(64 * root)], 24, 0, 1);
  }
  for (int r = 0; me == 0 && r < ranks; ++r)
    g.recv(&got[static_cast<std::size_t>(64 * r)], 24, r, 1);
}

/// A transpose in the rows of a grid of eight columns, on communicators of theirs.
void rows(const description& g) {
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me / 8, me, &row);
  tacit_comm added;
  expect(tacit_graph_add_comm(g.graph, row, &added) == TACIT_SUCCESS, "communicator");
  MPI_Comm_free(&row);
  for (int column = 0; column < 8; ++column)
    if (column != me % 8) {
      unsigned char* const into = &got[static_cast<std::size_t>(64 * column)];
      const unsigned char* const from = &sent[static_cast<std::size_t>(64 * column)];
      expect(tacit_graph_recv_on(g.graph, added, into, 16, MPI_BYTE, column, 2, nullptr) == TACIT_SUCCESS,
             "recv");
      expect(tacit_graph_send_on(g.graph, added, from, 16, MPI_BYTE, column, 2, nullptr) == TACIT_SUCCESS,
             "send");
    }
}

void never_sent(const description& g) {
  gatherv(g);
  if (me == ranks - 1)
    g.recv(passed.data(), 8, 0, 9);
}

/// The lines of an explanation that begin so.
std::string lines_of(const std::string& text, const std::string& begin) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    out += line.starts_with(begin) ? line + "\n" : "";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

struct compiled {
  int code = TACIT_SUCCESS;
  std::string error, text;
  std::vector<unsigned char> bytes;
};

compiled run(shape describe, const char* way) {
  compiled out;
  for (int i = 0; i < room; ++i)
    sent[static_cast<std::size_t>(i)] = static_cast<unsigned char>(i * 31 + me * 17 + i / 64);
  std::memset(got.data(), 0, room);
  description g{};
  expect(tacit_graph_create(MPI_COMM_WORLD, &g.graph) == TACIT_SUCCESS, "graph");
  describe(g);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tacit_compile", way);
  MPI_Info_set(info, "tacit_graphs_kept", "0");
  tacit_schedule made = TACIT_SCHEDULE_NULL;
  out.code = tacit_compile(g.graph, info, &made);
  MPI_Info_free(&info);
  expect(tacit_graph_free(&g.graph) == TACIT_SUCCESS, "free");
  if (out.code != TACIT_SUCCESS) {
    out.error = tacit_last_error();
    return out;
  }
  std::size_t needed = 0;
  tacit_explain(made, TACIT_EXPLAIN_TEXT, nullptr, 0, &needed);
  out.text.resize(needed);
  expect(tacit_explain(made, TACIT_EXPLAIN_TEXT, out.text.data(), needed, &needed) == TACIT_SUCCESS,
         "explain");
  expect(tacit_run(made) == TACIT_SUCCESS, "run");
  expect(tacit_schedule_free(&made) == TACIT_SUCCESS, "free");
  out.bytes = got;
  return out;
}

void ignore(MPI_Comm*, int*, ...) {}

constexpr const char* own_parts = "analysis: all ranks together, each with its own part\n";
constexpr const char* remains =
    "analysis: all ranks together, each with its own part; what remained was compiled by one rank\n";

/// `found` names the number of all ranks as N.
void compare(const char* name, shape describe, const char* analysis, std::string found) {
  if (const std::size_t all = found.find(" N "); all != std::string::npos)
    found.replace(all + 1, 1, std::to_string(ranks));
  const compiled by_one = run(describe, "central"), by_all = run(describe, "distributed");
  expect(by_all.code == by_one.code && by_all.error == by_one.error, name);
  expect(by_all.bytes == by_one.bytes, name);
  expect(lines_of(by_all.text, "found: ") == lines_of(by_one.text, "found: "), name);
  expect(by_all.text.find(found) != std::string::npos, found.c_str());
  const bool as_expected = lines_of(by_all.text, "analysis: ") == analysis;
  expect(as_expected, name);
  if (!as_expected && me == 0)
    std::fprintf(stderr, "%s: %s\n", name, by_all.text.c_str());
}

} // namespace

int main(int argc, char** argv) {
  setenv("TACIT_PLATFORM", "default", 1); // choices must not depend on the machine
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler =
      MPI_ERRHANDLER_NULL; // of MPI_ERRORS_RETURN SMPI calls a function that is not there
  MPI_Comm_create_errhandler(ignore, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  compare("gatherv", gatherv, own_parts, "found: gatherv among N ranks, root 3");
  compare("scatterv", scatterv, own_parts, "found: scatterv among N ranks, root 2");
  compare("alltoallv", alltoallv, remains, "found: alltoallv among N ranks");
  compare("broadcast", declared_broadcast, own_parts, "found: bcast among N ranks, root 0, 48 B");
  compare("broadcast and ring", broadcast_and_ring, remains, "found: bcast among N ranks, root 0, 48 B");
  compare("scatter and gather", scatter_then_gather, remains, "found: gather");
  compare("rows", rows, remains, "found: alltoall among 8 ranks");
  compare("a message that is never sent", never_sent, "", "");
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (wrong > 0)
    std::fprintf(stderr, "rank %d: %d wrong; %s\n", me, wrong, tacit_last_error());
  if (me == 0)
    std::printf("graphs of %d simulated ranks: %d wrong\n", ranks, all);
  MPI_Finalize();
  return 0;
}
