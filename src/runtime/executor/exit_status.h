// The exit status of a program whose tasks have failed.
//
// A program that has heard of a failure, by an exception, says itself how it ends. One that has not would end as if all were well:
// scripts and launchers look at the status, and not at what stands on standard error.
#pragma once

namespace tacit::runtime {

/// The process will end with status 1 where it would have ended with 0: after everything else, handlers of exit() and destructors of
/// static objects, has run.
void fail_at_exit();

} // namespace tacit::runtime
