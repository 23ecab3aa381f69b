// What `tacit bench neighbor` measured, for people and machines.
#pragma once

#include "surface/report/page.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tacit::surface {

struct bench_result {
  std::string mpi, pattern; ///< "openmpi", "grid 2x2, periodic"
  int ranks = 0;
  std::vector<nlohmann::ordered_json> sizes; ///< lines of src/surface/trial/main.cpp
  double others = 0;                         ///< cores that were busy with other work before or after
};

nlohmann::ordered_json json_of(const std::vector<bench_result>& all);
/// One line per variant and size.
std::string csv_of(const std::vector<bench_result>& all);
surface::page page_of(const std::vector<bench_result>& all);

/// Whether what tacit itself did was right everywhere.
bool tacit_is_right(const std::vector<bench_result>& all);

} // namespace tacit::surface
