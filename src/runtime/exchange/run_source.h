// What an operation's execution comes from: lends it, takes it back, and can tell what it does.
#pragma once

#include "runtime/exchange/neighbor_call.h"
#include "runtime/run/driver.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tacit::runtime {

/// An execution, and how far its buffers lie from those of the plan that it was made from.
struct bound_run {
  std::unique_ptr<execution> run;
  std::ptrdiff_t reads = 0, writes = 0;
};

/// Where a call's data are.
struct call_buffers {
  std::uint64_t send = 0, receive = 0;

  explicit call_buffers(const neighbor_call& call)
      : send(reinterpret_cast<std::uint64_t>(call.send.buffer)),
        receive(reinterpret_cast<std::uint64_t>(call.receive.buffer)) {}
  std::ptrdiff_t reads_from(const call_buffers& other) const {
    return static_cast<std::ptrdiff_t>(send - other.send);
  }
  std::ptrdiff_t writes_from(const call_buffers& other) const {
    return static_cast<std::ptrdiff_t>(receive - other.receive);
  }
};

class run_source {
public:
  virtual ~run_source() = default;
  /// The operation that had `run` is over; the execution is not active, unless it has failed. Local.
  virtual void take_back(bound_run run) = 0;

  virtual std::string_view driver() const = 0;       ///< that runs it
  virtual std::string steps() const = 0;             ///< one line for people
  virtual std::string remarks() const { return {}; } ///< further lines
  /// A buffer is in device memory, so that MPI copies all bytes.
  virtual bool in_device_memory() const { return false; }
};

/// Of an execution that nobody wants back.
class fixed_source : public run_source {
public:
  /// `driver` is kept as it is: it has to be static text.
  fixed_source(std::string_view driver, std::string steps) : driver_(driver), steps_(std::move(steps)) {}

  void take_back(bound_run) override {}
  std::string_view driver() const override { return driver_; }
  std::string steps() const override { return steps_; }

private:
  std::string_view driver_;
  std::string steps_;
};

} // namespace tacit::runtime
