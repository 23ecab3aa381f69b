// What is tested: a table of calls with the standard's arguments. Several implementations stand behind one
// interface, and all of them get the same cases.
#pragma once

#include "surface/selftest/names.h"
#include "surface/selftest/topology.h"

#include <memory>
#include <mpi.h>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::surface {

enum class call : std::uint8_t { allgather, allgatherv, alltoall, alltoallv, alltoallw };
inline constexpr int calls = 5, mixture = calls; ///< in call_names

enum class mode : std::uint8_t { blocking, nonblocking, persistent };

/// One side of a call. Without v or w only the first count and type stand for all blocks; `displs` is for v,
/// `bytes` for w. No list is ever empty, so that data() is never null.
struct side_arguments {
  void* buffer = nullptr;
  std::vector<int> counts, displs;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;
};

struct arguments {
  call what = call::allgather;
  side_arguments send, recv;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// A nonblocking or persistent operation. Functions return MPI's or the library's code, 0 for success.
class operation {
public:
  virtual ~operation() = default;
  virtual int start() = 0; ///< persistent ones only; nonblocking ones have been started
  virtual int wait() = 0;
  virtual int free() = 0;
};

class implementation {
public:
  virtual ~implementation() = default;
  virtual std::string_view name() const = 0;
  virtual bool offers(call what, mode how) const = 0;
  /// Collective: a communicator with this topology, whose errors return. Where the order of neighbors is the
  /// library's choice, the topology's lists are what it has chosen.
  virtual MPI_Comm make(topology& where, MPI_Comm all);
  virtual void unmake(MPI_Comm comm);
  virtual int run(const arguments& a) = 0;
  /// Null and a code if it could not be made.
  virtual std::unique_ptr<operation> begin(const arguments& a, int& code) = 0;
  virtual std::unique_ptr<operation> init(const arguments& a, int& code) = 0;
  /// The text of an error code of `run`, `begin` or `init`.
  virtual std::string words(int code) const;
};

std::unique_ptr<implementation> make_mpi_calls(); ///< "mpi": the MPI library's own
/// "mpi-large": its large-count functions (MPI-4); null if it has none.
std::unique_ptr<implementation> make_large_mpi_calls();
std::unique_ptr<implementation> make_sends(); ///< "sends": a naive reference by plain messages

std::unique_ptr<implementation> make_faulty(); ///< "faulty": the same with planted faults

#ifdef TACIT_SELFTEST_LIBRARY
std::unique_ptr<implementation> make_tacit_calls(); ///< "tacit": the library on MPI's communicators
/// "tacit-topology": the library's large-count functions on its own topologies.
std::unique_ptr<implementation> make_tacit_topology_calls();
#endif

/// By name, or null. Without the library, "tacit" is unknown; "mpi-large" is before MPI-4.
std::unique_ptr<implementation> make_implementation(std::string_view name);

/// Those that are tested if nothing else is asked for.
std::vector<std::string> default_implementations();

} // namespace tacit::surface
