#include "vocabulary/calls/mpi_calls.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace tacit::vocabulary {

namespace {

constexpr call_row rows[] = {
#define TACIT_CALL(number, name, kind, twin, roles, users)                                                   \
  {mpi_call{number}, "MPI_" #name, call_class::kind, mpi_call::twin, roles, users},
#include "vocabulary/calls/mpi_calls.def"
#undef TACIT_CALL
};

// Numbers are positions, so looking one up costs nothing and a gap or a swap in the table does not compile.
constexpr bool numbered_in_order() {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (static_cast<std::size_t>(rows[i].id) != i + 1)
      return false;
  return true;
}
static_assert(numbered_in_order());

constexpr std::string_view prefix = "MPI_";

constexpr std::pair<std::string_view, param_role> role_names[] = {
#define R(role) {#role, param_role::role}
    R(in_buf),       R(out_buf),      R(inout_buf),     R(send_buf),
    R(recv_buf),     R(count),        R(datatype),      R(send_count),
    R(send_type),    R(recv_count),   R(recv_type),     R(send_counts),
    R(send_displs),  R(send_types),   R(recv_counts),   R(recv_displs),
    R(recv_types),   R(dest),         R(source),        R(tag),
    R(send_tag),     R(recv_tag),     R(root),          R(op),
    R(comm),         R(group),        R(request),       R(request_value),
    R(new_request),  R(requests),     R(request_count), R(status),
    R(statuses),     R(flag),         R(done_index),    R(done_count),
    R(done_indices), R(message),      R(new_message),   R(new_comm),
    R(comm_freed),   R(new_type),     R(type_freed),    R(info),
    R(argc),         R(argv),         R(thread_level),  R(thread_level_out),
    R(error_code),   R(level),        R(color),         R(key),
    R(string_tag),   R(peer_comm),    R(local_leader),  R(remote_leader),
    R(ndims),        R(dims),         R(periods),       R(remain_dims),
    R(reorder),      R(node_count),   R(graph_index),   R(graph_edges),
    R(degrees),      R(in_degree),    R(sources),       R(source_weights),
    R(out_degree),   R(destinations), R(dest_weights),  R(weights),
    R(window),       R(file),         R(rest),          R(other),
#undef R
};

param_role role_named(std::string_view text) {
  for (const auto& [role_name, role] : role_names)
    if (role_name == text)
      return role;
  assert(!"a role in mpi_calls.def that param_role does not have");
  return param_role::other;
}

constexpr std::string_view user_words[] = {"attributes", "requests", "operation",      "handler",
                                           "conversion", "tool",     "takes_function", "sets_handler"};

constexpr std::string_view next_word(std::string_view& words) {
  const std::size_t end = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

/// `Send` of MPI_Send: what the rows are sought by.
constexpr std::string_view own_name(const call_row* row) {
  return row->name.substr(prefix.size());
}

std::array<const call_row*, std::size(rows)> rows_by_name() {
  std::array<const call_row*, std::size(rows)> made{};
  std::ranges::transform(rows, made.begin(), [](const call_row& row) { return &row; });
  std::ranges::sort(made, {}, own_name);
  return made;
}

constexpr bool words_are_known() {
  for (const call_row& row : rows)
    for (std::string_view rest = row.users; !rest.empty();)
      if (std::ranges::find(user_words, next_word(rest)) == std::end(user_words))
        return false;
  return true;
}
static_assert(words_are_known(), "a word in mpi_calls.def that user_function does not have");

} // namespace

std::span<const call_row> call_rows() {
  return rows;
}

const call_row* find_call(std::uint16_t number) {
  return number >= 1 && number <= std::size(rows) ? &rows[number - 1] : nullptr;
}

const call_row* find_call(std::string_view name) {
  if (name.starts_with(prefix))
    name.remove_prefix(prefix.size());
  static const auto by_name = rows_by_name(); // compilers ask of every call that they meet
  const auto found = std::ranges::lower_bound(by_name, name, {}, own_name);
  return found != by_name.end() && own_name(*found) == name ? *found : nullptr;
}

std::string_view call_name(std::uint16_t number) {
  const call_row* row = find_call(number);
  return row ? row->name : "an unknown call";
}

bool has(const call_row& row, user_function how) {
  for (std::string_view rest = row.users; !rest.empty();)
    if (next_word(rest) == user_words[static_cast<std::size_t>(how)])
      return true;
  return false;
}

bool may_run_user_code(const call_row& row) {
  for (const user_function how :
       {user_function::attributes, user_function::requests, user_function::operation, user_function::handler,
        user_function::conversion, user_function::tool})
    if (has(row, how))
      return true;
  return false;
}

std::vector<param_role> parameter_roles(const call_row& row) {
  std::vector<param_role> roles;
  for (std::string_view rest = row.roles; !rest.empty();)
    roles.push_back(role_named(next_word(rest)));
  return roles;
}

bool writes(param_role role) {
  switch (role) {
  case param_role::out_buf:
  case param_role::inout_buf:
  case param_role::recv_buf:
  case param_role::request:
  case param_role::new_request:
  case param_role::requests:
  case param_role::status:
  case param_role::statuses:
  case param_role::flag:
  case param_role::done_index:
  case param_role::done_count:
  case param_role::done_indices:
  case param_role::message:
  case param_role::new_message:
  case param_role::new_comm:
  case param_role::comm_freed:
  case param_role::new_type:
  case param_role::type_freed:
  case param_role::argc:
  case param_role::argv:
  case param_role::thread_level_out:
  case param_role::other:
  case param_role::rest:
    return true;
  default:
    return false;
  }
}

bool is_buffer(param_role role) {
  return role == param_role::in_buf || role == param_role::out_buf || role == param_role::inout_buf ||
         role == param_role::send_buf || role == param_role::recv_buf;
}

} // namespace tacit::vocabulary
