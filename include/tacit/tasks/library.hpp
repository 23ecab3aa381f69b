// Between the headers and the library: what the templates of <tacit/tasks.hpp> hand over, with types and dimensions erased.
// Programs do not use this; the names in tacit::detail may change with every version.
//
// Index spaces are always 3-D here: missing dimensions reach from 0 to 1. A kernel is a function that runs some of its items (or
// work groups) one after the other on the thread that calls it; which, how many threads, and where the memory lies is decided in
// the library. An accessor finds its memory when its kernel is copied for such a run: its copy constructor asks for
// `current_placement`, so that one kernel runs in several memories at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Without MPI's retired C++ classes.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#if defined(__GNUC__)
#define TACIT_TASKS_API __attribute__((visibility("default")))
#else
#define TACIT_TASKS_API
#endif

namespace tacit {

/// How a task accesses a region of a buffer. `discard_…`: the old contents are not needed (no_init).
enum class access_mode { read, write, read_write, discard_write, discard_read_write };

/// A program that cannot run as submitted, or a run that failed on some rank; the text names task, buffer, region and rank.
struct TACIT_TASKS_API task_error : std::runtime_error {
  using std::runtime_error::runtime_error;
  ~task_error() override;
};

} // namespace tacit

namespace tacit::detail {

using extents = std::array<std::size_t, 3>;

/// Half-open; empty if `to` is not above `from` in some dimension.
struct index_box {
  extents from{0, 0, 0}, to{1, 1, 1};
  bool operator==(const index_box&) const = default;
};

enum class mapper_kind {
  one_to_one,
  all,
  fixed,
  slice,
  neighborhood,
  neighborhood_along_axes,
  transposed,
  even_split,
  user
};

/// What a function of the user maps a chunk of a kernel's index space to.
using user_mapper = std::function<std::vector<index_box>(int kernel_dims, const index_box& chunk,
                                                         const extents& global_size)>;

/// Of a kernel: the buffer has fewer.
inline constexpr std::size_t no_dimension = 3;

struct mapper {
  mapper_kind kind = mapper_kind::one_to_one;
  /// slice: the dimension, in [0]; neighborhood: how far it reaches; transposed: the kernel's dimension of each of the buffer's,
  /// or no_dimension; even_split: the granularity.
  extents numbers{0, 0, 0};
  index_box region; ///< fixed
  user_mapper user;
};

struct buffer_access {
  std::size_t buffer = 0;
  access_mode mode = access_mode::read;
  mapper where;
};

/// A reduction into `elements` elements of a buffer, one after the other from its start.
struct reduction {
  std::size_t buffer = 0;
  bool include_current = true; ///< what the buffer holds before counts as one more contribution
  std::size_t elements = 1, element_bytes = 0;
  std::function<void(void* into, std::size_t elements)> fill_with_identity;
  /// into[i] = into[i] op from[i]
  std::function<void(void* into, const void* from, std::size_t elements)> combine;
};

/// The memory of one accessor in one run: element (i, j, k) of the buffer lies at
/// data + (((i - offset[0]) * range[1] + (j - offset[1])) * range[2] + (k - offset[2])) elements.
struct allocation {
  void* data = nullptr;
  extents offset{0, 0, 0}, range{1, 1, 1};
  index_box accessed; ///< the box around what the task may access in this run
};

struct placement {
  const allocation* accesses = nullptr;
  std::size_t count = 0;
  std::byte* local = nullptr; ///< local memory of the work group
};

/// The placement that accessors copied on this thread take, or null.
TACIT_TASKS_API const placement* current_placement() noexcept;
/// Returns the one before.
TACIT_TASKS_API const placement* set_current_placement(const placement* now) noexcept;

/// What accessors do at an index that their task may not access, in programs that are compiled with TACIT_TASKS_CHECK: throws.
[[noreturn]] TACIT_TASKS_API void accessed_outside(std::size_t accessor, int dims, const extents& at,
                                                   const index_box& may);

class placing {
public:
  explicit placing(const placement* now) noexcept : before_(set_current_placement(now)) {}
  placing(const placing&) = delete;
  placing& operator=(const placing&) = delete;
  ~placing() { set_current_placement(before_); }

private:
  const placement* before_;
};

/// Runs the items of one work group at a time on the calling thread. An item that reaches a barrier waits on its own stack while
/// the others run up to theirs; a group without barriers costs no more than a loop.
class TACIT_TASKS_API group_runner {
public:
  virtual ~group_runner();
  /// Calls body(context, i) for all i below `items`. Throws what an item throws, or task_error if some items wait at a barrier
  /// that others do not reach.
  virtual void run(std::size_t items, void (*body)(void* context, std::size_t item), void* context) = 0;
  /// Called by an item: returns when all items of its group have called it.
  virtual void barrier() = 0;
};

struct kernel_call {
  const placement* where = nullptr;
  index_box items;                 ///< which items to run; of an nd-range: which groups
  void* const* partials = nullptr; ///< per reduction the elements to combine into
  group_runner* groups = nullptr;  ///< of an nd-range
};
using kernel_function = std::function<void(const kernel_call&)>;

struct host_call {
  const placement* where = nullptr;
  index_box items;
  MPI_Comm communicator = MPI_COMM_NULL; ///< of a collective host task
};
using host_function = std::function<void(const host_call&)>;

enum class task_kind { kernel, host, collective_host, first_rank_host };

using shared_weights = std::shared_ptr<const std::vector<std::uint32_t>>;

/// All that a command group says.
struct command_group {
  task_kind kind = task_kind::kernel;
  bool has_task = false;
  std::string name;
  int dims = 0;
  index_box items;              ///< from the offset on
  extents granularity{1, 1, 1}; ///< chunks are multiples of it
  bool split_2d = false;        ///< a kernel or host task: near-square chunks along dimensions 0 and 1
  shared_weights weights;       ///< a kernel or host task: of the ranks' shares of dimension 0; null: equal
  bool grouped = false;         ///< an nd-range, of groups of `group` items
  extents group{1, 1, 1};
  std::size_t local_bytes = 0;
  std::size_t collective_group = 0;
  std::vector<buffer_access> accesses;
  std::vector<reduction> reductions;
  std::vector<std::size_t> host_objects; ///< with side effects, in the order of submission
  kernel_function kernel;
  host_function host;
};

struct buffer_description {
  int dims = 1;
  extents range{1, 1, 1};
  std::size_t element_bytes = 0, alignment = 1;
  const void* host_data = nullptr; ///< copied before create_buffer returns
};

// Objects. Every rank makes them in the same order.
TACIT_TASKS_API std::size_t create_buffer(const buffer_description& description);
TACIT_TASKS_API void name_buffer(std::size_t buffer, const std::string& name);
/// Returns at once; the memory is freed after the last task that uses it.
TACIT_TASKS_API void destroy_buffer(std::size_t buffer) noexcept;
TACIT_TASKS_API std::size_t create_host_object();
TACIT_TASKS_API void destroy_host_object(std::size_t object, std::shared_ptr<void> instance) noexcept;
TACIT_TASKS_API std::size_t create_collective_group();

// Tasks. They throw task_error: of this task, or of earlier ones that have failed meanwhile.
TACIT_TASKS_API void submit(command_group&& group);
/// Copies a region of a buffer, in the order of its elements, to `into` on all ranks, and then calls `done` (or `failed`).
TACIT_TASKS_API void fence_buffer(std::size_t buffer, const index_box& region, void* into,
                                  std::function<void()> done, std::function<void(std::exception_ptr)> failed);
TACIT_TASKS_API void fence_host_object(std::size_t object, std::function<void()> done,
                                       std::function<void(std::exception_ptr)> failed);
/// Blocks until all that was submitted has run here; with `all_ranks`, on all ranks.
TACIT_TASKS_API void wait(bool all_ranks);

// A queue holds the runtime; the last queue that goes waits for what was submitted, on all ranks unless by an
// exception.
TACIT_TASKS_API void open_queue();
TACIT_TASKS_API void close_queue() noexcept;
TACIT_TASKS_API int rank();
TACIT_TASKS_API int ranks();

} // namespace tacit::detail
