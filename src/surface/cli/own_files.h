// What this installation is made for, and where its files are: relative to the program, so that a tree can be moved and a
// build tree works too.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace tacit::surface {

/// The MPI library that this command was built for: "openmpi", "mpich", "mpi-abi", or "" without MPI.
std::string own_mpi_family();

/// The file in the library folder that belongs to this program, or empty.
std::filesystem::path find_own_file(const char* name);

/// The folder to which `#include <tacit/…>` is relative, of this installation or of the tree that it was built in; or empty.
std::string own_include_folder();

/// Programs for one MPI family each, whose names begin so: the family and the path.
std::map<std::string, std::filesystem::path> find_own_programs(const std::string& start);

} // namespace tacit::surface
