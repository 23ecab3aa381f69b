// Buffers, and what tasks reach them by: accessors. A buffer is one array over all ranks; where its elements are at any time is
// the runtime's affair. Copies of a buffer object are the same buffer.
#pragma once

#include <tacit/tasks/index.hpp>
#include <tacit/tasks/mappers.hpp>

#include <memory>
#include <string>

namespace tacit {

class handler;
template <int Dims>
class partition;

template <typename T, int Dims = 1>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>, "elements of buffers travel between memories as bytes");

public:
  using value_type = T;
  /// Not initialised: somebody has to write an element before it is read.
  explicit buffer(const tacit::range<Dims>& size) : buffer(nullptr, size) {}
  /// Initialised with what `host_data` points to, which must be the same on all ranks. It is copied at once.
  explicit buffer(const T* host_data, const tacit::range<Dims>& size)
      : object_(std::make_shared<object>(host_data, size)) {}
  buffer()
    requires(Dims == 0)
      : buffer(nullptr, {}) {}
  buffer(const T& value)
    requires(Dims == 0)
      : buffer(&value, {}) {}

  const tacit::range<Dims>& get_range() const { return object_->size; }
  std::size_t size() const { return object_->size.size(); }
  std::size_t number() const { return object_->number; }
  /// For diagnostics and pictures.
  void set_name(const std::string& name) const {
    object_->name = name;
    detail::name_buffer(object_->number, name);
  }
  const std::string& get_name() const { return object_->name; }

private:
  struct object {
    object(const T* host_data, const tacit::range<Dims>& size_)
        : number(detail::create_buffer({Dims, detail::widen(size_, 1), sizeof(T), alignof(T), host_data})),
          size(size_) {}
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    ~object() { detail::destroy_buffer(number); }
    std::size_t number;
    tacit::range<Dims> size;
    std::string name;
  };
  std::shared_ptr<object> object_;
};
template <typename T, int Dims>
buffer(const T*, range<Dims>) -> buffer<T, Dims>;

struct no_init_tag {};
/// After the mode of a write: the elements' old contents are not needed.
inline constexpr no_init_tag no_init{};

namespace detail {

template <access_mode Mode, access_mode WithoutInit>
struct mode_tag {};

constexpr bool writes(access_mode mode) {
  return mode != access_mode::read;
}

std::size_t add_access(handler& to, std::size_t buffer, access_mode mode, mapper where);
std::size_t add_local(handler& to, std::size_t bytes, std::size_t alignment);

/// a[i][j][k]: the dimensions that have been given so far.
template <typename Accessor, int Dims, int Given>
class subscripts {
public:
  subscripts(const Accessor& of, const id<Dims>& at) : of_(of), at_(at) {}
  decltype(auto) operator[](std::size_t index) const {
    id<Dims> at = at_;
    at[Given] = index;
    if constexpr (Given + 1 == Dims)
      return of_[at];
    else
      return subscripts<Accessor, Dims, Given + 1>(of_, at);
  }

private:
  const Accessor& of_;
  id<Dims> at_;
};

template <int Dims, typename Accessor>
decltype(auto) subscript(const Accessor& of, std::size_t index) {
  return subscripts<Accessor, Dims, 0>(of, id<Dims>())[index];
}

} // namespace detail

inline constexpr detail::mode_tag<access_mode::read, access_mode::read> read_only{};
inline constexpr detail::mode_tag<access_mode::write, access_mode::discard_write> write_only{};
inline constexpr detail::mode_tag<access_mode::read_write, access_mode::discard_read_write> read_write{};

/// The local memory behind an accessor of a host task: a box of the buffer (allocation), in it what the task may access (window).
template <typename T, int Dims>
class buffer_allocation_window {
public:
  buffer_allocation_window(T* data, const range<Dims>& buffer, const subrange<Dims>& allocated,
                           const subrange<Dims>& window)
      : data_(data), buffer_(buffer), allocated_(allocated), window_(window) {}
  T* get_allocation() const { return data_; }
  range<Dims> get_buffer_range() const { return buffer_; }
  range<Dims> get_allocation_range() const { return allocated_.range; }
  range<Dims> get_window_range() const { return window_.range; }
  id<Dims> get_allocation_offset_in_buffer() const { return allocated_.offset; }
  id<Dims> get_window_offset_in_buffer() const { return window_.offset; }
  id<Dims> get_window_offset_in_allocation() const { return window_.offset - allocated_.offset; }

private:
  T* data_;
  range<Dims> buffer_;
  subrange<Dims> allocated_, window_;
};

/// What a task reads or writes of a buffer. Made in the command group, captured by value by the kernel; it may be used in the
/// kernel only, and there for the elements that its mapper gives the kernel's chunk.
template <typename T, int Dims, access_mode Mode>
class accessor {
public:
  using value_type = T;
  using element = std::conditional_t<detail::writes(Mode), T, const T>;
  using reference = element&;

  accessor() = default;
  template <typename Mapper, access_mode WithoutInit>
  accessor(const buffer<T, Dims>& of, handler& in, const Mapper& where, detail::mode_tag<Mode, WithoutInit>)
      : accessor(of, in, detail::make_mapper(where, of.get_range())) {}
  template <typename Mapper, access_mode WithInit>
  accessor(const buffer<T, Dims>& of, handler& in, const Mapper& where, detail::mode_tag<WithInit, Mode>,
           no_init_tag)
      : accessor(of, in, detail::make_mapper(where, of.get_range())) {}
  /// Of a buffer of one element.
  template <access_mode WithoutInit>
    requires(Dims == 0)
  accessor(const buffer<T, Dims>& of, handler& in, detail::mode_tag<Mode, WithoutInit>)
      : accessor(of, in, detail::describe(access::all())) {}
  template <access_mode WithInit>
    requires(Dims == 0)
  accessor(const buffer<T, Dims>& of, handler& in, detail::mode_tag<WithInit, Mode>, no_init_tag)
      : accessor(of, in, detail::describe(access::all())) {}

  accessor(const accessor& from) { *this = from; }
  accessor& operator=(const accessor& from) {
    if (this == &from)
      return *this;
    data_ = from.data_, stride_ = from.stride_, allocated_ = from.allocated_, window_ = from.window_,
    buffer_ = from.buffer_;
    number_ = from.number_;
    if (const detail::placement* now = detail::current_placement(); now && number_ < now->count)
      place(now->accesses[number_]);
    return *this;
  }

  /// Compiled with TACIT_TASKS_CHECK (all files of a program, or none) it looks whether the task may access the element.
  reference operator[](const id<Dims>& at) const {
#ifdef TACIT_TASKS_CHECK
    for (int d = 0; d < Dims; ++d)
      if (at[d] < window_.offset[d] || at[d] - window_.offset[d] >= window_.range[d])
        detail::accessed_outside(number_, Dims, detail::widen(at, 0),
                                 detail::box_of(window_.offset, window_.range));
#endif
    return data_[detail::linear_index(stride_, at)];
  }
  decltype(auto) operator[](std::size_t index) const
    requires(Dims > 0)
  {
    return detail::subscript<Dims>(*this, index);
  }
  /// a(i, j, k), as in Kokkos.
  template <typename... Index>
    requires(sizeof...(Index) == Dims && Dims > 0 && (... && std::is_convertible_v<Index, std::size_t>))
  reference operator()(Index... index) const {
    return (*this)[id<Dims>(static_cast<std::size_t>(index)...)];
  }

  reference operator*() const
    requires(Dims == 0)
  {
    return *data_;
  }
  element* operator->() const
    requires(Dims == 0)
  {
    return data_;
  }
  operator reference() const
    requires(Dims == 0)
  {
    return *data_;
  }
  const accessor& operator=(const T& value) const
    requires(Dims == 0 && detail::writes(Mode))
  {
    *data_ = value;
    return *this;
  }

  /// The element with index 0, if neighboring elements of the buffer lie side by side; in host tasks.
  element* get_pointer() const {
    for (int d = 1; d < Dims; ++d)
      if (stride_[d] != buffer_[d])
        throw std::logic_error(
            "accessor: the local part of the buffer does not lie as the whole buffer would");
    return data_;
  }
  /// Where the elements lie, for libraries that work on memory. These seldom know const; what is only read must not be written.
  template <int KernelDims>
  buffer_allocation_window<T, Dims> get_allocation_window(const partition<KernelDims>&) const {
    return {const_cast<T*>(data_) + detail::linear_index(stride_, allocated_.offset), buffer_, allocated_,
            window_};
  }

private:
  accessor(const buffer<T, Dims>& of, handler& in, detail::mapper where)
      : buffer_(of.get_range()), number_(detail::add_access(in, of.number(), Mode, std::move(where))) {}

  void place(const detail::allocation& at) {
    allocated_ = {detail::narrow<id<Dims>>(at.offset), detail::narrow<range<Dims>>(at.range)};
    window_ = detail::subrange_of<Dims>(at.accessed);
    stride_ = allocated_.range;
    // Where element 0 would lie: so that no index has to be shifted.
    data_ = static_cast<element*>(at.data) - detail::linear_index(stride_, allocated_.offset);
  }

  element* data_ = nullptr;
  range<Dims> stride_;
  subrange<Dims> allocated_, window_;
  range<Dims> buffer_;
  std::size_t number_ = static_cast<std::size_t>(-1);
};

template <typename T, int Dims, typename Mapper, access_mode Mode, access_mode WithoutInit>
accessor(const buffer<T, Dims>&, handler&, const Mapper&, detail::mode_tag<Mode, WithoutInit>)
    -> accessor<T, Dims, Mode>;
template <typename T, int Dims, typename Mapper, access_mode Mode, access_mode WithoutInit>
accessor(const buffer<T, Dims>&, handler&, const Mapper&, detail::mode_tag<Mode, WithoutInit>, no_init_tag)
    -> accessor<T, Dims, WithoutInit>;
template <typename T, access_mode Mode, access_mode WithoutInit>
accessor(const buffer<T, 0>&, handler&, detail::mode_tag<Mode, WithoutInit>) -> accessor<T, 0, Mode>;
template <typename T, access_mode Mode, access_mode WithoutInit>
accessor(const buffer<T, 0>&, handler&, detail::mode_tag<Mode, WithoutInit>, no_init_tag)
    -> accessor<T, 0, WithoutInit>;

/// Memory that the items of a work group share; nobody initialises it. For kernels over nd-ranges.
template <typename T, int Dims = 1>
class local_accessor {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  using value_type = T;
  local_accessor(const range<Dims>& size, handler& in)
      : size_(size), offset_(detail::add_local(in, size.size() * sizeof(T), alignof(T))) {}
  local_accessor(handler& in)
    requires(Dims == 0)
      : local_accessor(range<0>(), in) {}
  local_accessor(const local_accessor& from) { *this = from; }
  local_accessor& operator=(const local_accessor& from) {
    size_ = from.size_, offset_ = from.offset_, data_ = from.data_;
    if (const detail::placement* now = detail::current_placement(); now && now->local)
      data_ = reinterpret_cast<T*>(now->local + offset_);
    return *this;
  }
  range<Dims> get_range() const { return size_; }
  T& operator[](const id<Dims>& at) const { return data_[detail::linear_index(size_, at)]; }
  decltype(auto) operator[](std::size_t index) const
    requires(Dims > 0)
  {
    return detail::subscript<Dims>(*this, index);
  }
  template <typename... Index>
    requires(sizeof...(Index) == Dims && Dims > 0 && (... && std::is_convertible_v<Index, std::size_t>))
  T& operator()(Index... index) const {
    return (*this)[id<Dims>(static_cast<std::size_t>(index)...)];
  }
  T& operator*() const
    requires(Dims == 0)
  {
    return *data_;
  }
  T* get_pointer() const { return data_; }

private:
  range<Dims> size_;
  std::size_t offset_ = 0;
  T* data_ = nullptr;
};

} // namespace tacit
