// What the tasks of a program are called: the same number on every rank, as all ranks submit the same stream.
#pragma once

#include "vocabulary/base/ids.h"

namespace tacit::tasks {

/// A task, numbered in the order of submission; the horizons that the runtime adds are tasks, too.
enum class task_id : std::uint64_t {};
/// A buffer, numbered in the order of creation.
enum class buffer_id : std::uint32_t {};
/// An object of the host that tasks touch one after the other.
enum class host_object_id : std::uint32_t {};
/// A command of one rank, numbered in the order in which the rank generates them; ranks differ in their numbers.
enum class command_id : std::uint64_t {};
/// A collective exchange, numbered in the order in which every rank starts them: the same number on every rank.
enum class exchange_id : std::uint64_t {};

} // namespace tacit::tasks
