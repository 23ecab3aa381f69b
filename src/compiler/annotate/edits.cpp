#include "compiler/annotate/edits.h"

#include "compiler/annotate/line_diff.h"
#include "compiler/annotate/settled_lines.h"

#include <algorithm>
#include <clang/Format/Format.h>
#include <map>

namespace tacit::compiler {
namespace {

/// The lines of a file that say something of how it is written.
struct habits {
  int indent = 2;
  unsigned width = 80;
  bool tabs = false, braces_alone = false, tight_keywords = false;
};

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

habits habits_of(const std::string& text) {
  habits made;
  std::map<std::size_t, int> steps;
  std::size_t last = 0;
  int tabs = 0;
  int blanks = 0;
  int alone = 0;
  int at_end = 0;
  int tight = 0;
  int loose = 0;
  for (std::string_view line : lines_of(text)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' '))
      line.remove_suffix(1);
    const std::size_t in = indentation(line);
    const std::string_view words = line.substr(in);
    if (words.empty() || words[0] == '#' || words[0] == '*' || words[0] == '/')
      continue;
    made.width = std::max(made.width, static_cast<unsigned>(line.size()));
    if (in > last && line[0] == ' ' && in - last <= 8)
      ++steps[in - last];
    last = in;
    tabs += line[0] == '\t' ? 1 : 0;
    blanks += line[0] == ' ' ? 1 : 0;
    alone += words == "{" ? 1 : 0;
    at_end += words.size() > 1 && words.back() == '{' ? 1 : 0;
    tight += words.starts_with("if(") || words.starts_with("for(") || words.starts_with("while(") ? 1 : 0;
    loose += words.starts_with("if (") || words.starts_with("for (") || words.starts_with("while (") ? 1 : 0;
  }
  int most = 0;
  for (const auto& [step, times] : steps)
    if (step > 1 && times > most) {
      most = times;
      made.indent = static_cast<int>(step);
    }
  made.tabs = tabs > blanks;
  made.braces_alone = alone > at_end;
  made.tight_keywords = tight > loose;
  return made;
}

/// For a file without .clang-format: as it is written itself.
clang::format::FormatStyle style_by_habits(const std::string& text) {
  using style = clang::format::FormatStyle;
  const habits of = habits_of(text);
  style made = clang::format::getLLVMStyle();
  made.IndentWidth = static_cast<unsigned>(of.indent);
  made.ColumnLimit = of.width;
  made.DerivePointerAlignment = true;
  if (of.tabs) {
    made.IndentWidth = made.TabWidth = 8;
    made.UseTab = style::UT_ForIndentation;
  }
  if (of.braces_alone)
    made.BreakBeforeBraces = style::BS_Allman;
  if (of.tight_keywords)
    made.SpaceBeforeParens = style::SBPO_Never;
  return made;
}

clang::format::FormatStyle style_for(const std::string& path, const std::string& text) {
  llvm::Expected<clang::format::FormatStyle> found = clang::format::getStyle("file", path, "none", text);
  if (!found) {
    llvm::consumeError(found.takeError());
    return style_by_habits(text);
  }
  if (found->DisableFormat)
    return style_by_habits(text);
  found->ReflowComments = false; // comments are the user's
  return *found;
}

/// `int* x` or `int *x`, whichever the text has more of: of its parts some have none.
void settle_pointers(const std::string& original, const file_edits& edits, clang::format::FormatStyle& made) {
  int left = 0;
  std::string text = original;
  for (const edit& e : edits.in_order())
    text += e.text;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = text.find('*'); at != std::string::npos && at + 1 < text.size();
       at = text.find('*', at + 1))
    if (at > 1 && is_word(text[at - 1]) && is_blank(text[at + 1]))
      ++left;
    else if (at > 1 && is_blank(text[at - 1]) && is_word(text[at - 2]) && is_word(text[at + 1]))
      --left;
  made.DerivePointerAlignment = false;
  if (left != 0)
    made.PointerAlignment =
        left > 0 ? clang::format::FormatStyle::PAS_Left : clang::format::FormatStyle::PAS_Right;
}

/// A text with edits made, but not formatted.
struct rough_text {
  std::string text;
  std::vector<clang::tooling::Range> changed;
  std::vector<std::size_t>
      ends; ///< behind a `}` that stood alone at the beginning of its line: the end of a function, as a rule

  void keep(const std::string& original, std::size_t from, std::size_t to) {
    for (std::size_t at = original.find("\n}\n", from); at < to && at + 3 <= to;
         at = original.find("\n}\n", at + 2))
      ends.push_back(text.size() + at + 3 - from);
    text.append(original, from, to - from);
  }
  void change(const edit& e, const std::string& original, const settled_lines& settled) {
    if (const auto lines =
            e.length == 0 && e.formatted ? settled.indented(e.text, original, e.offset) : std::nullopt) {
      text += *lines;
      return;
    }
    // Up to the end of its last line: the next one is the user's.
    const std::size_t own = e.text.size() - (e.text.ends_with('\n') ? 1 : 0);
    if (own > 0 && e.formatted)
      changed.emplace_back(static_cast<unsigned>(text.size()), static_cast<unsigned>(own));
    text += e.text;
  }
};

rough_text made_of(const std::string& original, const file_edits& edits, const settled_lines& settled) {
  rough_text made;
  std::size_t at = 0;
  for (const edit& e : edits.in_order()) {
    made.keep(original, at, e.offset);
    made.change(e, original, settled);
    at = e.offset + e.length;
  }
  made.keep(original, at, original.size());
  std::erase_if(made.changed, [&](const clang::tooling::Range& r) {
    return settled.fit(made.text, r.getOffset(), r.getLength());
  });
  return made;
}

/// One range for those in a line: lines are formatted as wholes.
void add_range(std::vector<clang::tooling::Range>& to, unsigned offset, unsigned length,
               const std::string& text, std::size_t begin) {
  if (!to.empty()) {
    const unsigned before = to.back().getOffset(), end = before + to.back().getLength();
    if (offset >= end && text.find('\n', begin + end) >= begin + offset) {
      to.back() = clang::tooling::Range(before, offset + length - before);
      return;
    }
  }
  to.emplace_back(offset, length);
}

/// Clang compares each line that it formats with each changed range, which for a file with many of both is more than all else takes
/// together; so a file is formatted by functions.
std::string formatted(const std::string& path, rough_text of, clang::format::FormatStyle style) {
  style.FixNamespaceComments = false; // passes of their own, for what is never inserted
  style.SortUsingDeclarations = clang::format::FormatStyle::SUD_Never;
  of.ends.push_back(of.text.size());
  std::string made;
  auto range = of.changed.begin();
  std::size_t begin = 0;
  for (const std::size_t end : of.ends) {
    std::vector<clang::tooling::Range> inside;
    for (; range != of.changed.end() && range->getOffset() < end; ++range)
      add_range(inside, range->getOffset() - static_cast<unsigned>(begin), range->getLength(), of.text,
                begin);
    const std::string part = of.text.substr(begin, end - begin);
    begin = end;
    llvm::Expected<std::string> done =
        inside.empty()
            ? part
            : clang::tooling::applyAllReplacements(part, clang::format::reformat(style, part, inside, path));
    made += done ? *done : part;
    if (!done)
      llvm::consumeError(done.takeError());
  }
  return made;
}

/// Lines end as those of the original do, if all of them end alike.
std::string with_line_ends_of(const std::string& original, const std::string& text) {
  std::size_t ends = 0, with_return = 0;
  for (std::size_t at = original.find('\n'); at != std::string::npos; at = original.find('\n', at + 1)) {
    ++ends;
    with_return += at > 0 && original[at - 1] == '\r' ? 1 : 0;
  }
  if (with_return == 0 || with_return < ends)
    return text;
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && (at == 0 || text[at - 1] != '\r'))
      made += '\r';
    made += text[at];
  }
  return made;
}

} // namespace

void file_edits::replace(unsigned offset, unsigned length, std::string text, bool formatted) {
  edits_.push_back({offset, length, std::move(text), formatted});
}

std::vector<edit> file_edits::in_order() const {
  std::vector<edit> made = edits_;
  std::stable_sort(made.begin(), made.end(), [](const edit& a, const edit& b) {
    return a.offset < b.offset ||
           (a.offset == b.offset && a.length == 0 && b.length > 0); // what is put before it comes first
  });
  return made;
}

std::string file_edits::take(const std::string& original, unsigned begin, unsigned end) {
  std::string made;
  unsigned at = begin;
  for (const edit& e : in_order())
    if (e.offset >= begin && e.offset + e.length <= end) {
      made += original.substr(at, e.offset - at) + e.text;
      at = e.offset + e.length;
    }
  std::erase_if(edits_, [&](const edit& e) { return e.offset >= begin && e.offset + e.length <= end; });
  return made + original.substr(at, end - at);
}

std::string edited(const std::string& path, const std::string& original, const file_edits& edits) {
  if (edits.empty())
    return original;
  clang::format::FormatStyle style = style_for(path, original);
  if (style.DerivePointerAlignment)
    settle_pointers(original, edits, style);
  return with_line_ends_of(original, formatted(path, made_of(original, edits, settled_lines(style)), style));
}

std::string with_lines_of(const std::string& original, const std::string& changed) {
  const std::vector<std::string_view> before = lines_of(original);
  const std::vector<std::string_view> after = lines_of(changed);
  std::string made;
  const auto say = [&](std::size_t line) {
    // A directive cannot stand in the middle of a continued line; the compiler then counts on.
    if (made.empty() || !made.ends_with("\\\n"))
      made += "#line " + std::to_string(line + 1) + "\n";
  };
  std::size_t at = 0;
  for (const changed_lines& hunk : line_diff(before, after)) {
    for (; at < hunk.after_from; ++at)
      made += after[at];
    const std::size_t removed = hunk.before_to - hunk.before_from;
    for (; at < hunk.after_to; ++at) {
      const std::size_t nth = at - hunk.after_from;
      say(removed == 0 ? hunk.before_from : hunk.before_from + std::min(nth, removed - 1));
      made += after[at];
    }
    if (at < after.size())
      say(hunk.before_to);
  }
  for (; at < after.size(); ++at)
    made += after[at];
  return made;
}

std::string unified_diff(const std::string& path, const std::string& before_text,
                         const std::string& after_text) {
  constexpr std::size_t context = 3; // as `diff -u`
  const std::vector<std::string_view> before = lines_of(before_text);
  const std::vector<std::string_view> after = lines_of(after_text);
  const std::vector<changed_lines> changes = line_diff(before, after);
  if (changes.empty())
    return {};
  const auto line = [](std::string& into, char mark, std::string_view text) {
    into += mark;
    into += text;
    if (!text.ends_with('\n'))
      into += "\n\\ No newline at end of file\n";
  };
  const auto range = [](std::size_t from, std::size_t count) {
    return std::to_string(count == 0 ? from : from + 1) + (count == 1 ? "" : "," + std::to_string(count));
  };
  std::string made = "--- " + path + "\n+++ " + path + "\n";
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].before_from <= changes[last].before_to + 2 * context)
      ++last;
    const std::size_t lead = std::min(context, changes[first].before_from);
    const std::size_t tail = std::min(context, before.size() - changes[last].before_to);
    std::string body;
    std::size_t at = changes[first].before_from - lead;
    for (std::size_t i = first; i <= last; ++i) {
      for (; at < changes[i].before_from; ++at)
        line(body, ' ', before[at]);
      for (; at < changes[i].before_to; ++at)
        line(body, '-', before[at]);
      for (std::size_t j = changes[i].after_from; j < changes[i].after_to; ++j)
        line(body, '+', after[j]);
    }
    for (const std::size_t end = at + tail; at < end; ++at)
      line(body, ' ', before[at]);
    const std::size_t before_from = changes[first].before_from - lead;
    const std::size_t after_from = changes[first].after_from - lead;
    made += "@@ -" + range(before_from, changes[last].before_to + tail - before_from) + " +" +
            range(after_from, changes[last].after_to + tail - after_from) + " @@\n" + body;
    first = last + 1;
  }
  return made;
}

} // namespace tacit::compiler
