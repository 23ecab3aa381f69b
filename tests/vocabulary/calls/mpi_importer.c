/* Imports MPI functions in the ways there are: by a call, and by an address (PMPI_Barrier). */
int MPI_Isend(void);
int MPI_Waitall(void);
int PMPI_Barrier(void);
int unrelated_function(void);

static int (*volatile by_address)(void) = PMPI_Barrier;

int main(void) {
  return MPI_Isend() + MPI_Waitall() + by_address() + unrelated_function();
}
