#include "runtime/executor/plan_log.h"

#include "vocabulary/base/amounts.h"
#include "vocabulary/base/task_record.h"
#include "vocabulary/base/whole_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

/// Returns what is wrong, with the file's name.
std::string write(const std::string& folder, const std::string& name, const std::string& content) {
  const std::string path = (std::filesystem::path(folder) / name).string();
  const int error = vocabulary::write_whole_file(path, content);
  return error == 0 ? "" : fmt::format("could not write {}: {}", path, std::strerror(error));
}

} // namespace

void plan_log::keep(const std::vector<tasks::command>& commands) {
  const std::size_t room = most_ - commands_.size(), kept = std::min(room, commands.size());
  commands_.insert(commands_.end(), commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(kept));
  left_out_ += commands.size() - kept;
}

std::string plan_log::command_text(const tasks::planner& plan) const {
  std::string out;
  for (const tasks::command& c : commands_)
    out += text_of(c, plan.buffers()) + "\n";
  return left_out_ == 0 ? out : out + fmt::format("(and {} later commands)\n", left_out_);
}

std::string plan_log::write_json(const std::string& folder, const tasks::planner& plan,
                                 std::uint64_t limit) const {
  const std::string content = explain_json(plan, commands_);
  if (content.size() > limit)
    return fmt::format("{} is left out: its {} are more than a tenth of what the recording may take",
                       vocabulary::task_record, vocabulary::readable_bytes(content.size()));
  return write(folder, vocabulary::task_record, content);
}

std::string plan_log::write_all(const std::string& folder, const tasks::planner& plan, bool task_graph,
                                const std::string& summary) const {
  const auto rank = static_cast<std::uint64_t>(plan.options().me);
  std::error_code ignored; // what follows says it
  std::filesystem::create_directories(folder, ignored);
  std::vector<std::string> wrong{
      write(folder, fmt::format("commands-{}.txt", rank), command_text(plan)),
      write(folder, fmt::format("commands-{}.dot", rank), dot_of_commands(commands_, plan.buffers()))};
  if (task_graph) {
    wrong.push_back(write(folder, "tasks.txt", summary + "\n" + explain_text(plan)));
    wrong.push_back(write(folder, "tasks.dot", dot_of_tasks(plan)));
    wrong.push_back(write_json(folder, plan));
  }
  const auto first = std::ranges::find_if(wrong, [](const std::string& w) { return !w.empty(); });
  return first == wrong.end() ? "" : *first;
}

} // namespace tacit::runtime
