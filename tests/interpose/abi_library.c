/* Stands for the library of the standard MPI ABI, which an interposer of another binary interface has to refuse: its
   handles are constants that no other library understands. Built as libmpi_abi.so.1; it says of itself what MPICH 5 does. */
#include <string.h>

int PMPI_Get_library_version(char* version, int* length);
int PMPI_Init(int* argc, char*** argv);
int PMPI_Comm_rank(void* comm, int* rank);
int PMPI_Finalize(void);

int PMPI_Get_library_version(char* version, int* length) {
  strcpy(version, "MPICH Version:      5.0.2\nMPICH ABI:          0:0:0");
  *length = (int)strlen(version);
  return 0;
}
int PMPI_Init(int* argc, char*** argv) {
  (void)argc, (void)argv;
  return 0;
}
int PMPI_Comm_rank(void* comm, int* rank) {
  *rank = comm == (void*)0x101 ? 0 : -1;
  return 0;
}
int PMPI_Finalize(void) {
  return 0;
}
int MPI_Get_library_version(char* version, int* length)
    __attribute__((weak, alias("PMPI_Get_library_version")));
int MPI_Init(int* argc, char*** argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Comm_rank(void* comm, int* rank) __attribute__((weak, alias("PMPI_Comm_rank")));
int MPI_Finalize(void) __attribute__((weak, alias("PMPI_Finalize")));
