// Functions of a class that a statement declares run where they are called; and calls that have no statement above them in the tree.
// RUN: %transform %s -- -std=c++20 2>&1 >/dev/null | %said
// RUN: %cxx -std=c++20 -c %s -o %t.o
#include <mpi.h>
#include <tuple>

void unknown();
int number();
extern MPI_Win win;
extern long* memory;
struct copied {
  copied(int);
  copied(const copied&);
};
struct pair {
  long a, b;
};
template <std::size_t I>
long get(const pair& p) {
  unknown();
  return I == 0 ? p.a : p.b;
}
template <>
struct std::tuple_size<pair> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I>
struct std::tuple_element<I, pair> {
  using type = long;
};

void constructor(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    struct local {
      local() { MPI_Win_flush(0, MPI_WIN_NULL); }
    } made;
  }
}

void initializer(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    struct local {
      local() {}
      int x = number();
    } made;
    value[0] = made.x;
  }
}

void member(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    struct local {
      long x;
      void calls() { unknown(); }
      void computes() { ++x; }
    } made{};
    made.computes();
    made.calls();
  }
}

/* Its region is no variable that the class could name. */
void operates(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    struct local {
      static void puts(long* value) { MPI_Put(value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win); }
    };
    local::puts(value);
    MPI_Win_fence(0, win);
  }
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    struct local {
      static void puts(long* value) { MPI_Put(value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win); }
    };
    local::puts(value);
    MPI_Win_fence(0, win);
  }
}

double receives(double* a, MPI_Comm comm) {
  double sum = 0;
#pragma mpi cco MPI_Recv
  {
    struct local {
      static void receive(double* a) {
        MPI_Recv(a, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 100; ++i)
          unknown();
      }
    };
    MPI_Recv(a, 1, MPI_DOUBLE, 1, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i)
      sum += i;
    local::receive(a);
  }
  return sum;
}

void catches(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    try {
      unknown();
    } catch (copied c) {
      value[0] = 3;
    }
  }
}

void binds(long* value, pair& p) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    auto& [a, b] = p;
    value[0] = a + b;
  }
}

void names_type(long* value) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    decltype(number()) x = 3;
    value[0] = x;
  }
}

void hidden(long* value, const long (&all)[3]) {
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  for (long x : all)
    MPI_Put(value, 1, MPI_LONG, 0, x, 1, MPI_LONG, win);
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    MPI_Put(value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    [] { unknown(); }();
  }
#pragma mpi osc_coalesce(win, memory, long, MPI_LONG)
  {
    long* made = new long(1);
    MPI_Put(made, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  }
}
