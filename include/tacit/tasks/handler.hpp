// The command group: what one task does. A function of the user gets a handler, makes accessors with it, and ends with one of
// parallel_for and host_task.
#pragma once

#include <tacit/tasks/host.hpp>
#include <tacit/tasks/reductions.hpp>

#include <numeric>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tacit::detail {

struct unnamed;

/// The name of a type, which need not be complete: kernels are named after it.
template <typename T>
std::string type_name() {
  std::string_view all = __PRETTY_FUNCTION__;
  const auto from = all.find("T = ");
  if (from == all.npos)
    return {};
  all = all.substr(from + 4);
  all = all.substr(0, all.find_first_of(";]"));
  if (const auto scope = all.substr(0, all.find('<')).rfind("::"); scope != all.npos)
    all = all.substr(scope + 2);
  return std::string(all);
}

/// The same, found once: loops submit kernels again and again.
template <typename T>
const std::string& known_type_name() {
  static const std::string name = type_name<T>();
  return name;
}

/// Kernels take an item, or the indices alone: [](tacit::item<2> i), [](std::size_t row, std::size_t column).
template <int Dims, typename Kernel, typename... Reducers>
void call_kernel(const Kernel& kernel, const item<Dims>& at, Reducers&... reducers) {
  if constexpr (std::is_invocable_v<const Kernel&, const item<Dims>&, Reducers&...>)
    kernel(at, reducers...);
  else if constexpr (Dims == 1)
    kernel(at[0], reducers...);
  else if constexpr (Dims == 2)
    kernel(at[0], at[1], reducers...);
  else
    kernel(at[0], at[1], at[2], reducers...);
}

template <int Dims, typename Function>
void for_each_index(const index_box& box, const Function& function) {
  if constexpr (Dims == 0)
    function(id<0>());
  else if constexpr (Dims == 1)
    for (std::size_t i = box.from[0]; i < box.to[0]; ++i)
      function(id<1>(i));
  else if constexpr (Dims == 2)
    for (std::size_t i = box.from[0]; i < box.to[0]; ++i)
      for (std::size_t j = box.from[1]; j < box.to[1]; ++j)
        function(id<2>(i, j));
  else
    for (std::size_t i = box.from[0]; i < box.to[0]; ++i)
      for (std::size_t j = box.from[1]; j < box.to[1]; ++j)
        for (std::size_t k = box.from[2]; k < box.to[2]; ++k)
          function(id<3>(i, j, k));
}

template <typename T, typename Operator>
reducer<T, Operator> make_reducer(const reduction_of<T, Operator>& from, void* partial) {
  return {static_cast<T*>(partial), from.elements, from.op};
}

/// Calls `run` with a reducer for each reduction.
template <typename Run, typename... Reductions, std::size_t... Index>
void with_reducers([[maybe_unused]] const kernel_call& call,
                   [[maybe_unused]] const std::tuple<Reductions...>& reductions,
                   std::index_sequence<Index...>, const Run& run) {
  [&](auto&&... reducers) {
    run(reducers...);
  }(make_reducer(std::get<Index>(reductions), call.partials[Index])...);
}

template <int Dims, typename Kernel, typename... Reductions>
kernel_function make_kernel(const range<Dims>& all, const id<Dims>& offset, const Kernel& kernel,
                            const Reductions&... reductions) {
  return [=, from = std::make_tuple(reductions...)](const kernel_call& call) {
    const placing here(call.where);
    const Kernel mine(kernel); // its accessors find their memory now
    with_reducers(call, from, std::index_sequence_for<Reductions...>(), [&](auto&... reducers) {
      for_each_index<Dims>(call.items, [&](const id<Dims>& at) {
        call_kernel<Dims>(mine, item<Dims>(at, all, offset), reducers...);
      });
    });
  };
}

/// One work group after the other; its items run under `call.groups`.
template <int Dims, typename Kernel, typename... Reductions>
kernel_function make_group_kernel(const nd_range<Dims>& all, const Kernel& kernel,
                                  const Reductions&... reductions) {
  return [=, from = std::make_tuple(reductions...)](const kernel_call& call) {
    const placing here(call.where);
    const Kernel mine(kernel);
    const range<Dims> local = all.get_local_range();
    with_reducers(call, from, std::index_sequence_for<Reductions...>(), [&](auto&... reducers) {
      for_each_index<Dims>(call.items, [&](const id<Dims>& group_at) {
        auto one = [&](std::size_t linear) {
          id<Dims> local_at;
          for (int d = Dims - 1; d >= 0; linear /= local[d], --d)
            local_at[d] = linear % local[d];
          const group<Dims> in(group_at, all.get_group_range(), local_at, local, call.groups);
          mine(nd_item<Dims>(group_at * id<Dims>(local) + local_at + all.get_offset(), all, in), reducers...);
        };
        call.groups->run(
            local.size(),
            [](void* body, std::size_t linear) { (*static_cast<decltype(one)*>(body))(linear); }, &one);
      });
    });
  };
}

} // namespace tacit::detail

namespace tacit {

/// A weight for each rank. Copies share the numbers.
class rank_weights {
public:
  rank_weights(std::vector<std::uint32_t> weights)
      : shared_(std::make_shared<const std::vector<std::uint32_t>>(std::move(weights))) {}
  rank_weights(std::initializer_list<std::uint32_t> weights)
      : rank_weights(std::vector<std::uint32_t>(weights)) {}
  const std::vector<std::uint32_t>& get() const { return *shared_; }

private:
  friend class handler;
  detail::shared_weights shared_;
};

class handler {
public:
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;

  /// Runs the kernel for every index, in no order. Between range and kernel may stand an offset (an id) and reductions; the
  /// template argument, a type, names the kernel.
  template <typename Name = detail::unnamed, int Dims, typename... ReductionsAndKernel>
  void parallel_for(const range<Dims>& all, const ReductionsAndKernel&... rest) {
    run_kernel<Name>(all, id<Dims>(), rest...);
  }
  template <typename Name = detail::unnamed, int Dims, typename... ReductionsAndKernel>
  void parallel_for(const range<Dims>& all, const id<Dims>& offset, const ReductionsAndKernel&... rest) {
    run_kernel<Name>(all, offset, rest...);
  }
  template <typename Name = detail::unnamed, typename... ReductionsAndKernel>
  void parallel_for(std::size_t all, const ReductionsAndKernel&... rest) {
    parallel_for<Name>(range<1>(all), rest...);
  }
  /// In work groups: the kernel takes an nd_item.
  template <typename Name = detail::unnamed, int Dims, typename... ReductionsAndKernel>
  void parallel_for(const nd_range<Dims>& all, const ReductionsAndKernel&... rest) {
    begin(detail::task_kind::kernel);
    shape(all.get_global_range(), all.get_offset(), all.get_local_range());
    group_.grouped = true;
    group_.group = detail::widen(all.get_local_range(), 1);
    name<Name>();
    from_last(
        [&](const auto& kernel, const auto&... reductions) {
          group_.kernel = detail::make_group_kernel(all, kernel, reductions...);
        },
        rest...);
  }

  /// On the host, for a part of the range a rank: the function takes a partition<Dims>, or nothing.
  template <int Dims, typename Function>
  void host_task(const range<Dims>& all, const Function& function) {
    host_task(all, id<Dims>(), function);
  }
  template <int Dims, typename Function>
  void host_task(const range<Dims>& all, const id<Dims>& offset, const Function& function) {
    begin(detail::task_kind::host);
    range<Dims> one;
    for (int d = 0; d < Dims; ++d)
      one[d] = 1;
    shape(all, offset, one);
    group_.host = host<Dims>(all, function);
  }
  template <typename Function>
  void host_task(detail::once_tag, const Function& function) {
    host_task(range<0>(), function);
  }
  template <typename Function>
  void host_task(detail::on_master_node_tag, const Function& function) {
    begin(detail::task_kind::first_rank_host);
    shape(range<0>(), id<0>(), range<0>());
    group_.host = host<0>(range<0>(), function);
  }
  /// Once on every rank, together: the function takes a collective_partition.
  template <typename Function>
  void host_task(detail::collective_tag in, const Function& function) {
    begin(detail::task_kind::collective_host);
    group_.collective_group = in.group;
    const range<1> all(static_cast<std::size_t>(detail::ranks()));
    shape(all, id<1>(), range<1>(1));
    group_.host = [=](const detail::host_call& call) {
      const detail::placing here(call.where);
      const Function mine(function);
      if constexpr (std::is_invocable_v<const Function&, const collective_partition&>)
        mine(collective_partition(detail::subrange_of<1>(call.items), all, call.communicator));
      else
        mine();
    };
  }

  /// For diagnostics and pictures.
  void set_name(const std::string& given) { group_.name = given; }
  /// Chunks of the task are multiples of this (to be called before parallel_for or host_task).
  template <int Dims>
  void constrain_split(const range<Dims>& multiple) {
    constraint_ = detail::widen(multiple, 1);
  }

  /// Ranks get near-square chunks of the first two dimensions, instead of the first one's intervals (to be called at any place in
  /// the command group; a range of one dimension is divided as before).
  void split_2d() { group_.split_2d = true; }
  /// Ranks get shares of the first dimension in proportion to their weights, one a rank, not all 0; no weights mean equal ones (at
  /// any place in the command group; the same on all ranks; not together with split_2d()). Tasks that are given one object do not
  /// compare the weights of all ranks with those of earlier tasks.
  void split_by_weights(const rank_weights& weights) {
    group_.weights = weights.shared_ && !weights.get().empty() ? weights.shared_ : nullptr;
  }

  // For the library.
  explicit handler(detail::command_group& into) : group_(into) { group_.accesses.reserve(4); }
  std::size_t add(detail::buffer_access&& access) {
    group_.accesses.push_back(std::move(access));
    return group_.accesses.size() - 1;
  }
  void add(detail::reduction&& made) { group_.reductions.push_back(std::move(made)); }
  void add_host_object(std::size_t object) { group_.host_objects.push_back(object); }
  std::size_t add_local(std::size_t bytes, std::size_t alignment) {
    const std::size_t at = (group_.local_bytes + alignment - 1) / alignment * alignment;
    group_.local_bytes = at + bytes;
    return at;
  }

private:
  void begin(detail::task_kind kind) {
    if (group_.has_task)
      throw task_error("command group: it has a task already");
    group_.has_task = true;
    group_.kind = kind;
  }

  template <int Dims>
  void shape(const range<Dims>& all, const id<Dims>& offset, const range<Dims>& multiple) {
    group_.dims = Dims;
    group_.items = detail::box_of(offset, all);
    group_.granularity = detail::widen(multiple, 1);
    for (std::size_t d = 0; d < 3; ++d) {
      if (constraint_[d] == 0)
        throw task_error("constrain_split: chunks cannot be multiples of 0");
      group_.granularity[d] = std::lcm(group_.granularity[d], constraint_[d]);
      if ((group_.items.to[d] - group_.items.from[d]) % group_.granularity[d] != 0)
        throw task_error("constrain_split: the range is no multiple of what chunks have to be multiples of");
    }
  }

  template <typename Name>
  void name() {
    if constexpr (!std::is_same_v<Name, detail::unnamed>)
      if (group_.name.empty())
        group_.name = detail::known_type_name<Name>();
  }

  template <typename Name, int Dims, typename... ReductionsAndKernel>
  void run_kernel(const range<Dims>& all, const id<Dims>& offset, const ReductionsAndKernel&... rest) {
    begin(detail::task_kind::kernel);
    range<Dims> one;
    for (int d = 0; d < Dims; ++d)
      one[d] = 1;
    shape(all, offset, one);
    name<Name>();
    from_last(
        [&](const auto& kernel, const auto&... reductions) {
          group_.kernel = detail::make_kernel(all, offset, kernel, reductions...);
        },
        rest...);
  }

  /// Calls `make` with the last argument (the kernel) first.
  template <typename Make, typename... Arguments>
  static void from_last(const Make& make, const Arguments&... arguments) {
    static_assert(sizeof...(Arguments) > 0, "parallel_for needs a kernel");
    const auto all = std::tie(arguments...);
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      static_assert(
          (... &&
           detail::is_reduction<std::remove_cvref_t<std::tuple_element_t<Index, decltype(all)>>>::value),
          "between range and kernel stand an offset and reductions only");
      make(std::get<sizeof...(Arguments) - 1>(all), std::get<Index>(all)...);
    }(std::make_index_sequence<sizeof...(Arguments) - 1>());
  }

  template <int Dims, typename Function>
  static detail::host_function host(const range<Dims>& all, const Function& function) {
    return [=](const detail::host_call& call) {
      const detail::placing here(call.where);
      const Function mine(function);
      if constexpr (std::is_invocable_v<const Function&, const partition<Dims>&>)
        mine(partition<Dims>(detail::subrange_of<Dims>(call.items), all));
      else
        mine();
    };
  }

  detail::command_group& group_;
  detail::extents constraint_{1, 1, 1};
};

namespace detail {

inline std::size_t add_access(handler& to, std::size_t buffer, access_mode mode, mapper where) {
  return to.add(buffer_access{buffer, mode, std::move(where)});
}
inline std::size_t add_local(handler& to, std::size_t bytes, std::size_t alignment) {
  return to.add_local(bytes, alignment);
}
inline void add_reduction(handler& to, reduction&& made) {
  to.add(std::move(made));
}
inline void add_host_object(handler& to, std::size_t object) {
  to.add_host_object(object);
}

} // namespace detail
} // namespace tacit
