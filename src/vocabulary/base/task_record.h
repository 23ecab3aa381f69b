// What a program of tasks leaves beside a recording: written by the runtime of tasks, read by reports.
#pragma once

namespace tacit::vocabulary {

/// In the folder of the recording: both graphs as JSON (src/tasks/explain).
inline constexpr const char* task_record = "tasks.json";

} // namespace tacit::vocabulary
