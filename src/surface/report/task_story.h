// What a program of tasks wrote down of itself (tasks.json in a recording), for reports.
//
// Tasks of the same name are one thing that happens many times: a loop of a thousand steps is as many rows as it has tasks.
#pragma once

#include "surface/report/page.h"

#include <string>
#include <string_view>

namespace tacit::surface {

/// Reads tasks.json. Nothing, and what is wrong with it, if it is not what the task runtime writes.
std::optional<task_story> read_task_story(std::string_view json, std::string& fault);
/// "12 tasks on 4 ranks: what they need of each other comes by 3 halos and 4 allgathers, and 2 times by messages".
std::string headline_of(const task_story& story);

} // namespace tacit::surface
