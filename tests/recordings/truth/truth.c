/* Programs with known truth, in C: what each one means is in truth_table.py. `truth_c NAME…` runs some, `truth_c` all. */
#include "truth.h"

static int send_buffer[words * most_ranks], receive_buffer[words * most_ranks], work[words * most_ranks];
enum { block = 64 }; /* integers: 256 B */

/* Broadcasts. */

PROGRAM(bcast_linear) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block, rank);
      for (int to = 1; to < size; ++to)
        MPI_Send(work, block, MPI_INT, to, 1, comm);
    } else {
      MPI_Recv(work, block, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(bcast_ring) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, block, rank);
    else
      MPI_Recv(work, block, MPI_INT, rank - 1, 1, comm, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
      MPI_Send(work, block, MPI_INT, rank + 1, 1, comm);
  }
}

static inline __attribute__((always_inline)) void binomial_tree(int* values, int count, int root, int rank,
                                                                int size, MPI_Comm comm) {
  const int me = (rank - root + size) % size;
  int mask = 1;
  for (; mask < size; mask <<= 1)
    if (me & mask) {
      MPI_Recv(values, count, MPI_INT, (me - mask + root) % size, 2, comm, MPI_STATUS_IGNORE);
      break;
    }
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (me + mask < size)
      MPI_Send(values, count, MPI_INT, (me + mask + root) % size, 2, comm);
}

PROGRAM(bcast_binomial) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, block, rank);
    binomial_tree(work, block, 0, rank, size, comm);
  }
}

PROGRAM(bcast_tiny_tree) { /* 8 B */
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, 2, rank);
    binomial_tree(work, 2, 0, rank, size, comm);
  }
}

PROGRAM(bcast_tiny_linear) { /* 4 B */
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, 1, rank);
      for (int to = 1; to < size; ++to)
        MPI_Send(work, 1, MPI_INT, to, 1, comm);
    } else {
      MPI_Recv(work, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_bcast_changed) { /* along the ring, but everybody adds: a chain of computations */
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, block, rank);
    else
      MPI_Recv(work, block, MPI_INT, rank - 1, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i)
      work[i] = work[i] * 3 + rank;
    if (rank + 1 < size)
      MPI_Send(work, block, MPI_INT, rank + 1, 1, comm);
  }
}

PROGRAM(near_bcast_partial) { /* the last rank gets nothing */
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block, rank);
      for (int to = 1; to + 1 < size; ++to)
        MPI_Send(work, block, MPI_INT, to, 1, comm);
    } else if (rank + 1 < size) {
      MPI_Recv(work, block, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_bcast_other_bytes) { /* a tree, and every message carries what its sender has just computed */
  for (int t = 0; t < times; ++t) {
    int mask = 1;
    for (; mask < size; mask <<= 1)
      if (rank & mask) {
        MPI_Recv(work, block, MPI_INT, rank - mask, 2, comm, MPI_STATUS_IGNORE);
        break;
      }
    for (mask >>= 1; mask > 0; mask >>= 1)
      if (rank + mask < size) {
        fresh(work, block, rank);
        MPI_Send(work, block, MPI_INT, rank + mask, 2, comm);
      }
  }
}

/* Scatters and gathers. */

PROGRAM(scatter_linear) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size, rank);
      for (int to = 1; to < size; ++to)
        MPI_Send(work + block * to, block, MPI_INT, to, 3, comm);
    } else {
      MPI_Recv(work, block, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(scatter_tree) { /* halves of what is left are handed on */
  for (int t = 0; t < times; ++t) {
    int mask = 1, mine = size;
    if (rank == 0)
      fresh(work, block * size, rank);
    for (; mask < size; mask <<= 1)
      if (rank & mask) {
        mine = size - rank < mask ? size - rank : mask;
        MPI_Recv(work, block * mine, MPI_INT, rank - mask, 3, comm, MPI_STATUS_IGNORE);
        break;
      }
    for (mask >>= 1; mask > 0; mask >>= 1)
      if (rank + mask < size) {
        const int rest = size - rank - mask < mask ? size - rank - mask : mask;
        MPI_Send(work + block * mask, block * rest, MPI_INT, rank + mask, 3, comm);
      }
  }
}

PROGRAM(scatterv_linear) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size * 2, rank);
      for (int to = 1, at = 0; to < size; at += 16 + 8 * to, ++to)
        MPI_Send(work + at, 16 + 8 * to, MPI_INT, to, 3, comm);
    } else {
      MPI_Recv(work, 16 + 8 * rank, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(scatterv_nonblocking) {
  MPI_Request requests[most_ranks];
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size * 2, rank);
      for (int to = 1, at = 0; to < size; at += 24 + 16 * to, ++to)
        MPI_Isend(work + at, 24 + 16 * to, MPI_INT, to, 3, comm, &requests[to - 1]);
      MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Recv(work, 24 + 16 * rank, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(scatter_one_buffer) { /* each block is computed into the same memory */
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      for (int to = 1; to < size; ++to) {
        fresh(work, block, rank);
        MPI_Send(work, block, MPI_INT, to, 3, comm);
      }
    else
      MPI_Recv(work, block, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  }
}

PROGRAM(scatterv_one_buffer) { /* packed into the same memory, with other lengths */
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      for (int to = 1; to < size; ++to) {
        fresh(work, 16 + 8 * to, rank);
        MPI_Send(work, 16 + 8 * to, MPI_INT, to, 3, comm);
      }
    else
      MPI_Recv(work, 16 + 8 * rank, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
  }
}

PROGRAM(scatter_tree_tiny) { /* 8 B for each rank */
  for (int t = 0; t < times; ++t) {
    int mask = 1, mine = size;
    if (rank == 0)
      fresh(work, 2 * size, rank);
    for (; mask < size; mask <<= 1)
      if (rank & mask) {
        mine = size - rank < mask ? size - rank : mask;
        MPI_Recv(work, 2 * mine, MPI_INT, rank - mask, 3, comm, MPI_STATUS_IGNORE);
        break;
      }
    for (mask >>= 1; mask > 0; mask >>= 1)
      if (rank + mask < size) {
        const int rest = size - rank - mask < mask ? size - rank - mask : mask;
        MPI_Send(work + 2 * mask, 2 * rest, MPI_INT, rank + mask, 3, comm);
      }
  }
}

PROGRAM(scatter_backwards) { /* in one array, the last rank's block first */
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size, rank);
      for (int to = 1; to < size; ++to)
        MPI_Send(work + block * (size - to), block, MPI_INT, to, 3, comm);
    } else {
      MPI_Recv(work, block, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_scatter_missing) { /* rank 1 gets nothing */
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size, rank);
      for (int to = 2; to < size; ++to)
        MPI_Send(work + block * to, block, MPI_INT, to, 3, comm);
    } else if (rank > 1) {
      MPI_Recv(work, block, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(gather_linear) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    if (rank == 0)
      for (int from = 1; from < size; ++from)
        MPI_Recv(receive_buffer + block * from, block, MPI_INT, from, 4, comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(send_buffer, block, MPI_INT, 0, 4, comm);
  }
}

PROGRAM(gather_any_source) { /* through a temporary, in whatever order they come */
  MPI_Status status;
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    if (rank == 0)
      for (int from = 1; from < size; ++from) {
        MPI_Recv(work, block, MPI_INT, MPI_ANY_SOURCE, 4, comm, &status);
        memcpy(receive_buffer + block * status.MPI_SOURCE, work, block * sizeof(int));
      }
    else
      MPI_Send(send_buffer, block, MPI_INT, 0, 4, comm);
    MPI_Barrier(comm);
  }
}

PROGRAM(gather_tree) {
  for (int t = 0; t < times; ++t) {
    int have = 1;
    fresh(work, block, rank);
    for (int mask = 1; mask < size; mask <<= 1) {
      if (rank & mask) {
        MPI_Send(work, block * have, MPI_INT, rank - mask, 4, comm);
        break;
      }
      if (rank + mask < size) {
        const int theirs = size - rank - mask < mask ? size - rank - mask : mask;
        MPI_Recv(work + block * have, block * theirs, MPI_INT, rank + mask, 4, comm, MPI_STATUS_IGNORE);
        have += theirs;
      }
    }
  }
}

PROGRAM(gatherv_linear) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 16 + 8 * rank, rank);
    if (rank == 0)
      for (int from = 1, at = 0; from < size; at += 16 + 8 * from, ++from)
        MPI_Recv(receive_buffer + at, 16 + 8 * from, MPI_INT, from, 4, comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(send_buffer, 16 + 8 * rank, MPI_INT, 0, 4, comm);
  }
}

PROGRAM(gatherv_nonblocking) {
  MPI_Request requests[most_ranks];
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 24 + 16 * rank, rank);
    if (rank == 0) {
      for (int from = 1, at = 0; from < size; at += 24 + 16 * from, ++from)
        MPI_Irecv(receive_buffer + at, 24 + 16 * from, MPI_INT, from, 4, comm, &requests[from - 1]);
      MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
    } else {
      MPI_Send(send_buffer, 24 + 16 * rank, MPI_INT, 0, 4, comm);
    }
  }
}

PROGRAM(near_gather_farm) { /* workers ask for tasks in any order: no two rounds are alike */
  MPI_Status status;
  if (rank == 0) {
    int left = 5 * size, stopped = 0;
    while (stopped + 1 < size) {
      MPI_Recv(work, block, MPI_INT, MPI_ANY_SOURCE, 4, comm, &status);
      fresh(work, 8, rank);
      work[0] = left > 0 ? left : -1;
      stopped += left-- > 0 ? 0 : 1;
      MPI_Send(work, 8, MPI_INT, status.MPI_SOURCE, 5, comm);
    }
  } else {
    do {
      fresh(send_buffer, block, rank);
      MPI_Send(send_buffer, block, MPI_INT, 0, 4, comm);
      MPI_Recv(work, 8, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    } while (work[0] > 0);
  }
}

PROGRAM(gather_two_messages) { /* two of different lengths from each rank, into one place */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 3 * block, rank);
    if (rank == 0) {
      for (int from = 1; from < size; ++from) {
        MPI_Recv(work, block, MPI_INT, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        memcpy(receive_buffer + block * from, work, block * sizeof(int));
        MPI_Recv(work, 2 * block, MPI_INT, from, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Send(send_buffer, block, MPI_INT, 0, 4, comm);
      MPI_Send(send_buffer + block, 2 * block, MPI_INT, 0, 5, comm);
    }
  }
}

PROGRAM(gatherv_on_request) { /* the root asks one after the other, so that one buffer is enough */
  MPI_Request request;
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 16 + 8 * rank, rank);
    if (rank == 0) {
      for (int from = 1; from < size; ++from) {
        MPI_Irecv(work, words, MPI_INT, from, 4, comm, &request);
        MPI_Send(work, 0, MPI_INT, from, 4, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Recv(work, 0, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
      MPI_Send(send_buffer, 16 + 8 * rank, MPI_INT, 0, 4, comm);
    }
  }
}

PROGRAM(gather_changing_root) {
  for (int t = 0; t < times; ++t) {
    const int root = t % size;
    fresh(send_buffer, block, rank);
    if (rank == root)
      for (int step = 1; step < size; ++step)
        MPI_Recv(receive_buffer + block * ((root + step) % size), block, MPI_INT, (root + step) % size, 4,
                 comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(send_buffer, block, MPI_INT, root, 4, comm);
  }
}

PROGRAM(near_gather_missing) { /* the last rank gives nothing */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    if (rank == 0)
      for (int from = 1; from + 1 < size; ++from)
        MPI_Recv(receive_buffer + block * from, block, MPI_INT, from, 4, comm, MPI_STATUS_IGNORE);
    else if (rank + 1 < size)
      MPI_Send(send_buffer, block, MPI_INT, 0, 4, comm);
  }
}

PROGRAM(gatherv_one_place) { /* received into one place, and used before the next one comes */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 16 + 8 * rank, rank);
    if (rank == 0)
      for (int from = 1; from < size; ++from) {
        MPI_Recv(work, 16 + 8 * from, MPI_INT, from, 4, comm, MPI_STATUS_IGNORE);
        memcpy(receive_buffer + words * from, work, (16 + 8 * from) * sizeof(int));
      }
    else
      MPI_Send(send_buffer, 16 + 8 * rank, MPI_INT, 0, 4, comm);
  }
}

PROGRAM(gather_tree_tiny) { /* 8 B of each rank */
  for (int t = 0; t < times; ++t) {
    int have = 1;
    fresh(work, 2, rank);
    for (int mask = 1; mask < size; mask <<= 1) {
      if (rank & mask) {
        MPI_Send(work, 2 * have, MPI_INT, rank - mask, 4, comm);
        break;
      }
      if (rank + mask < size) {
        const int more = size - rank - mask < mask ? size - rank - mask : mask;
        MPI_Recv(work + 2 * have, 2 * more, MPI_INT, rank + mask, 4, comm, MPI_STATUS_IGNORE);
        have += more;
      }
    }
  }
}

/* Allgathers. */

PROGRAM(allgather_ring) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work + block * rank, block, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      shift(work + block * out, work + block * in, block, right, left, 6, comm);
    }
  }
}

PROGRAM(allgather_doubling) {
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t) {
    fresh(work + block * rank, block, rank);
    for (int mask = 1; mask < size; mask <<= 1) {
      const int peer = rank ^ mask, mine = rank & ~(mask - 1), theirs = peer & ~(mask - 1);
      shift(work + block * mine, work + block * theirs, block * mask, peer, peer, 6, comm);
    }
  }
}

PROGRAM(allgather_bruck) {
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    for (int have = 1; have < size; have <<= 1) {
      const int count = size - have < have ? size - have : have;
      shift(work, work + block * have, block * count, (rank + size - have) % size, (rank + have) % size, 6,
            comm);
    }
  }
}

PROGRAM(allgather_direct) {
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(work + block * rank, block, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) {
        MPI_Irecv(work + block * peer, block, MPI_INT, peer, 6, comm, &requests[count++]);
        MPI_Isend(work + block * rank, block, MPI_INT, peer, 6, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(allgatherv_ring) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work + words * rank, 16 + 8 * rank, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      MPI_Sendrecv(work + words * out, 16 + 8 * out, MPI_INT, right, 6, work + words * in, 16 + 8 * in,
                   MPI_INT, left, 6, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(allgatherv_direct) {
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(work + words * rank, 24 + 16 * rank, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) {
        MPI_Irecv(work + words * peer, 24 + 16 * peer, MPI_INT, peer, 6, comm, &requests[count++]);
        MPI_Isend(work + words * rank, 24 + 16 * rank, MPI_INT, peer, 6, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(allgather_ring_tiny) { /* 8 B */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work + 2 * rank, 2, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      shift(work + 2 * out, work + 2 * in, 2, right, left, 6, comm);
    }
  }
}

PROGRAM(allgatherv_ring_tiny) { /* 4 to 12 B */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work + 4 * rank, 1 + rank % 3, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      MPI_Sendrecv(work + 4 * out, 1 + out % 3, MPI_INT, right, 6, work + 4 * in, 1 + in % 3, MPI_INT, left,
                   6, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(allgather_bruck_tiny) { /* 4 B */
  for (int t = 0; t < times; ++t) {
    fresh(work, 1, rank);
    for (int have = 1; have < size; have <<= 1) {
      const int count = size - have < have ? size - have : have;
      shift(work, work + have, count, (rank + size - have) % size, (rank + have) % size, 6, comm);
    }
  }
}

PROGRAM(allgather_direct_tiny) { /* 4 B */
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(work + rank, 1, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) {
        MPI_Irecv(work + peer, 1, MPI_INT, peer, 6, comm, &requests[count++]);
        MPI_Isend(work + rank, 1, MPI_INT, peer, 6, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(
    allgather_systolic) { /* every block visits every rank, which uses it and hands it on: one place is enough */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int sum = 0;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    for (int step = 0; step + 1 < size; ++step) {
      MPI_Sendrecv_replace(work, block, MPI_INT, right, 6, left, 6, comm, MPI_STATUS_IGNORE);
      for (int i = 0; i < block; ++i)
        sum += work[i];
    }
  }
  send_buffer[0] = sum;
}

PROGRAM(near_allgather_maximum) { /* the maximum of flags goes around a ring; all ranks have the same one */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    work[0] = t / 3 * 1000 + 1;
    for (int step = 0; step + 1 < size; ++step) {
      const int mine = work[0];
      MPI_Sendrecv_replace(work, 1, MPI_INT, right, 6, left, 6, comm, MPI_STATUS_IGNORE);
      if (work[0] < mine)
        work[0] = mine;
    }
  }
}

PROGRAM(near_allgather_open) { /* a ring that is left one step too early */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work + block * rank, block, rank);
    for (int step = 0; step + 2 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      shift(work + block * out, work + block * in, block, right, left, 6, comm);
    }
  }
}

/* Alltoalls. */

PROGRAM(alltoall_nonblocking) {
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, block * size, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) {
        MPI_Irecv(receive_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
        MPI_Isend(send_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(alltoall_shifts) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(send_buffer + block * to, receive_buffer + block * from, block, to, from, 7, comm);
    }
  }
}

PROGRAM(alltoall_pairs) {
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int peer = rank ^ step;
      shift(send_buffer + block * peer, receive_buffer + block * peer, block, peer, peer, 7, comm);
    }
  }
}

PROGRAM(alltoallv_shifts) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, words * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      MPI_Sendrecv(send_buffer + words * to, 16 + rank + 3 * to, MPI_INT, to, 7,
                   receive_buffer + words * from, 16 + from + 3 * rank, MPI_INT, from, 7, comm,
                   MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(alltoallv_nonblocking) {
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, words * size, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank) {
        MPI_Irecv(receive_buffer + words * peer, 16 + peer + 3 * rank, MPI_INT, peer, 7, comm,
                  &requests[count++]);
        MPI_Isend(send_buffer + words * peer, 16 + rank + 3 * peer, MPI_INT, peer, 7, comm,
                  &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(alltoall_packed) { /* receives are posted, then each block is packed into one buffer and sent */
  MPI_Request requests[most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    for (int step = 1; step < size; ++step)
      MPI_Irecv(receive_buffer + block * ((rank + size - step) % size), block, MPI_INT,
                (rank + size - step) % size, 7, comm, &requests[count++]);
    for (int step = 1; step < size; ++step) {
      fresh(work, block, rank);
      MPI_Send(work, block, MPI_INT, (rank + step) % size, 7, comm);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(halo_mesh) { /* as on a mesh with few parts: rank 0 touches all others, which are on a ring */
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, block * size, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank && (peer * rank == 0 || peer - rank == 1 || rank - peer == 1)) {
        MPI_Irecv(receive_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
        MPI_Isend(send_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(near_alltoall_missing) { /* the last shift is left out */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step + 1 < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(send_buffer + block * to, receive_buffer + block * from, block, to, from, 7, comm);
    }
  }
}

PROGRAM(alltoall_one_buffer) { /* each block is copied into one buffer before it is sent, as in FFTW 2 */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      memcpy(work, send_buffer + block * to, block * sizeof(int));
      shift(work, receive_buffer + block * from, block, to, from, 7, comm);
    }
  }
}

PROGRAM(alltoallv_one_buffer) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, words * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      memcpy(work, send_buffer + words * to, (16 + rank + 3 * to) * sizeof(int));
      MPI_Sendrecv(work, 16 + rank + 3 * to, MPI_INT, to, 7, receive_buffer + words * from,
                   16 + from + 3 * rank, MPI_INT, from, 7, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_alltoall_pair) { /* ranks 0 and 1 have nothing for each other */
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, block * size, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank && peer + rank != 1) {
        MPI_Irecv(receive_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
        MPI_Isend(send_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(alltoallv_empty) { /* some pairs have nothing for each other, and exchange no message */
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, words * size, rank);
    for (int peer = 0; peer < size; ++peer) {
      const int in = (3 * peer + rank) % 5 * 6, out = (3 * rank + peer) % 5 * 6;
      if (peer != rank && in > 0)
        MPI_Irecv(receive_buffer + words * peer, in, MPI_INT, peer, 7, comm, &requests[count++]);
      if (peer != rank && out > 0)
        MPI_Isend(send_buffer + words * peer, out, MPI_INT, peer, 7, comm, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(alltoallv_empty_messages) { /* some blocks have no bytes, and are sent all the same */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, words * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      MPI_Sendrecv(send_buffer + words * to, (3 * rank + to) % 5 * 6, MPI_INT, to, 7,
                   receive_buffer + words * from, (3 * from + rank) % 5 * 6, MPI_INT, from, 7, comm,
                   MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_alltoallv_half) { /* to every other rank only, and to rank 0 */
  MPI_Request requests[2 * most_ranks];
  for (int t = 0; t < times; ++t) {
    int count = 0;
    fresh(send_buffer, block * size, rank);
    for (int peer = 0; peer < size; ++peer)
      if (peer != rank && ((peer + rank) % 2 == 1 || peer * rank == 0)) {
        MPI_Irecv(receive_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
        MPI_Isend(send_buffer + block * peer, block, MPI_INT, peer, 7, comm, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(alltoall_into_one_buffer) { /* what comes is copied to its place before the next exchange */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(send_buffer + block * to, work, block, to, from, 7, comm);
      memcpy(receive_buffer + block * from, work, block * sizeof(int));
    }
  }
}

PROGRAM(alltoall_equal_numbers) { /* how many items come: in some rounds the same number for every rank */
  for (int t = 0; t < times; ++t) {
    for (int to = 0; to < size; ++to)
      send_buffer[to] = 1000 * t + rank + (t % 3 == 2 ? to : 0);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(send_buffer + to, receive_buffer + from, 1, to, from, 7, comm);
    }
  }
}

PROGRAM(
    alltoall_equal_numbers_one_buffer) { /* the same, and each number is written to one variable before it is sent */
  for (int t = 0; t < times; ++t)
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      work[0] = 1000 * t + rank + (t == 7 ? to : 0);
      shift(work, receive_buffer + from, 1, to, from, 7, comm);
    }
}

/* Barriers. */

PROGRAM(barrier_dissemination) {
  for (int t = 0; t < times; ++t)
    for (int by = 1; by < size; by <<= 1)
      shift(work, work, 0, (rank + by) % size, (rank + size - by) % size, 8, comm);
}

PROGRAM(barrier_butterfly) {
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t)
    for (int mask = 1; mask < size; mask <<= 1)
      shift(work, work, 0, rank ^ mask, rank ^ mask, 8, comm);
}

PROGRAM(barrier_linear) {
  for (int t = 0; t < times; ++t)
    if (rank == 0) {
      for (int from = 1; from < size; ++from)
        MPI_Recv(work, 0, MPI_INT, from, 8, comm, MPI_STATUS_IGNORE);
      for (int to = 1; to < size; ++to)
        MPI_Send(work, 0, MPI_INT, to, 8, comm);
    } else {
      MPI_Send(work, 0, MPI_INT, 0, 8, comm);
      MPI_Recv(work, 0, MPI_INT, 0, 8, comm, MPI_STATUS_IGNORE);
    }
}

PROGRAM(near_barrier_neighbors) { /* only neighbors wait for each other */
  for (int t = 0; t < times; ++t)
    shift(work, work, 0, (rank + 1) % size, (rank + size - 1) % size, 8, comm);
}

PROGRAM(near_barrier_data) { /* dissemination of something */
  for (int t = 0; t < times; ++t)
    for (int by = 1; by < size; by <<= 1) {
      fresh(send_buffer, 1, rank);
      shift(send_buffer, work, 1, (rank + by) % size, (rank + size - by) % size, 8, comm);
    }
}

/* Reductions. */

PROGRAM(reduce_linear) {
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank == 0)
      for (int from = 1; from < size; ++from) {
        MPI_Recv(receive_buffer, block, MPI_INT, from, 9, comm, MPI_STATUS_IGNORE);
        add(work, receive_buffer, block);
      }
    else
      MPI_Send(work, block, MPI_INT, 0, 9, comm);
  }
}

static inline __attribute__((always_inline)) void reduce_tree(int* values, int* room, int count, int rank,
                                                              int size, MPI_Comm comm) {
  for (int mask = 1; mask < size; mask <<= 1) {
    if (rank & mask) {
      MPI_Send(values, count, MPI_INT, rank - mask, 9, comm);
      return;
    }
    if (rank + mask < size) {
      MPI_Recv(room, count, MPI_INT, rank + mask, 9, comm, MPI_STATUS_IGNORE);
      add(values, room, count);
    }
  }
}

PROGRAM(reduce_binomial) {
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    reduce_tree(work, receive_buffer, block, rank, size, comm);
  }
}

PROGRAM(allreduce_doubling) {
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    for (int mask = 1; mask < size; mask <<= 1) {
      shift(work, receive_buffer, block, rank ^ mask, rank ^ mask, 10, comm);
      add(work, receive_buffer, block);
    }
  }
}

PROGRAM(allreduce_reduce_bcast) {
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    reduce_tree(work, receive_buffer, block, rank, size, comm);
    binomial_tree(work, block, 0, rank, size, comm);
  }
}

PROGRAM(allreduce_ring) { /* reduce_scatter, then allgather, of chunks */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      shift(work + block * out, receive_buffer, block, right, left, 10, comm);
      add(work + block * in, receive_buffer, block);
    }
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + 1 + size - step) % size, in = (rank + 2 * size - step) % size;
      shift(work + block * out, work + block * in, block, right, left, 10, comm);
    }
  }
}

PROGRAM(allreduce_rabenseifner) { /* halves are reduced and scattered, then gathered */
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t) {
    int from = 0;
    fresh(work, block * size, rank);
    for (int mask = size >> 1; mask > 0; mask >>= 1) {
      const int upper = (rank & mask) != 0;
      const int keep = from + (upper ? mask : 0), give = from + (upper ? 0 : mask);
      shift(work + block * give, receive_buffer, block * mask, rank ^ mask, rank ^ mask, 10, comm);
      add(work + block * keep, receive_buffer, block * mask);
      from = keep;
    }
    for (int mask = 1; mask < size; mask <<= 1) {
      const int mine = rank & ~(mask - 1), theirs = (rank ^ mask) & ~(mask - 1);
      shift(work + block * mine, work + block * theirs, block * mask, rank ^ mask, rank ^ mask, 10, comm);
    }
  }
}

/* Recursive doubling among the `core` ranks, the largest power of two; who is which of them, and whom each hosts. */
static inline __attribute__((always_inline)) void doubling_with_guest(int me, int core, int guest, int first,
                                                                      int others, MPI_Comm comm) {
  if (guest >= 0) {
    MPI_Recv(receive_buffer, block, MPI_INT, guest, 10, comm, MPI_STATUS_IGNORE);
    add(work, receive_buffer, block);
  }
  for (int mask = 1; mask < core; mask <<= 1) {
    const int peer = me ^ mask, rank = peer < others ? 2 * peer + first : peer + others;
    shift(work, receive_buffer, block, rank, rank, 10, comm);
    add(work, receive_buffer, block);
  }
}

PROGRAM(allreduce_folded) { /* of the first ranks every other one gives its value to the next, as in MPICH */
  int core = 1;
  while (2 * core <= size)
    core *= 2;
  const int folded = size - core;
  if (folded == 0)
    return;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank < 2 * folded && rank % 2 == 0) {
      MPI_Send(work, block, MPI_INT, rank + 1, 10, comm);
      MPI_Recv(work, block, MPI_INT, rank + 1, 10, comm, MPI_STATUS_IGNORE);
      continue;
    }
    const int hosts = rank < 2 * folded;
    doubling_with_guest(hosts ? rank / 2 : rank - folded, core, hosts ? rank - 1 : -1, 1, folded, comm);
    if (hosts)
      MPI_Send(work, block, MPI_INT, rank - 1, 10, comm);
  }
}

PROGRAM(allreduce_folded_last) { /* the last ranks give their values to the first ones, as in the BLACS */
  int core = 1;
  while (2 * core <= size)
    core *= 2;
  if (core == size)
    return;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank >= core) {
      MPI_Send(work, block, MPI_INT, rank - core, 10, comm);
      MPI_Recv(work, block, MPI_INT, rank - core, 10, comm, MPI_STATUS_IGNORE);
      continue;
    }
    doubling_with_guest(rank, core, rank + core < size ? rank + core : -1, 0, 0, comm);
    if (rank + core < size)
      MPI_Send(work, block, MPI_INT, rank + core, 10, comm);
  }
}

PROGRAM(near_allreduce_other_answer) { /* folded, but a guest gets something else than the sum */
  int core = 1;
  while (2 * core <= size)
    core *= 2;
  if (core == size)
    return;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank >= core) {
      MPI_Send(work, block, MPI_INT, rank - core, 10, comm);
      MPI_Recv(work, block, MPI_INT, rank - core, 10, comm, MPI_STATUS_IGNORE);
      continue;
    }
    doubling_with_guest(rank, core, rank + core < size ? rank + core : -1, 0, 0, comm);
    if (rank + core < size) {
      fresh(work, block, rank);
      MPI_Send(work, block, MPI_INT, rank + core, 10, comm);
    }
  }
}

PROGRAM(near_reduce_scatter_short) { /* the ring of a reduce_scatter, left one step too early */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 0; step + 2 < size; ++step) {
      const int out = (rank + 2 * size - step - 1) % size, in = (rank + 2 * size - step - 2) % size;
      shift(work + block * out, receive_buffer, block, right, left, 11, comm);
      add(work + block * in, receive_buffer, block);
    }
  }
}

PROGRAM(near_scan_step) { /* only the first step of a scan by doubling */
  const int to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, from = rank >= 1 ? rank - 1 : MPI_PROC_NULL;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    shift(work, receive_buffer, block, to, from, 12, comm);
    if (from != MPI_PROC_NULL)
      add(work, receive_buffer, block);
  }
}

PROGRAM(reduce_scatter_ring) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + 2 * size - step - 1) % size, in = (rank + 2 * size - step - 2) % size;
      shift(work + block * out, receive_buffer, block, right, left, 11, comm);
      add(work + block * in, receive_buffer, block);
    }
  }
}

PROGRAM(reduce_scatter_halving) {
  if (!is_power_of_two(size))
    return;
  for (int t = 0; t < times; ++t) {
    int from = 0;
    fresh(work, block * size, rank);
    for (int mask = size >> 1; mask > 0; mask >>= 1) {
      const int upper = (rank & mask) != 0;
      const int keep = from + (upper ? mask : 0), give = from + (upper ? 0 : mask);
      shift(work + block * give, receive_buffer, block * mask, rank ^ mask, rank ^ mask, 11, comm);
      add(work + block * keep, receive_buffer, block * mask);
      from = keep;
    }
  }
}

PROGRAM(reduce_scatter_pairwise) { /* each block to its rank, which adds what comes */
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(work + block * to, receive_buffer, block, to, from, 11, comm);
      add(work + block * rank, receive_buffer, block);
    }
  }
}

PROGRAM(reduce_scatter_lengths) { /* the same, as long as the rank that adds wants it */
  for (int t = 0; t < times; ++t) {
    fresh(work, words * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      MPI_Sendrecv(work + words * to, 16 + 4 * to, MPI_INT, to, 11, receive_buffer, 16 + 4 * rank, MPI_INT,
                   from, 11, comm, MPI_STATUS_IGNORE);
      add(work + words * rank, receive_buffer, 16 + 4 * rank);
    }
  }
}

PROGRAM(reduce_scatter_nonblocking) { /* all sends first, then one receive after the other */
  MPI_Request requests[most_ranks];
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 1; step < size; ++step)
      MPI_Isend(work + block * ((rank + step) % size), block, MPI_INT, (rank + step) % size, 11, comm,
                &requests[step - 1]);
    for (int step = 1; step < size; ++step) {
      MPI_Recv(receive_buffer, block, MPI_INT, (rank + size - step) % size, 11, comm, MPI_STATUS_IGNORE);
      add(work + block * rank, receive_buffer, block);
    }
    MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(near_reduce_scatter_pairwise) { /* one rank's operand is left out everywhere */
  for (int t = 0; t < times; ++t) {
    fresh(work, block * size, rank);
    for (int step = 2; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(work + block * to, receive_buffer, block, to, from, 11, comm);
      add(work + block * rank, receive_buffer, block);
    }
  }
}

PROGRAM(scan_chain) {
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank > 0) {
      MPI_Recv(receive_buffer, block, MPI_INT, rank - 1, 12, comm, MPI_STATUS_IGNORE);
      add(work, receive_buffer, block);
    }
    if (rank + 1 < size)
      MPI_Send(work, block, MPI_INT, rank + 1, 12, comm);
    MPI_Barrier(comm);
  }
}

PROGRAM(scan_doubling) { /* Hillis and Steele */
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    for (int by = 1; by < size; by <<= 1) {
      const int to = rank + by < size ? rank + by : MPI_PROC_NULL,
                from = rank >= by ? rank - by : MPI_PROC_NULL;
      shift(work, receive_buffer, block, to, from, 12, comm);
      if (from != MPI_PROC_NULL)
        add(work, receive_buffer, block);
    }
  }
}

PROGRAM(exscan_chain) { /* what came is the result; with the own operand it goes on */
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank > 0) {
      MPI_Recv(receive_buffer, block, MPI_INT, rank - 1, 12, comm, MPI_STATUS_IGNORE);
      add(work, receive_buffer, block);
    }
    if (rank + 1 < size)
      MPI_Send(work, block, MPI_INT, rank + 1, 12, comm);
    MPI_Barrier(comm);
  }
}

PROGRAM(exscan_doubling) { /* the sum of what came beside the one that is sent on */
  int* const before = work + block;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    memset(before, 0, block * sizeof *before);
    for (int by = 1; by < size; by <<= 1) {
      const int to = rank + by < size ? rank + by : MPI_PROC_NULL,
                from = rank >= by ? rank - by : MPI_PROC_NULL;
      shift(work, receive_buffer, block, to, from, 12, comm);
      if (from != MPI_PROC_NULL) {
        add(work, receive_buffer, block);
        add(before, receive_buffer, block);
      }
    }
  }
}

PROGRAM(
    near_exscan_window) { /* begins as an exscan of shifted operands, but everybody adds up two ranks and no more */
  const int to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, from = rank >= 1 ? rank - 1 : MPI_PROC_NULL;
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    shift(send_buffer, work, block, to, from, 12, comm);
    shift(work, receive_buffer, block, rank >= 1 ? to : MPI_PROC_NULL, rank >= 2 ? from : MPI_PROC_NULL, 12,
          comm);
    if (rank >= 2)
      add(work, receive_buffer, block);
  }
}

PROGRAM(near_reduce_systolic) { /* blocks travel around the ring and are changed everywhere */
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    for (int step = 0; step + 1 < size; ++step) {
      shift(work, receive_buffer, block, right, left, 10, comm);
      for (int i = 0; i < block; ++i)
        work[i] = receive_buffer[i] * 3 + rank;
    }
  }
}

PROGRAM(near_reduce_partial) { /* half of the ranks */
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    if (rank == 0)
      for (int from = 1; from < (size + 1) / 2; ++from) {
        MPI_Recv(receive_buffer, block, MPI_INT, from, 9, comm, MPI_STATUS_IGNORE);
        add(work, receive_buffer, block);
      }
    else if (rank < (size + 1) / 2)
      MPI_Send(work, block, MPI_INT, 0, 9, comm);
  }
}

/* Halos. `grid` is a periodic grid in two dimensions, as square as possible. */

static void make_grid(int rank, int size, int neighbors[4]) { /* left, right, up, down */
  int rows = 1;
  for (int r = 2; r * r <= size; ++r)
    if (size % r == 0)
      rows = r;
  const int columns = size / rows, row = rank / columns, column = rank % columns;
  neighbors[0] = row * columns + (column + columns - 1) % columns;
  neighbors[1] = row * columns + (column + 1) % columns;
  neighbors[2] = (row + rows - 1) % rows * columns + column;
  neighbors[3] = (row + 1) % rows * columns + column;
}

PROGRAM(halo_line) { /* two Sendrecv on a line with two ends */
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int t = 0; t < times; ++t) {
    fresh(work + 64, 128, rank);
    MPI_Sendrecv(work + 64, 64, MPI_INT, left, 13, work + 192, 64, MPI_INT, right, 13, comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(work + 128, 64, MPI_INT, right, 13, work, 64, MPI_INT, left, 13, comm, MPI_STATUS_IGNORE);
  }
}

PROGRAM(halo_line_both) { /* with one neighbor after the other */
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int t = 0; t < times; ++t) {
    fresh(work + 64, 128, rank);
    MPI_Sendrecv(work + 64, 64, MPI_INT, left, 13, work, 64, MPI_INT, left, 13, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(work + 128, 64, MPI_INT, right, 13, work + 192, 64, MPI_INT, right, 13, comm,
                 MPI_STATUS_IGNORE);
  }
}

PROGRAM(halo_line_nonblocking) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  for (int t = 0; t < times; ++t) {
    fresh(work + 64, 128, rank);
    MPI_Irecv(work, 64, MPI_INT, left, 13, comm, &requests[0]);
    MPI_Irecv(work + 192, 64, MPI_INT, right, 14, comm, &requests[1]);
    MPI_Isend(work + 64, 64, MPI_INT, left, 14, comm, &requests[2]);
    MPI_Isend(work + 128, 64, MPI_INT, right, 13, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(near_halo_center) { /* rank 1 has a question for each other rank, which answers */
  for (int t = 0; t < times; ++t)
    for (int other = 0; other < size; ++other) {
      if (other == 1)
        continue;
      if (rank == 1) {
        fresh(work, block, rank);
        MPI_Send(work, block, MPI_INT, other, 13, comm);
        MPI_Recv(receive_buffer, block, MPI_INT, other, 14, comm, MPI_STATUS_IGNORE);
      } else if (rank == other) {
        MPI_Recv(receive_buffer, block, MPI_INT, 1, 13, comm, MPI_STATUS_IGNORE);
        fresh(work, block, rank);
        MPI_Send(work, block, MPI_INT, 1, 14, comm);
      }
    }
}

PROGRAM(halo_ring_nonblocking) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[4];
  for (int t = 0; t < times; ++t) {
    fresh(work + 64, 128, rank);
    MPI_Irecv(work, 64, MPI_INT, left, 13, comm, &requests[0]);
    MPI_Irecv(work + 192, 64, MPI_INT, right, 14, comm, &requests[1]);
    MPI_Isend(work + 64, 64, MPI_INT, left, 14, comm, &requests[2]);
    MPI_Isend(work + 128, 64, MPI_INT, right, 13, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(halo_ring_persistent) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Request requests[4];
  MPI_Recv_init(work, 64, MPI_INT, left, 13, comm, &requests[0]);
  MPI_Recv_init(work + 192, 64, MPI_INT, right, 14, comm, &requests[1]);
  MPI_Send_init(work + 64, 64, MPI_INT, left, 14, comm, &requests[2]);
  MPI_Send_init(work + 128, 64, MPI_INT, right, 13, comm, &requests[3]);
  for (int t = 0; t < times; ++t) {
    fresh(work + 64, 128, rank);
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; ++i)
    MPI_Request_free(&requests[i]);
}

PROGRAM(halo_grid_lines) { /* four Sendrecv, edges packed apart: no corners */
  int neighbors[4];
  make_grid(rank, size, neighbors);
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 4 * block, rank);
    MPI_Sendrecv(send_buffer, block, MPI_INT, neighbors[0], 15, receive_buffer, block, MPI_INT, neighbors[1],
                 15, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(send_buffer + block, block, MPI_INT, neighbors[1], 16, receive_buffer + block, block,
                 MPI_INT, neighbors[0], 16, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(send_buffer + 2 * block, block, MPI_INT, neighbors[2], 17, receive_buffer + 2 * block, block,
                 MPI_INT, neighbors[3], 17, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(send_buffer + 3 * block, block, MPI_INT, neighbors[3], 18, receive_buffer + 3 * block, block,
                 MPI_INT, neighbors[2], 18, comm, MPI_STATUS_IGNORE);
  }
}

PROGRAM(halo_grid_nonblocking) {
  int neighbors[4];
  MPI_Request requests[8];
  make_grid(rank, size, neighbors);
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 4 * block, rank);
    for (int d = 0; d < 4; ++d)
      MPI_Irecv(receive_buffer + d * block, block, MPI_INT, neighbors[d], 20 + (d ^ 1), comm, &requests[d]);
    for (int d = 0; d < 4; ++d)
      MPI_Isend(send_buffer + d * block, block, MPI_INT, neighbors[d], 20 + d, comm, &requests[4 + d]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(halo_grid_corners) { /* dimension by dimension: the second one sends what the first one brought */
  int neighbors[4];
  enum { n = 16, wide = n + 2 };
  static int field[wide * wide];
  MPI_Datatype column;
  make_grid(rank, size, neighbors);
  MPI_Type_vector(n, 1, wide, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int t = 0; t < times; ++t) {
    fresh(field, wide * wide, rank);
    MPI_Sendrecv(field + wide + 1, 1, column, neighbors[0], 15, field + wide + n + 1, 1, column, neighbors[1],
                 15, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field + wide + n, 1, column, neighbors[1], 16, field + wide, 1, column, neighbors[0], 16,
                 comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field + wide, wide, MPI_INT, neighbors[2], 17, field + (n + 1) * wide, wide, MPI_INT,
                 neighbors[3], 17, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field + n * wide, wide, MPI_INT, neighbors[3], 18, field, wide, MPI_INT, neighbors[2], 18,
                 comm, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
}

PROGRAM(halo_staggered) { /* two components go up and one goes down, as on a staggered grid */
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[6];
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 3 * block, rank);
    MPI_Irecv(receive_buffer, block, MPI_INT, left, 13, comm, &requests[0]);
    MPI_Irecv(receive_buffer + block, block, MPI_INT, left, 14, comm, &requests[1]);
    MPI_Irecv(receive_buffer + 2 * block, block, MPI_INT, right, 15, comm, &requests[2]);
    MPI_Isend(send_buffer, block, MPI_INT, right, 13, comm, &requests[3]);
    MPI_Isend(send_buffer + block, block, MPI_INT, right, 14, comm, &requests[4]);
    MPI_Isend(send_buffer + 2 * block, block, MPI_INT, left, 15, comm, &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
  }
}

PROGRAM(near_halo_dependent) { /* what goes left has in it what came from the left */
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    MPI_Sendrecv(send_buffer, block, MPI_INT, right, 13, work, block, MPI_INT, left, 13, comm,
                 MPI_STATUS_IGNORE);
    add(work, send_buffer, block);
    MPI_Sendrecv(work, block, MPI_INT, left, 14, receive_buffer, block, MPI_INT, right, 14, comm,
                 MPI_STATUS_IGNORE);
  }
}

/* Rows and columns of a grid, as communicators. */

static MPI_Comm line_of_grid(int rank, int size, int of_rows, MPI_Comm comm) {
  int rows = 1;
  for (int r = 2; r * r <= size; ++r)
    if (size % r == 0)
      rows = r;
  const int columns = size / rows, row = rank / columns, column = rank % columns;
  MPI_Comm line;
  MPI_Comm_split(comm, of_rows ? row : column, rank, &line);
  return line;
}

PROGRAM(rows_bcast) {
  MPI_Comm line = line_of_grid(rank, size, 1, comm);
  MPI_Comm_rank(line, &rank);
  MPI_Comm_size(line, &size);
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, block, rank);
    binomial_tree(work, block, 0, rank, size, line);
  }
  MPI_Comm_free(&line);
}

PROGRAM(rows_alltoall) {
  MPI_Comm line = line_of_grid(rank, size, 1, comm);
  MPI_Comm_rank(line, &rank);
  MPI_Comm_size(line, &size);
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int step = 1; step < size; ++step) {
      const int to = (rank + step) % size, from = (rank + size - step) % size;
      shift(send_buffer + block * to, receive_buffer + block * from, block, to, from, 7, line);
    }
  }
  MPI_Comm_free(&line);
}

PROGRAM(rows_allreduce) {
  MPI_Comm line = line_of_grid(rank, size, 1, comm);
  MPI_Comm_rank(line, &rank);
  MPI_Comm_size(line, &size);
  for (int t = 0; t < times; ++t) {
    fresh(work, block, rank);
    reduce_tree(work, receive_buffer, block, rank, size, line);
    binomial_tree(work, block, 0, rank, size, line);
  }
  MPI_Comm_free(&line);
}

PROGRAM(columns_allgather) {
  MPI_Comm line = line_of_grid(rank, size, 0, comm);
  MPI_Comm_rank(line, &rank);
  MPI_Comm_size(line, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int t = 0; t < times && size > 1; ++t) {
    fresh(work + block * rank, block, rank);
    for (int step = 0; step + 1 < size; ++step) {
      const int out = (rank + size - step) % size, in = (rank + 2 * size - step - 1) % size;
      shift(work + block * out, work + block * in, block, right, left, 6, line);
    }
  }
  MPI_Comm_free(&line);
}

PROGRAM(near_rows_bcast) { /* in the rows, but the last rank of each gets nothing */
  MPI_Comm line = line_of_grid(rank, size, 1, comm);
  MPI_Comm_rank(line, &rank);
  MPI_Comm_size(line, &size);
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block, rank);
      for (int to = 1; to + 1 < size; ++to)
        MPI_Send(work, block, MPI_INT, to, 1, line);
    } else if (rank + 1 < size) {
      MPI_Recv(work, block, MPI_INT, 0, 1, line, MPI_STATUS_IGNORE);
    }
  }
  MPI_Comm_free(&line);
}

/* Tags that count ranks, rounds or directions. */

PROGRAM(scatter_by_tag) {
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size, rank);
      for (int to = 1; to < size; ++to)
        MPI_Send(work + block * to, block, MPI_INT, to, to, comm);
    } else {
      MPI_Recv(work, block, MPI_INT, 0, rank, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(near_scatter_by_tag) { /* rank 1 gets nothing */
  for (int t = 0; t < times; ++t) {
    if (rank == 0) {
      fresh(work, block * size, rank);
      for (int to = 2; to < size; ++to)
        MPI_Send(work + block * to, block, MPI_INT, to, to, comm);
    } else if (rank > 1) {
      MPI_Recv(work, block, MPI_INT, 0, rank, comm, MPI_STATUS_IGNORE);
    }
  }
}

PROGRAM(gather_tree_by_tag) {
  for (int t = 0; t < times; ++t) {
    int have = 1;
    fresh(work, block, rank);
    for (int mask = 1; mask < size; mask <<= 1) {
      if (rank & mask) {
        MPI_Send(work, block * have, MPI_INT, rank - mask, mask, comm);
        break;
      }
      if (rank + mask < size) {
        const int theirs = size - rank - mask < mask ? size - rank - mask : mask;
        MPI_Recv(work + block * have, block * theirs, MPI_INT, rank + mask, mask, comm, MPI_STATUS_IGNORE);
        have += theirs;
      }
    }
  }
}

static inline __attribute__((always_inline)) void doubling(int count, int rank, int size, int tag_step,
                                                           MPI_Comm comm) {
  fresh(work + count * rank, count, rank);
  for (int mask = 1; mask < size; mask <<= 1) {
    const int peer = rank ^ mask, mine = rank & ~(mask - 1), theirs = peer & ~(mask - 1);
    shift(work + count * mine, work + count * theirs, count * mask, peer, peer, tag_step * mask, comm);
  }
}

PROGRAM(allgather_doubling_by_tag) {
  for (int t = 0; is_power_of_two(size) && t < times; ++t)
    doubling(block, rank, size, 1, comm);
}

PROGRAM(allgather_doubling_tiny) { /* 4 B from each */
  for (int t = 0; is_power_of_two(size) && t < times; ++t)
    doubling(1, rank, size, 0, comm);
}

PROGRAM(halo_directions) { /* one line for all directions, each with its tag */
  int neighbors[4];
  make_grid(rank, size, neighbors);
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 4 * block, rank);
    for (int d = 0; d < 4; ++d)
      shift(send_buffer + d * block, receive_buffer + d * block, block, neighbors[d], neighbors[d ^ 1],
            15 + d, comm);
  }
}

/* A library, in which one line sends everything: what it is used for shows only by who calls it. */

static int library_calls;

static __attribute__((noinline, noclone)) void library_send(const int* values, int count, int to, int tag,
                                                            MPI_Comm comm) {
  MPI_Send(values, count, MPI_INT, to, tag, comm);
  ++library_calls; /* no tail call */
}

static __attribute__((noinline, noclone)) void library_receive(int* values, int count, int from, int tag,
                                                               MPI_Comm comm) {
  MPI_Recv(values, count, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
  ++library_calls;
}

static __attribute__((noinline, noclone)) void library_shift(const int* out, int* in, int to, int from,
                                                             int tag, MPI_Comm comm) {
  shift(out, in, block, to, from, tag, comm);
  ++library_calls;
}

static __attribute__((noinline, noclone)) void library_broadcast(int* values, int rank, int size,
                                                                 MPI_Comm comm) {
  int mask = 1;
  for (; mask < size; mask <<= 1)
    if (rank & mask) {
      library_receive(values, block, rank - mask, 2, comm);
      break;
    }
  for (mask >>= 1; mask > 0; mask >>= 1)
    if (rank + mask < size)
      library_send(values, block, rank + mask, 2, comm);
}

/* To both neighbors on a ring; even ranks send first. */
static __attribute__((noinline, noclone)) void library_halo(int rank, int size, MPI_Comm comm) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int turn = 0; turn < 2; ++turn)
    if (rank % 2 == turn) {
      library_send(send_buffer, block, left, 2, comm);
      library_send(send_buffer + block, block, right, 2, comm);
    } else {
      library_receive(receive_buffer, block, right, 2, comm);
      library_receive(receive_buffer + block, block, left, 2, comm);
    }
}

PROGRAM(library_broadcast_and_halo) { /* one tag, one communicator */
  if (size % 2 != 0)
    return;
  for (int t = 0; t < times; ++t) {
    if (rank == 0)
      fresh(work, block, rank);
    library_broadcast(work, rank, size, comm);
    fresh(send_buffer, 2 * block, rank);
    library_halo(rank, size, comm);
  }
}

PROGRAM(library_halo_grid) { /* four lines of one function, and one of the library */
  int neighbors[4];
  make_grid(rank, size, neighbors);
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, 4 * block, rank);
    library_shift(send_buffer, receive_buffer, neighbors[0], neighbors[1], 15, comm);
    library_shift(send_buffer + block, receive_buffer + block, neighbors[1], neighbors[0], 15, comm);
    library_shift(send_buffer + 2 * block, receive_buffer + 2 * block, neighbors[2], neighbors[3], 15, comm);
    library_shift(send_buffer + 3 * block, receive_buffer + 3 * block, neighbors[3], neighbors[2], 15, comm);
  }
}

PROGRAM(library_alltoall) { /* through the line that does halos, too */
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block * size, rank);
    for (int by = 1; by < size; ++by)
      library_shift(send_buffer + block * ((rank + by) % size),
                    receive_buffer + block * ((rank + size - by) % size), (rank + by) % size,
                    (rank + size - by) % size, 15, comm);
  }
}

/* What is none of these. */

PROGRAM(cannon) { /* rows hand on the blocks of one matrix, columns those of another */
  int neighbors[4];
  make_grid(rank, size, neighbors);
  fresh(send_buffer, block, rank);
  fresh(work, block, rank);
  for (int t = 0; t < 2 * times; ++t) {
    MPI_Sendrecv_replace(send_buffer, block, MPI_INT, neighbors[0], 21, neighbors[1], 21, comm,
                         MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(work, block, MPI_INT, neighbors[2], 22, neighbors[3], 22, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i)
      receive_buffer[i] += send_buffer[i] * work[i];
  }
}

PROGRAM(near_cannon_sums) { /* the blocks that go around collect a sum on their way */
  int neighbors[4];
  make_grid(rank, size, neighbors);
  fresh(send_buffer, block, rank);
  for (int t = 0; t < 2 * times; ++t) {
    MPI_Sendrecv_replace(send_buffer, block, MPI_INT, neighbors[0], 21, neighbors[1], 21, comm,
                         MPI_STATUS_IGNORE);
    for (int i = 0; i < block; ++i)
      send_buffer[i] += rank + i;
  }
}

PROGRAM(ring_shift) {
  for (int t = 0; t < times; ++t) {
    fresh(send_buffer, block, rank);
    shift(send_buffer, receive_buffer, block, (rank + 1) % size, (rank + size - 1) % size, 21, comm);
  }
}

PROGRAM(pipeline) { /* a wavefront: many blocks one after the other through all ranks */
  for (int t = 0; t < 4 * times; ++t) {
    if (rank > 0)
      MPI_Recv(work, block, MPI_INT, rank - 1, 22, comm, MPI_STATUS_IGNORE);
    else
      fresh(work, block, rank);
    for (int i = 0; i < block; ++i)
      work[i] = work[i] * 5 + rank;
    if (rank + 1 < size)
      MPI_Send(work, block, MPI_INT, rank + 1, 22, comm);
  }
}

PROGRAM(changing_partners) { /* everybody sends to a rank that changes, of a size that changes */
  unsigned state = 12345;
  for (int t = 0; t < 3 * times; ++t) {
    state = state * 1103515245u + 12345u;
    const int by = 1 + (int)(state >> 16) % (size - 1), count = 8 + (int)(state >> 20) % 100;
    fresh(send_buffer, count, rank);
    shift(send_buffer, receive_buffer, count, (rank + by) % size, (rank + size - by) % size, 23, comm);
  }
}

PROGRAM(ping_pong) {
  for (int t = 0; t < times && rank < 2; ++t) {
    if (rank == 0) {
      fresh(work, block, rank);
      MPI_Send(work, block, MPI_INT, 1, 24, comm);
      MPI_Recv(work, block, MPI_INT, 1, 24, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(work, block, MPI_INT, 0, 24, comm, MPI_STATUS_IGNORE);
      add(work, work, block);
      MPI_Send(work, block, MPI_INT, 0, 24, comm);
    }
  }
}

static const struct {
  const char* name;
  void (*run)(MPI_Comm, int, int);
} programs[] = {
#define ENTRY(name) {#name, program_##name}
    ENTRY(bcast_linear),
    ENTRY(bcast_ring),
    ENTRY(bcast_binomial),
    ENTRY(bcast_tiny_tree),
    ENTRY(bcast_tiny_linear),
    ENTRY(near_bcast_changed),
    ENTRY(near_bcast_partial),
    ENTRY(near_bcast_other_bytes),
    ENTRY(scatter_linear),
    ENTRY(scatter_tree),
    ENTRY(scatterv_linear),
    ENTRY(scatterv_nonblocking),
    ENTRY(near_scatter_missing),
    ENTRY(gather_linear),
    ENTRY(gather_any_source),
    ENTRY(gather_tree),
    ENTRY(gatherv_linear),
    ENTRY(gatherv_nonblocking),
    ENTRY(near_gather_farm),
    ENTRY(gather_two_messages),
    ENTRY(gatherv_on_request),
    ENTRY(gather_changing_root),
    ENTRY(near_gather_missing),
    ENTRY(allgather_ring),
    ENTRY(allgather_doubling),
    ENTRY(allgather_bruck),
    ENTRY(allgather_direct),
    ENTRY(allgatherv_ring),
    ENTRY(allgatherv_direct),
    ENTRY(near_allgather_open),
    ENTRY(alltoall_nonblocking),
    ENTRY(alltoall_shifts),
    ENTRY(alltoall_pairs),
    ENTRY(alltoallv_shifts),
    ENTRY(alltoallv_nonblocking),
    ENTRY(near_alltoall_missing),
    ENTRY(alltoall_one_buffer),
    ENTRY(alltoallv_one_buffer),
    ENTRY(near_alltoall_pair),
    ENTRY(barrier_dissemination),
    ENTRY(barrier_butterfly),
    ENTRY(barrier_linear),
    ENTRY(near_barrier_neighbors),
    ENTRY(near_barrier_data),
    ENTRY(reduce_linear),
    ENTRY(reduce_binomial),
    ENTRY(allreduce_doubling),
    ENTRY(allreduce_reduce_bcast),
    ENTRY(allreduce_ring),
    ENTRY(allreduce_rabenseifner),
    ENTRY(allreduce_folded),
    ENTRY(allreduce_folded_last),
    ENTRY(near_allreduce_other_answer),
    ENTRY(near_reduce_scatter_short),
    ENTRY(near_scan_step),
    ENTRY(reduce_scatter_ring),
    ENTRY(reduce_scatter_halving),
    ENTRY(scan_chain),
    ENTRY(scan_doubling),
    ENTRY(exscan_chain),
    ENTRY(exscan_doubling),
    ENTRY(near_exscan_window),
    ENTRY(near_reduce_systolic),
    ENTRY(near_reduce_partial),
    ENTRY(halo_line),
    ENTRY(halo_ring_nonblocking),
    ENTRY(halo_ring_persistent),
    ENTRY(halo_grid_lines),
    ENTRY(halo_grid_nonblocking),
    ENTRY(halo_grid_corners),
    ENTRY(halo_staggered),
    ENTRY(near_halo_dependent),
    ENTRY(rows_bcast),
    ENTRY(rows_alltoall),
    ENTRY(rows_allreduce),
    ENTRY(columns_allgather),
    ENTRY(near_rows_bcast),
    ENTRY(scatter_by_tag),
    ENTRY(near_scatter_by_tag),
    ENTRY(gather_tree_by_tag),
    ENTRY(allgather_doubling_by_tag),
    ENTRY(allgather_doubling_tiny),
    ENTRY(halo_directions),
    ENTRY(library_broadcast_and_halo),
    ENTRY(library_halo_grid),
    ENTRY(library_alltoall),
    ENTRY(ring_shift),
    ENTRY(pipeline),
    ENTRY(changing_partners),
    ENTRY(scatter_one_buffer),
    ENTRY(scatterv_one_buffer),
    ENTRY(scatter_tree_tiny),
    ENTRY(gatherv_one_place),
    ENTRY(gather_tree_tiny),
    ENTRY(allgather_ring_tiny),
    ENTRY(allgatherv_ring_tiny),
    ENTRY(allgather_bruck_tiny),
    ENTRY(allgather_direct_tiny),
    ENTRY(allgather_systolic),
    ENTRY(near_allgather_maximum),
    ENTRY(alltoallv_empty),
    ENTRY(alltoallv_empty_messages),
    ENTRY(near_alltoallv_half),
    ENTRY(alltoall_into_one_buffer),
    ENTRY(alltoall_equal_numbers),
    ENTRY(alltoall_equal_numbers_one_buffer),
    ENTRY(reduce_scatter_pairwise),
    ENTRY(reduce_scatter_lengths),
    ENTRY(reduce_scatter_nonblocking),
    ENTRY(near_reduce_scatter_pairwise),
    ENTRY(halo_line_both),
    ENTRY(halo_line_nonblocking),
    ENTRY(near_halo_center),
    ENTRY(cannon),
    ENTRY(scatter_backwards),
    ENTRY(alltoall_packed),
    ENTRY(halo_mesh),
    ENTRY(near_cannon_sums),
    ENTRY(ping_pong),
};

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  truth_random_state += 7919ul * (unsigned long)rank;
  for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
    int wanted = argc < 2;
    for (int a = 1; a < argc; ++a)
      wanted = wanted || strcmp(argv[a], programs[i].name) == 0;
    if (!wanted)
      continue;
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    programs[i].run(own, rank, size);
    MPI_Barrier(own);
    MPI_Comm_free(&own);
  }
  MPI_Finalize();
  return 0;
}
