// What we keep with windows and communicators, as attributes of them: MPI drops it with the object. The same for the run time as a whole
// is runtime/mpi/attributes.h, which throws; here having no key, or no room, is an answer.
#pragma once

#include <mpi.h>
#include <pthread.h>

namespace tacit::compiler {

struct on_windows {
  using object = MPI_Win;
  using drop_function = MPI_Win_delete_attr_function;
  static int make_key(drop_function* drop, int* key) {
    return MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, drop ? drop : MPI_WIN_NULL_DELETE_FN, key, nullptr);
  }
  static int get(object o, int key, void* value, int* found) {
    return MPI_Win_get_attr(o, key, value, found);
  }
  static int set(object o, int key, void* value) { return MPI_Win_set_attr(o, key, value); }
  static int remove(object o, int key) { return MPI_Win_delete_attr(o, key); }
};
struct on_communicators {
  using object = MPI_Comm;
  using drop_function = MPI_Comm_delete_attr_function;
  static int make_key(drop_function* drop, int* key) {
    return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop ? drop : MPI_COMM_NULL_DELETE_FN, key, nullptr);
  }
  static int get(object o, int key, void* value, int* found) {
    return MPI_Comm_get_attr(o, key, value, found);
  }
  static int set(object o, int key, void* value) { return MPI_Comm_set_attr(o, key, value); }
  static int remove(object o, int key) { return MPI_Comm_delete_attr(o, key); }
};

/// A value that an object may hold; duplicates of the object hold none. Its key is made once, by whichever thread comes first.
template <typename Kind, typename Value>
class attribute {
public:
  using object = typename Kind::object;

  /// `drop` is told of values whose object goes, or which are removed; null: nobody is.
  explicit constexpr attribute(typename Kind::drop_function* drop) : drop_(drop) {}
  attribute(const attribute&) = delete;
  attribute& operator=(const attribute&) = delete;

  /// False: no object can hold a value, because MPI makes no key.
  bool is_possible() { return key() != MPI_KEYVAL_INVALID; }
  /// Null: the object has none. Makes no key.
  Value* of(object o) const {
    const int key = __atomic_load_n(&key_, __ATOMIC_ACQUIRE);
    void* value = nullptr;
    int found = 0;
    const bool known = key != MPI_KEYVAL_INVALID &&
                       Kind::get(o, key, static_cast<void*>(&value), &found) == MPI_SUCCESS && found;
    return known ? static_cast<Value*>(value) : nullptr;
  }
  /// False: the value is still the caller's.
  bool set(object o, Value* value) { return is_possible() && Kind::set(o, key_, value) == MPI_SUCCESS; }
  void remove(object o) {
    if (is_possible())
      Kind::remove(o, key_);
  }

private:
  int key() {
    int made = __atomic_load_n(&key_, __ATOMIC_ACQUIRE);
    if (made != MPI_KEYVAL_INVALID)
      return made;
    pthread_mutex_lock(&guard_);
    made = __atomic_load_n(&key_, __ATOMIC_RELAXED);
    if (made == MPI_KEYVAL_INVALID && Kind::make_key(drop_, &made) == MPI_SUCCESS)
      __atomic_store_n(&key_, made, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&guard_);
    return made;
  }

  typename Kind::drop_function* drop_;
  pthread_mutex_t guard_ = PTHREAD_MUTEX_INITIALIZER;
  int key_ = MPI_KEYVAL_INVALID;
};

} // namespace tacit::compiler
