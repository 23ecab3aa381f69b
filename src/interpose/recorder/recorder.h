// The recorder: a client of the interposer that writes what one rank does (record/format.h).
//
// Before a call it hashes what is sent and notes the requests that are waited for; after it, it writes the
// call, what completed (with the hash of what was received) and which sent bytes were received earlier. It
// calls the library's own functions only for local facts (counts, groups, datatypes): it adds no
// communication. All state is under one lock, taken only if the program asked for MPI_THREAD_MULTIPLE.
#pragma once

#include "interpose/layer/clients.h"
#include "interpose/layer/polls.h"
#include "interpose/recorder/call_notes.h"
#include "interpose/recorder/dictionary.h"
#include "interpose/recorder/forward.h"
#include "interpose/recorder/requests.h"
#include "interpose/recorder/tally.h"
#include "recordings/record/writer.h"

#include <memory>
#include <mutex>
#include <string>

namespace tacit::interpose {

/// The one of this process.
client& recorder();

/// A rank, or what stands for one, as recordings have it.
std::int32_t rank_code(int rank);
/// Received bytes; 0 if the status cannot say.
std::uint64_t bytes_of(const MPI_Status& status);

class call_recorder : public client {
public:
  bool wanted() const override;
  const char* does() const override { return "recorded"; }
  interest_bits interests() const override { return all_calls_.bit(); }
  void loaded() override;
  bool start(const invocation& v) override;
  void before(invocation& v) override;
  void after(invocation& v, int result) override;
  void stopped() override;
  void end() override;
  void forked() override;

private:
  /// What a call record says beyond its invocation.
  struct part {
    bool receives = false;
    const data_part* data = nullptr;
    std::int32_t peer = recordings::peer_none;
    std::int32_t tag = 0;
    content_note content;
  };

  // recorder.cpp: life, dispatch, call records.
  void write_start();
  void finish();
  void note_begun(const invocation& v);
  void check_writer();
  void refuse_single_processes();
  void refuse_taken_folder();
  part sending(const invocation& v);
  part receiving(const invocation& v);
  /// False if the call is only counted.
  bool write_call(const invocation& v, int result, const part& p,
                  std::span<const std::uint64_t> requests = {});
  /// Counts an unsuccessful poll in its record, if that is still open.
  bool join_poll(const invocation& v, const poll_question& asked);
  void write_poll(const invocation& v, const poll_question& asked, const part& p,
                  std::span<const std::uint64_t> requests = {});
  void write_forwards(const std::vector<forwarded_part>& forwards);
  void dispatch_before(invocation& v);
  void before_send(invocation& v);
  void dispatch_after(invocation& v, int result);
  void after_point_to_point(invocation& v, int result);
  void after_collective(invocation& v, int result);
  std::uint64_t total_count(const invocation& v, const part& p);
  void after_probe(invocation& v, int result);
  void after_constructor(invocation& v, int result);

  // recorder_counting.cpp: what no longer fits into the recording is counted.
  bool refuse_limit(int size);
  bool counts(std::size_t bytes);
  recordings::tally_record row_of(const invocation& v, recordings::tally_kind what) const;
  void count_call(const invocation& v);
  void count_part(const invocation& v, int result, const part& p);
  void count_receive(recordings::tally_record row, const MPI_Status& status, std::uint16_t flags,
                     bool posted_before);
  void count_start(const invocation& v, open_request& r, int result);
  std::uint64_t contributed_bytes(const invocation& v);
  void count_completion(open_request& r, const MPI_Status& status, std::uint16_t flags);
  void share_time(invocation& v);

  // recorder_requests.cpp: posting, starting, completing.
  bool has_received_bytes(const void* buffer, MPI_Count count, const data_layout* layout);
  void observe_send(const void* buffer, MPI_Count count, const data_layout* layout, content_note& content,
                    std::vector<forwarded_part>* forwards);
  std::uint64_t post(invocation& v);
  void before_start(invocation& v);
  void after_start(invocation& v, int result);
  void before_complete(invocation& v);
  void after_complete(invocation& v, int result);
  void take_requests(invocation& v);
  void put_back_requests(invocation& v);
  void write_completion(std::uint64_t request, std::uint16_t flags);
  void complete(seen_request seen, const MPI_Status& status, bool failed);
  void complete_receive(const void* buffer, const data_layout* layout, std::uint64_t count,
                        std::uint64_t request, const MPI_Status& status, std::uint16_t flags);
  void before_request_call(invocation& v);
  bool collect_runs(const void* buffer, const data_layout& layout, std::uint64_t count, std::uint64_t bytes,
                    memory_run& hull);

  interest all_calls_{attention::described};
  std::mutex mutex_;
  bool threaded_ = false;
  bool hashing_ = false;
  bool counting_ = false;
  recordings::writer out_;
  tally tally_{out_};
  std::unique_ptr<dictionary> names_;
  open_request_table requests_;
  received_table received_;
  content_hasher hasher_;
  /// What a matched probe found, in the terms it was asked in.
  struct found_message {
    MPI_Comm comm{};
    int source = no_peer;
    int tag = 0;
  };
  handle_map<found_message> messages_;
  std::vector<owned_run> runs_;    ///< scratch
  std::vector<std::uint64_t> ids_; ///< scratch
  std::uint64_t last_request_ = 0;
  std::uint64_t completions_ = 0;
  std::uint64_t hash_ticks_ = 0;
  std::uint64_t recorder_ticks_ = 0;
  std::uint32_t until_sample_ = 64;
  std::uint64_t poll_flushes_ = 0; ///< how often the buffer was flushed when the newest poll was written
  std::uint64_t start_tick_ = 0;
  int world_rank_ = 0;
  bool complained_ = false;
};

} // namespace tacit::interpose
