#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "surface/cli/launch_line.h"
#include "surface/cli/result_folder.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace tacit::surface {
namespace {

int view(const std::string& folder) {
  std::error_code error;
  const std::filesystem::path given = folder;
  if (!std::filesystem::exists(given, error))
    throw user_error(wrong_usage, fmt::format("there is no file or folder {}; check the name", folder));
  const std::filesystem::path page =
      std::filesystem::is_directory(given, error) ? given / "report.html" : given;
  if (!std::filesystem::exists(page, error))
    throw user_error(wrong_usage,
                     !has_recording(given)
                         ? fmt::format("there is neither a report nor a recording in {}", folder)
                         : fmt::format("there is no {}; 'tacit analyze {} --format html -o {}' writes it",
                                       page.string(), folder, page.string()));
  const std::string path = std::filesystem::absolute(page).string();
  write_file({}, path + "\n");
  const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (desktop && !find_executable("xdg-open").empty())
    return run_child({"xdg-open", path}).exit_code == 0 ? done : input_has_errors;
  return done;
}

} // namespace

command add_view(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("view", "say where a report is, and open it if there is a desktop");
  sub->add_option("FOLDER", *folder, "folder that tacit run wrote")->required();
  return [folder] { return view(*folder); };
}

} // namespace tacit::surface
