// Where the machine model is kept and whether what is there fits this machine.
#pragma once

#include "graphs/platform/machine_model.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace tacit::graphs {

/// This host, and the MPI library that calls itself so (MPI_Get_library_version).
machine_identity this_machine(std::string_view library_version);

/// "Open MPI v4.1.4", "MPICH 4.0.2": the first words of MPI_Get_library_version.
std::string short_library_name(std::string_view library_version);

/// The kept_file() platform-HOST-LIBRARY.json, "…-caches.json" for a model of cores of a node that share no cache, "…-network.json"
/// for one between two hosts. Empty if there is no cache folder.
std::filesystem::path model_file(const machine_identity& machine, pair_class between = pair_class::same_node);

struct loaded_model {
  machine_model model;
  bool measured = false; ///< else `model` is the documented defaults
  std::string origin;    ///< one sentence: where it is from, or why not and what to do
};

/// Reads the file; if it is missing, damaged or of another machine, that is said and the defaults are taken.
/// `machine` null: of any machine. Never throws but std::bad_alloc.
loaded_model load_model(const std::filesystem::path& file, const machine_identity* machine);

/// The file that the variable TACIT_PLATFORM names ("default": none, take the defaults), of whatever machine with both ranks on one host, else
/// model_file(machine).
/// The defaults also if that was measured while the machine was busy, or on other pairs.
loaded_model load_model_for(const machine_identity& machine);
/// The kept model of pairs of that class, likewise; TACIT_PLATFORM does not count.
loaded_model load_model_between(pair_class between, const machine_identity& machine);

} // namespace tacit::graphs
