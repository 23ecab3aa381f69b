// What tacit keeps with MPI's objects: values of our own types as attributes, and what has to be done before
// MPI ends. Keys are made at the first use, and never freed.
#pragma once

#include "runtime/mpi/mpi_error.h"

#include <atomic>
#include <memory>
#include <mpi.h>
#include <mutex>

namespace tacit::runtime {

/// MPI's functions for attributes of communicators, and of datatypes.
struct on_communicators {
  using object = MPI_Comm;
  using copy_function = MPI_Comm_copy_attr_function;
  using delete_function = MPI_Comm_delete_attr_function;
  static int make_key(copy_function* copy, delete_function* drop, int* key) {
    return MPI_Comm_create_keyval(copy ? copy : MPI_COMM_NULL_COPY_FN, drop, key, nullptr);
  }
  static int get(object o, int key, void* value, int* found) {
    return MPI_Comm_get_attr(o, key, value, found);
  }
  static int set(object o, int key, void* value) { return MPI_Comm_set_attr(o, key, value); }
  static int remove(object o, int key) { return MPI_Comm_delete_attr(o, key); }
};
struct on_datatypes {
  using object = MPI_Datatype;
  using copy_function = MPI_Type_copy_attr_function;
  using delete_function = MPI_Type_delete_attr_function;
  static int make_key(copy_function* copy, delete_function* drop, int* key) {
    return MPI_Type_create_keyval(copy ? copy : MPI_TYPE_NULL_COPY_FN, drop, key, nullptr);
  }
  static int get(object o, int key, void* value, int* found) {
    return MPI_Type_get_attr(o, key, value, found);
  }
  static int set(object o, int key, void* value) { return MPI_Type_set_attr(o, key, value); }
  static int remove(object o, int key) { return MPI_Type_delete_attr(o, key); }
};

/// A value that an object of MPI's may hold. MPI deletes it with the object.
template <typename Kind, typename Value>
class attribute {
public:
  using object = typename Kind::object;

  /// `copy`: what duplicates of the object get; nothing if null. `drop` deletes the value (drop_value), or
  /// does more.
  explicit constexpr attribute(typename Kind::copy_function* copy = nullptr,
                               typename Kind::delete_function* drop = drop_value)
      : copy_(copy), drop_(drop) {}

  static int drop_value(object, int, void* value, void*) {
    delete static_cast<Value*>(value);
    return MPI_SUCCESS;
  }
  /// For `copy`: duplicates get a copy of the value.
  static int copy_value(object, int, void*, void* value, void* copy, int* flag) {
    try {
      *static_cast<Value**>(copy) = new Value(*static_cast<Value*>(value));
    } catch (...) {
      return MPI_ERR_NO_MEM;
    }
    *flag = 1;
    return MPI_SUCCESS;
  }

  /// Null if the object has none. Local. Throws mpi_error.
  Value* of(object o) {
    void* value = nullptr;
    int found = 0;
    check_mpi(Kind::get(o, key(), static_cast<void*>(&value), &found), "reading an attribute");
    return found ? static_cast<Value*>(value) : nullptr;
  }
  /// In place of what it may have had, which MPI deletes. Local. Throws mpi_error.
  Value& set(object o, std::unique_ptr<Value> value) {
    check_mpi(Kind::set(o, key(), value.get()), "setting an attribute");
    return *value.release();
  }
  /// MPI deletes what the object has, if it has one. Local. Throws mpi_error.
  void remove(object o) {
    if (of(o))
      check_mpi(Kind::remove(o, key()), "removing an attribute");
  }

private:
  int key() {
    if (const int known = key_.load(std::memory_order_acquire); known != MPI_KEYVAL_INVALID)
      return known;
    const std::lock_guard lock(guard_);
    int made = key_.load(std::memory_order_relaxed);
    if (made == MPI_KEYVAL_INVALID) {
      check_mpi(Kind::make_key(copy_, drop_, &made), "making a key for attributes");
      key_.store(made, std::memory_order_release);
    }
    return made;
  }

  typename Kind::copy_function* copy_;
  typename Kind::delete_function* drop_;
  std::mutex guard_;
  std::atomic<int> key_ = MPI_KEYVAL_INVALID;
};

template <typename Value>
using comm_attribute = attribute<on_communicators, Value>;
template <typename Value>
using type_attribute = attribute<on_datatypes, Value>;

/// MPI calls `what` first thing in MPI_Finalize, where all ranks are: it deletes the attributes of
/// MPI_COMM_SELF, the newest first (MPI-4.1 section 11.4.1). Local. Throws mpi_error.
inline void call_at_finalize(MPI_Comm_delete_attr_function* what) {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(on_communicators::make_key(nullptr, what, &key), "making a key for attributes");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "setting an attribute");
}

} // namespace tacit::runtime
