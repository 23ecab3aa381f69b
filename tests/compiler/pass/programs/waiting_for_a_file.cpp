// environment: OMPI_MCA_btl=self,tcp
// The same with what C++ has: streams, std::filesystem, threads.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mpi.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace {

constexpr int n = 400000;
std::vector<double> data(n), work(3000);
std::string folder;

inline __attribute__((always_inline)) void tell() {
  MPI_Send(data.data(), n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  for (double& one : data)
    one = 0;
  for (double& one : work)
    one = one * 1.0001 + 1;
}

std::string by_filesystem(const std::string& name) {
  tell();
  while (!std::filesystem::exists(name))
    ;
  return "a file";
}

std::string by_stream(const std::string& name) {
  std::string text;
  tell();
  std::ifstream(name) >> text;
  return text;
}

std::string by_thread(const std::string& name) {
  std::string text;
  std::thread reader([&] { std::ifstream(name) >> text; });
  tell();
  reader.join();
  return text;
}

void answer(const std::string& name) {
  MPI_Recv(data.data(), n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::ofstream(name) << "thanks\n";
}

} // namespace

int main(int argc, char** argv) {
  int rank = 0, level = 0;
  char name[] = "/tmp/tacit_waiting_XXXXXX";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !mkdtemp(name))
    MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  folder = name;
  // A pipe for each answer: who opens one for reading before its last writer has closed it finds nothing.
  const std::string pipe = folder + "/pipe", other = folder + "/other", file = folder + "/file";
  if (rank == 0) {
    mkfifo(pipe.c_str(), 0600);
    mkfifo(other.c_str(), 0600);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::string seen[3];
  if (rank == 0) {
    seen[0] = by_filesystem(file);
    seen[1] = by_stream(pipe);
    seen[2] = by_thread(other);
    for (const std::string& text : seen)
      std::puts(text.c_str());
  } else {
    answer(file);
    answer(pipe);
    answer(other);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    std::filesystem::remove_all(folder);
  MPI_Finalize();
}
