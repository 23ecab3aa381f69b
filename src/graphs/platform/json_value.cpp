#include "graphs/platform/json_value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tacit::graphs {

/// Puts values where nlohmann's parser has found them.
class json_reader final : public nlohmann::json_sax<nlohmann::json> {
public:
  json_value take() { return std::move(all_); }

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(json_value(value)); }
  bool number_integer(number_integer_t value) override {
    return put(json_value(static_cast<double>(value))); // negative: others are number_unsigned
  }
  bool number_unsigned(number_unsigned_t value) override { return put(json_value(std::uint64_t{value})); }
  bool number_float(number_float_t value, const string_t&) override { return put(json_value(value)); }
  bool string(string_t& value) override { return put(json_value(std::move(value))); }
  bool binary(binary_t&) override { throw json_error("it has binary data"); } // not in texts
  bool start_object(std::size_t) override { return open(json_value(json_value::object())); }
  bool key(string_t& name) override {
    std::get<json_value::object>(open_.back()->what_).emplace_back().first = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(json_value(json_value::array())); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    throw json_error(fmt::format("it is no JSON: {}", e.what()));
  }

private:
  /// Values are destroyed recursively, on whatever stack a program of a user has left.
  static constexpr std::size_t deepest = 16;

  json_value& place(json_value value) {
    if (open_.empty())
      return all_ = std::move(value);
    if (auto* list = std::get_if<json_value::array>(&open_.back()->what_))
      return list->emplace_back(std::move(value));
    return std::get<json_value::object>(open_.back()->what_).back().second = std::move(value);
  }
  bool put(json_value value) {
    place(std::move(value));
    return true;
  }
  /// What is open stays where it is: only the innermost list grows.
  bool open(json_value value) {
    if (open_.size() == deepest)
      throw json_error(fmt::format("it nests deeper than {} levels", deepest));
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json_value all_;
  std::vector<json_value*> open_;
};

std::optional<double> json_value::number() const {
  if (const auto* n = std::get_if<std::uint64_t>(&what_))
    return static_cast<double>(*n);
  if (const auto* n = std::get_if<double>(&what_))
    return *n;
  return {};
}

const json_value* json_value::find(std::string_view key) const {
  if (const object* all = fields())
    for (const auto& [name, value] : *all)
      if (name == key)
        return &value;
  return nullptr;
}

json_value parse_json(std::string_view text) {
  json_reader reader;
  nlohmann::json::sax_parse(text, &reader);
  return reader.take();
}

} // namespace tacit::graphs
