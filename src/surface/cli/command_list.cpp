#include "surface/cli/command_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

namespace tacit::surface {
namespace {

/// CLI11 writes types as "TEXT" or "TEXT:{text,csv}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  return open < close && close != std::string::npos
             ? CLI::detail::split(type.substr(open + 1, close - open - 1), ',')
             : std::vector<std::string>{};
}

option_entry entry_of(const CLI::Option& option) {
  option_entry e;
  for (const std::string& name : option.get_snames())
    e.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    e.names.push_back("--" + name);
  e.what = option.get_description();
  if (option.get_items_expected_max() == 0)
    return e;
  const std::string type = option.get_type_name();
  e.choices = choices_of(type);
  e.value = e.names.empty() ? option.get_name(true) : type.substr(0, type.find_first_of(": "));
  return e;
}

command_entry entry_of(CLI::App& app, const std::string& path) {
  command_entry made{path, app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) {
      option_entry e = entry_of(*option);
      (e.names.empty() ? made.words : made.options).push_back(std::move(e));
    }
  for (CLI::App* sub : app.get_subcommands([](CLI::App* s) { return !s->get_group().empty(); }))
    made.below.push_back(entry_of(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name()));
  return made;
}

command_entry* find(command_entry& top, const std::string& path) {
  if (top.path == path)
    return &top;
  for (command_entry& sub : top.below)
    if (command_entry* const found = find(sub, path))
      return found;
  return nullptr;
}

bool is_called(const option_entry& e, const std::string& value) {
  return e.names.empty() ? e.value == value : std::ranges::find(e.names, value) != e.names.end();
}

void append(std::vector<const command_entry*>& list, const command_entry& top) {
  list.push_back(&top);
  for (const command_entry& sub : top.below)
    append(list, sub);
}

} // namespace

command_entry list_commands(CLI::App& app) {
  return entry_of(app, "");
}

void offer(command_entry& top, const std::string& path, const std::string& value,
           std::vector<std::string> choices) {
  command_entry* const command = find(top, path);
  if (!command)
    throw std::logic_error("no command " + path);
  for (auto* const list : {&command->words, &command->options})
    for (option_entry& e : *list)
      if (is_called(e, value)) {
        e.choices = std::move(choices);
        return;
      }
  throw std::logic_error("no argument " + value + " of command " + path);
}

std::vector<const command_entry*> flatten(const command_entry& top) {
  std::vector<const command_entry*> list;
  append(list, top);
  return list;
}

} // namespace tacit::surface
