// What host tasks work with: their partition of the range, the communicator of collective ones, and host objects, which are
// objects of the program that every rank has one of and that tasks use in the order of their submission.
#pragma once

#include <tacit/tasks/buffer.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace tacit {

/// The part of a host task's range that one call gets.
template <int Dims>
class partition {
public:
  partition(const subrange<Dims>& part, const range<Dims>& all) : part_(part), all_(all) {}
  const subrange<Dims>& get_subrange() const { return part_; }
  const range<Dims>& get_global_size() const { return all_; }

private:
  subrange<Dims> part_;
  range<Dims> all_;
};

/// Of a collective host task, which runs once on each rank.
class collective_partition : public partition<1> {
public:
  collective_partition(const subrange<1>& part, const range<1>& all, MPI_Comm communicator)
      : partition<1>(part, all), communicator_(communicator) {}
  /// All ranks; nobody else communicates on it while the task runs.
  MPI_Comm get_collective_mpi_comm() const { return communicator_; }
  std::size_t get_node_index() const { return get_subrange().offset[0]; }
  std::size_t get_num_nodes() const { return get_global_size()[0]; }

private:
  MPI_Comm communicator_;
};

/// Collective host tasks of one group run in the order of their submission; those of different groups have communicators of
/// their own. Made in the same order on all ranks.
class collective_group {
public:
  collective_group() : number_(detail::create_collective_group()) {}
  std::size_t number() const { return number_; }

private:
  std::size_t number_;
};

namespace detail {
struct once_tag {};
struct on_master_node_tag {};
struct collective_tag {
  std::size_t group = 0;
  collective_tag operator()(const collective_group& in) const { return {in.number()}; }
};
} // namespace detail

/// host_task(once, …): on one rank, which may be another one for every task.
inline constexpr detail::once_tag once{};
/// host_task(on_master_node, …): on rank 0.
inline constexpr detail::on_master_node_tag on_master_node{};
/// host_task(collective, …), host_task(collective(group), …): once on every rank.
inline constexpr detail::collective_tag collective{};

/// One object a rank. Tasks that name it (side_effect) run one after the other on each rank.
template <typename T>
class host_object {
public:
  using instance_type = T;
  host_object() : host_object(std::in_place) {}
  explicit host_object(const T& from) : host_object(std::in_place, from) {}
  explicit host_object(T&& from) : host_object(std::in_place, std::move(from)) {}
  template <typename... Arguments>
  explicit host_object(std::in_place_t, Arguments&&... arguments)
      : object_(std::make_shared<object>(std::make_shared<T>(std::forward<Arguments>(arguments)...))) {}
  std::size_t number() const { return object_->number; }
  const std::shared_ptr<T>& instance() const { return object_->instance; }

private:
  struct object {
    explicit object(std::shared_ptr<T>&& made)
        : number(detail::create_host_object()), instance(std::move(made)) {}
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    ~object() { detail::destroy_host_object(number, std::move(instance)); }
    std::size_t number;
    std::shared_ptr<T> instance;
  };
  std::shared_ptr<object> object_;
};

/// An object of the program's, which must outlive the tasks that use it.
template <typename T>
class host_object<T&> {
public:
  using instance_type = T;
  explicit host_object(T& of) : owned_(std::shared_ptr<T>(&of, [](T*) {})) {}
  explicit host_object(std::reference_wrapper<T> of) : host_object(of.get()) {}
  std::size_t number() const { return owned_.number(); }
  const std::shared_ptr<T>& instance() const { return owned_.instance().get()[0]; }

private:
  host_object<std::shared_ptr<T>> owned_;
};

/// No object, only the order of tasks: of those that print, say.
template <>
class host_object<void> {
public:
  using instance_type = void;
  explicit host_object() = default;
  std::size_t number() const { return owned_.number(); }

private:
  host_object<char> owned_;
};

template <typename T>
explicit host_object(T&&) -> host_object<std::remove_cvref_t<T>>;
template <typename T>
explicit host_object(std::reference_wrapper<T>) -> host_object<T&>;
explicit host_object() -> host_object<void>;

namespace detail {
void add_host_object(handler& to, std::size_t object);
} // namespace detail

/// The use of a host object by a host task; captured by value.
template <typename T>
class side_effect {
public:
  using instance_type = typename host_object<T>::instance_type;
  side_effect(const host_object<T>& of, handler& in) : instance_(of.instance()) {
    detail::add_host_object(in, of.number());
  }
  instance_type& operator*() const { return *instance_; }
  instance_type* operator->() const { return instance_.get(); }

private:
  std::shared_ptr<instance_type> instance_;
};
template <>
class side_effect<void> {
public:
  side_effect(const host_object<void>& of, handler& in) { detail::add_host_object(in, of.number()); }
};
template <typename T>
side_effect(const host_object<T>&, handler&) -> side_effect<T>;

} // namespace tacit
