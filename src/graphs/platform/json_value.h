#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tacit::graphs {

/// What is wrong with a JSON text, or with what it says; one sentence.
struct json_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a JSON text says, for files that are read inside programs of users: nlohmann::json allocates in its
/// destructor, which must not throw, so that a process that is out of memory would end there.
class json_value {
public:
  using array = std::vector<json_value>;
  using object = std::vector<std::pair<std::string, json_value>>; ///< in the order of the text
  using content = std::variant<std::nullptr_t, bool, std::uint64_t, double, std::string, array, object>;

  json_value() = default;
  explicit json_value(content what) : what_(std::move(what)) {}

  const array* elements() const { return std::get_if<array>(&what_); }
  const object* fields() const { return std::get_if<object>(&what_); }
  const std::string* text() const { return std::get_if<std::string>(&what_); }
  const bool* truth() const { return std::get_if<bool>(&what_); }
  /// Numbers written without sign, fraction and exponent.
  const std::uint64_t* whole() const { return std::get_if<std::uint64_t>(&what_); }
  std::optional<double> number() const;
  /// Null where this is no object or does not have it; the first of several.
  const json_value* find(std::string_view key) const;

private:
  friend class json_reader;
  content what_;
};

/// Throws json_error, also for texts that nest deeper than any file of ours, and std::bad_alloc.
json_value parse_json(std::string_view text);

} // namespace tacit::graphs
