// All three work alike: the words before the cursor say which command it is; an option with fixed values is
// followed by these, one with other values by a file; a word that begins with a dash is completed to the command's
// options, another to the commands below it, to what its argument may be, or to a file. After "--" stands the user's own
// command, which is left to the shell.
#include "surface/cli/completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tacit::surface {
namespace {

/// In single quotes, as all three shells read them, and on one line, as their lists of candidates want it.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

std::vector<std::string> option_names(const command_entry& c) {
  std::vector<std::string> names;
  for (const option_entry& o : c.options)
    names.insert(names.end(), o.names.begin(), o.names.end());
  return names;
}

std::vector<std::string> names_below(const command_entry& c) {
  std::vector<std::string> names;
  for (const command_entry& sub : c.below)
    names.push_back(sub.name());
  return names;
}

/// What the command's arguments may be; empty if they are any text.
std::vector<std::string> argument_words(const command_entry& c) {
  std::vector<std::string> all;
  for (const option_entry& e : c.words)
    all.insert(all.end(), e.choices.begin(), e.choices.end());
  return all;
}

/// Patterns of a `case`: "'bench neighbor --format'|'bench neighbor --parts'" are written one by one.
template <typename Write>
std::string for_each_choice(const command_entry& top, Write&& write) {
  std::string text;
  for (const command_entry* c : flatten(top))
    for (const option_entry& o : c->options)
      if (!o.value.empty())
        for (const std::string& name : o.names)
          text += write(shell_word(c->path + " " + name), fmt::format("{}", fmt::join(o.choices, " ")));
  return text;
}

std::string known_paths(const command_entry& top) {
  std::string text;
  for (const command_entry* c : flatten(top))
    if (!c->path.empty())
      text += (text.empty() ? "" : "|") + shell_word(c->path);
  return text;
}

/// `name:what` for zsh, where a colon separates.
std::string described(const std::string& name, const std::string& what) {
  std::string text;
  for (const char c : what) {
    if (c == ':')
      text += '\\';
    text += c;
  }
  return shell_word(name + ":" + text);
}

} // namespace

std::string bash_completion(const command_entry& top) {
  std::string cases;
  for (const command_entry* c : flatten(top))
    cases += fmt::format("    {}) commands='{}' arguments='{}' options='{}' ;;\n", shell_word(c->path),
                         fmt::join(names_below(*c), " "), fmt::join(argument_words(*c), " "),
                         fmt::join(option_names(*c), " "));
  const std::string values = for_each_choice(top, [](const std::string& where, const std::string& words) {
    return words.empty() ? fmt::format("    {}) compopt -o default; return ;;\n", where)
                         : fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                                       where, words);
  });
  return fmt::format(R"(# bash completion of tacit; made from its own list of commands.
_tacit() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path= next word commands= arguments= options=
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == -- ]] && {{ compopt -o default; return; }}
    [[ $path == help ]] && path= # what follows is a command again
    next=${{path:+$path }}$word
    case $next in {}) path=$next ;; esac
  done
  case "$path ${{COMP_WORDS[COMP_CWORD-1]}}" in
{}  esac
  case $path in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $commands$arguments ]]; then
    COMPREPLY=($(compgen -W "$commands $arguments" -- "$current"))
  else
    compopt -o default
  fi
}}
complete -F _tacit tacit
)",
                     known_paths(top), values, cases);
}

std::string zsh_completion(const command_entry& top) {
  std::string cases;
  for (const command_entry* c : flatten(top)) {
    cases += fmt::format("    {})\n      commands=(", shell_word(c->path));
    for (const command_entry& sub : c->below)
      cases += " " + described(sub.name(), sub.what);
    cases += fmt::format(" )\n      arguments=({})\n      options=(", fmt::join(argument_words(*c), " "));
    for (const option_entry& o : c->options)
      for (const std::string& name : o.names)
        cases += " " + described(name, o.what);
    cases += " ) ;;\n";
  }
  const std::string values = for_each_choice(top, [](const std::string& where, const std::string& words) {
    return words.empty() ? fmt::format("    {}) _files; return ;;\n", where)
                         : fmt::format("    {}) compadd -- {}; return ;;\n", where, words);
  });
  return fmt::format(R"(#compdef tacit
# Completion of tacit; made from its own list of commands.
_tacit() {{
  local route= next word
  local -a commands arguments options
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    [[ $word == -- ]] && {{ _normal; return }}
    [[ $route == help ]] && route= # what follows is a command again
    next="${{route:+$route }}$word"
    case $next in ({}) route=$next ;; esac
  done
  case "$route ${{words[CURRENT-1]}}" in
{}  esac
  case $route in
{}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#commands )); then
    _describe command commands
  elif (( $#arguments )); then
    compadd -- $arguments
  else
    _files
  fi
}}
_tacit "$@"
)",
                     known_paths(top), values, cases);
}

std::string fish_completion(const command_entry& top) {
  std::string text = "# fish completion of tacit; made from its own list of commands.\n";
  for (const command_entry* c : flatten(top)) {
    std::string here = "__fish_use_subcommand";
    if (!c->path.empty()) {
      here.clear();
      for (std::size_t at = 0; at < c->path.size();) { // every word of "bench neighbor" must have been seen
        const std::size_t end = std::min(c->path.find(' ', at), c->path.size());
        here += (here.empty() ? "" : "; and ") +
                fmt::format("__fish_seen_subcommand_from {}", c->path.substr(at, end - at));
        at = end + 1;
      }
    }
    for (const command_entry& sub : c->below)
      text += fmt::format("complete -c tacit -f -n {} -a {} -d {}\n", shell_word(here), sub.name(),
                          shell_word(sub.what));
    if (const std::string words = fmt::format("{}", fmt::join(argument_words(*c), " ")); !words.empty())
      text += fmt::format("complete -c tacit -f -n {} -a {}\n",
                          shell_word(fmt::format("{}; and not __fish_seen_subcommand_from {}", here, words)),
                          shell_word(words));
    for (const option_entry& o : c->options) {
      text += fmt::format("complete -c tacit -n {}", shell_word(here));
      for (const std::string& name : o.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!o.value.empty())
        text += o.choices.empty()
                    ? " -r"
                    : fmt::format(" -x -a {}", shell_word(fmt::format("{}", fmt::join(o.choices, " "))));
      text += fmt::format(" -d {}\n", shell_word(o.what));
    }
  }
  return text;
}

} // namespace tacit::surface
