"""What the programs of truth.c and truth.f90 mean, written down from their source.

A program's truth is a set of names: patterns, shapes, or kinds of traffic. ALSO names what it is besides on some numbers of
ranks (on three ranks two neighbors are everybody else). What a report claims of a program, found or by its shape, has to be in
one of the two; of a near miss nothing may be claimed."""

NEAR = set()  # nothing may be claimed
HALO = {"neighbor exchange"}


def powers_only(size):
    return size & (size - 1) == 0


def others_only(size):
    return not powers_only(size)


def always(_size):
    return True


def beyond_three(size):
    return size > 3


def row_length(size):
    """Of the grid of size ranks that is as square as possible."""
    return size // max(rows for rows in range(1, size) if rows * rows <= size and size % rows == 0)


def long_rows(size):
    return row_length(size) > 2  # a collective of two ranks is a message


def long_columns(size):
    return size // row_length(size) > 2


# name: (truth, ranks on which the program communicates so at all)
C_PROGRAMS = {
    "bcast_linear": ({"bcast"}, always), "bcast_ring": ({"bcast"}, always), "bcast_binomial": ({"bcast"}, always),
    "bcast_tiny_tree": ({"bcast"}, always), "bcast_tiny_linear": ({"bcast"}, always),
    "near_bcast_changed": (NEAR, always), "near_bcast_partial": (NEAR, always),
    "scatter_linear": ({"scatter"}, always), "scatter_tree": ({"scatter"}, always),
    "scatterv_linear": ({"scatterv"}, always), "scatterv_nonblocking": ({"scatterv"}, always),
    "near_scatter_missing": (NEAR, always),
    "gather_linear": ({"gather"}, always), "gather_any_source": ({"gather"}, always), "gather_tree": ({"gather"}, always),
    "gatherv_linear": ({"gatherv"}, always), "gatherv_nonblocking": ({"gatherv"}, always),
    "near_gather_farm": (NEAR, always),
    "allgather_ring": ({"allgather"}, always), "allgather_doubling": ({"allgather"}, powers_only),
    "allgather_bruck": ({"allgather"}, always), "allgather_direct": ({"allgather"}, always),
    "allgatherv_ring": ({"allgatherv"}, always), "allgatherv_direct": ({"allgatherv"}, always),
    "alltoall_nonblocking": ({"alltoall"}, always), "alltoall_shifts": ({"alltoall"}, always),
    "alltoall_pairs": ({"alltoall"}, powers_only),
    "alltoallv_shifts": ({"alltoallv"}, always), "alltoallv_nonblocking": ({"alltoallv"}, always),
    "near_alltoall_missing": (NEAR, always),
    "barrier_dissemination": ({"barrier"}, always), "barrier_butterfly": ({"barrier"}, powers_only),
    "barrier_linear": ({"barrier"}, always), "near_barrier_neighbors": (NEAR, always),
    "reduce_linear": ({"reduce"}, always), "reduce_binomial": ({"reduce"}, always),
    "allreduce_doubling": ({"allreduce"}, powers_only), "allreduce_reduce_bcast": ({"reduce", "bcast"}, always),
    "allreduce_ring": ({"reduce_scatter", "allgather"}, always),
    "reduce_scatter_ring": ({"reduce_scatter"}, always), "reduce_scatter_halving": ({"reduce_scatter"}, powers_only),
    "scan_chain": ({"scan"}, always), "scan_doubling": ({"scan"}, always),
    "exscan_chain": ({"exscan"}, always), "exscan_doubling": ({"exscan"}, always),
    "near_exscan_window": (NEAR, beyond_three),
    "near_reduce_systolic": (NEAR, always), "near_reduce_partial": (NEAR, always),
    "halo_line": (HALO, always), "halo_ring_nonblocking": (HALO, always), "halo_ring_persistent": (HALO, always),
    "halo_grid_lines": (HALO, always), "halo_grid_nonblocking": (HALO, always), "halo_grid_corners": (HALO, always),
    "library_broadcast_and_halo": ({"bcast", "neighbor exchange"}, lambda size: size % 2 == 0),
    "library_halo_grid": (HALO, always), "library_alltoall": ({"alltoall"}, always),
    "ring_shift": (NEAR, always), "pipeline": ({"pipeline"}, always), "changing_partners": (NEAR, always),
    "ping_pong": (NEAR, always),
    "near_bcast_other_bytes": (NEAR, always),
    "gather_two_messages": ({"gather"}, always), "gatherv_on_request": ({"gatherv"}, always),
    "gather_changing_root": ({"gather"}, always), "near_gather_missing": (NEAR, always),
    "near_allgather_open": (NEAR, always),
    "allgather_ring_tiny": ({"allgather"}, always), "allgatherv_ring_tiny": ({"allgatherv"}, always),
    "allgather_direct_tiny": ({"allgather"}, always), "near_allgather_maximum": (NEAR, always),
    "alltoall_equal_numbers": ({"alltoall"}, always), "alltoall_equal_numbers_one_buffer": ({"alltoall"}, always),
    "alltoall_into_one_buffer": ({"alltoall"}, always), "gatherv_one_place": ({"gatherv"}, always),
    "reduce_scatter_pairwise": ({"reduce_scatter"}, always), "reduce_scatter_lengths": ({"reduce_scatter"}, always),
    "reduce_scatter_nonblocking": ({"reduce_scatter"}, always), "near_reduce_scatter_pairwise": (NEAR, always),
    "allgather_bruck_tiny": ({"allgather"}, always), "allgather_systolic": ({"allgather"}, always),
    "gather_tree_tiny": ({"gather"}, always), "scatter_tree_tiny": ({"scatter"}, always),
    "scatter_one_buffer": ({"scatter"}, always), "scatterv_one_buffer": ({"scatterv"}, always),
    "scatter_backwards": ({"scatter"}, always), "alltoall_packed": ({"alltoall"}, always),
    "alltoallv_empty": ({"alltoallv"}, always), "alltoallv_empty_messages": ({"alltoallv"}, always),
    "near_alltoallv_half": (HALO, lambda size: size > 4), "halo_mesh": (HALO, always),
    "halo_line_both": (HALO, always), "halo_line_nonblocking": (HALO, always), "near_halo_center": (NEAR, always),
    "cannon": (NEAR, always), "near_cannon_sums": (NEAR, always),
    "alltoall_one_buffer": ({"alltoall"}, always), "alltoallv_one_buffer": ({"alltoallv"}, always),
    "near_alltoall_pair": (NEAR, always), "near_barrier_data": (NEAR, always),
    "allreduce_rabenseifner": ({"reduce_scatter", "allgather"}, powers_only),
    "allreduce_folded": ({"allreduce"}, others_only), "allreduce_folded_last": ({"allreduce"}, others_only),
    "near_allreduce_other_answer": (NEAR, others_only),
    "near_reduce_scatter_short": (NEAR, always), "near_scan_step": (NEAR, always),
    "halo_staggered": (HALO, always), "near_halo_dependent": (NEAR, always),
    "rows_bcast": ({"bcast"}, long_rows), "rows_alltoall": ({"alltoall"}, long_rows),
    "rows_allreduce": ({"reduce", "bcast"}, long_rows), "columns_allgather": ({"allgather"}, long_columns),
    "near_rows_bcast": (NEAR, long_rows),
    "scatter_by_tag": ({"scatter"}, always), "near_scatter_by_tag": (NEAR, beyond_three),
    "gather_tree_by_tag": ({"gather"}, always), "allgather_doubling_by_tag": ({"allgather"}, powers_only),
    "allgather_doubling_tiny": ({"allgather"}, powers_only), "halo_directions": (HALO, always),
}

FORTRAN_PROGRAMS = {
    "f_bcast_linear": ({"bcast"}, always), "f_bcast_tree": ({"bcast"}, always), "f_scatter": ({"scatter"}, always),
    "f_gather": ({"gather"}, always), "f_allgather_ring": ({"allgather"}, always),
    "f_allgather_ring_tiny": ({"allgather"}, always), "f_near_allgather_flags": (NEAR, always),
    "f_reduce_scatter": ({"reduce_scatter"}, always),
    "f_alltoall_shifts": ({"alltoall"}, always), "f_barrier_dissemination": ({"barrier"}, always),
    "f_reduce_tree": ({"reduce"}, always), "f_allreduce_doubling": ({"allreduce"}, powers_only),
    "f_exscan_chain": ({"exscan"}, always), "f_exscan_shifted": ({"exscan"}, always),
    "f_halo_columns": (HALO, always), "f_near_butterfly": (NEAR, powers_only),
}

# What a program is besides, on these numbers of ranks.
ALSO = {
    "near_bcast_changed": lambda size: {"pipeline"},
    # On three ranks rank 0 sends its block to both others, and the scan is only one message more.
    "scan_doubling": lambda size: {"bcast"} if size == 3 else set(),
    "exscan_doubling": lambda size: {"bcast"} if size == 3 else set(),
    # Two neighbors on a ring of three are all other ranks, and the blocks differ.
    "halo_ring_nonblocking": lambda size: {"alltoall"} if size == 3 else set(),
    "halo_ring_persistent": lambda size: {"alltoall"} if size == 3 else set(),
    "halo_grid_lines": lambda size: {"alltoall"} if size == 3 else set(),
    "halo_grid_nonblocking": lambda size: {"alltoall"} if size == 3 else set(),
    "library_halo_grid": lambda size: {"alltoall"} if size == 3 else set(),
    "halo_directions": lambda size: {"alltoall"} if size == 3 else set(),
    "halo_grid_corners": lambda size: {"alltoall"} if size == 3 else set(),
    "f_halo_columns": lambda size: {"alltoall"} if size == 3 else set(),
    "alltoall_one_buffer": lambda size: {"neighbor exchange"} if size == 3 else set(),
    "alltoallv_one_buffer": lambda size: {"neighbor exchange"} if size == 3 else set(),
    "alltoall_equal_numbers_one_buffer": lambda size: {"neighbor exchange"} if size == 3 else set(),
    # A halo all the same, but no single call.
    "near_halo_dependent": lambda size: {"neighbor exchange"} | ({"alltoall"} if size == 3 else set()),
    # Blocks that go around a ring of all ranks come to each of them; on a grid of two rows they are exchanged with neighbors.
    "cannon": lambda size: {"allgather"} if size == 3 else {"neighbor exchange"},
    "near_cannon_sums": lambda size: {"neighbor exchange", "pipeline"},
    # The mesh is complete.
    "halo_mesh": lambda size: {"alltoall"} if size == 3 else {"alltoallv"} if size == 4 else set(),
    # On three ranks the roots' turns are rounds of a ring; with guests, too, everybody meets the same ranks again.
    "gather_changing_root": lambda size: {"neighbor exchange"} if size == 3 else set(),
    # The answer to the only guest of 5 or 9 ranks can be compared with no other: by messages alone it is the sum.
    "near_allreduce_other_answer": lambda size: {"neighbor exchange"} | ({"allreduce"} if size in (5, 9) else set()),
    # The root of a tree of three ranks sends to each of the others.
    "near_bcast_other_bytes": lambda size: {"scatter"} if size == 3 else set(),
    # One number for every other rank.
    "near_barrier_data": lambda size: {"alltoall", "neighbor exchange"} if size == 3 else set(),
    # An alltoallv may have empty blocks; on three ranks rank 2 has both others for neighbors, and they only it.
    "near_alltoall_pair": lambda size: {"alltoallv"} if size > 3 else {"neighbor exchange"},
    # Two dimensions of two ranks each: every rank exchanges with the same two again and again.
    "f_near_butterfly": lambda size: {"neighbor exchange"},
}

# Advice that one call could do a whole round would be wrong here.
NO_SINGLE_CALL = {"halo_grid_corners", "near_halo_dependent"}
# Here it holds without a condition.
AT_ONCE = {"near_alltoall_pair", "near_alltoallv_half", "halo_mesh", "halo_line_nonblocking", "halo_ring_nonblocking",
           "halo_ring_persistent", "halo_grid_nonblocking", "halo_staggered"}
# Collectives that need memory which the messages did without, as the card has to say.
IN_ONE_ARRAY, WITH_ROOM, IN_ORDER = "in one array", "with room for", "in the order of the ranks"
NEEDS = {"scatter_one_buffer": IN_ONE_ARRAY, "scatterv_one_buffer": IN_ONE_ARRAY, "alltoall_packed": IN_ONE_ARRAY,
         "allgather_systolic": WITH_ROOM, "cannon": WITH_ROOM}
NEEDS_BEYOND_THREE = {"scatter_backwards": IN_ORDER}  # the root has two blocks for three ranks
# What it may say besides; of all other programs it may not say so.
MAY_NEED = {
    "near_bcast_other_bytes": IN_ONE_ARRAY,
    "scatter_backwards": IN_ORDER, "allgather_bruck": IN_ORDER,  # on three ranks two blocks, or messages of one block
    "allreduce_ring": IN_ORDER,  # rank r has the sum of chunk r + 1 first
    # On three ranks the left neighbor may come before the right one in memory, and after it among the ranks.
    "halo_ring_nonblocking": IN_ORDER, "halo_ring_persistent": IN_ORDER, "halo_grid_nonblocking": IN_ORDER,
}
