"""Neighborhood collectives of a Python program that knows nothing of tacit."""
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
left, right = (rank - 1) % size, (rank + 1) % size
ring = world.Create_cart([size], periods=[True])
graph = world.Create_dist_graph_adjacent([left, right], [right, left])
# Edges that contradict each other, on communicators that nobody uses: nothing may be said of them.
unused = [world.Create_dist_graph_adjacent([], [right] if rank == 0 else []) for _ in range(5)]


def exchange(comm, nonblocking, kind):
    mine = array("i", [10 * rank, 10 * rank + 1])
    theirs = array("i", [-1, -1])
    call = getattr(comm, ("Ineighbor_" if nonblocking else "Neighbor_") + kind)
    if kind == "allgather":
        arguments = [mine, 1, MPI.INT], [theirs, 1, MPI.INT]
    elif kind == "alltoallv":
        arguments = (mine, [1, 1], [0, 1], MPI.INT), (theirs, [1, 1], [0, 1], MPI.INT)
    else:
        arguments = [mine, MPI.INT], [theirs, MPI.INT]
    request = call(*arguments)
    if nonblocking:
        MPI.Request.Waitall([request, MPI.REQUEST_NULL])
    return list(theirs)


for nonblocking in False, True:
    assert exchange(ring, nonblocking, "alltoall") == [10 * left + 1, 10 * right]
    assert exchange(ring, nonblocking, "alltoallv") == [10 * left + 1, 10 * right]
    assert exchange(ring, nonblocking, "allgather") == [10 * left, 10 * right]
    # I send first to the right, second to the left; I hear first from the left, second from the right.
    assert exchange(graph, nonblocking, "alltoall") == [10 * left, 10 * right + 1]
assert ring.neighbor_alltoall([("to left", rank), ("to right", rank)]) == [("to right", left), ("to left", right)]
if hasattr(MPI.Request, "get_status_all"):  # mpi4py 4.1, where the library has it
    theirs = array("i", [-1, -1])
    ring.Neighbor_alltoall([array("i", [rank, rank]), MPI.INT], [theirs, MPI.INT])
    request = ring.Ineighbor_alltoall([array("i", [rank, rank]), MPI.INT], [theirs, MPI.INT])
    while not MPI.Request.get_status_all([request, MPI.REQUEST_NULL]):
        pass
    while MPI.Request.get_status_any([MPI.REQUEST_NULL, request]) != (1, True):
        pass
    assert list(theirs) == [left, right]
    request.Wait()
    if rank == 0:
        print("queried")
if rank == 0:
    print("done")
