/* Functions with the names of MPI's, for mpi_importer.c. */
int MPI_Isend(void);
int MPI_Waitall(void);
int PMPI_Barrier(void);
int unrelated_function(void);

int MPI_Isend(void) {
  return 0;
}
int MPI_Waitall(void) {
  return 0;
}
int PMPI_Barrier(void) {
  return 0;
}
int unrelated_function(void) {
  return 0;
}
