// Known programs (programs.c) under the recorder: every record must be as expected.
#include "places.h"
#include "recordings.h"

#include "recordings/meaning/analysis.h"
#include "recordings/record/reader.h"
#include "surface/report/recording_page.h"
#include "vocabulary/calls/mpi_calls.h"
#include "vocabulary/calls/reasons.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace tacit;
using namespace tacit::interpose;
using namespace tacit::testing;

namespace {

std::string preloaded() {
  return " LD_PRELOAD=" + place("INTERPOSER");
}

/// One program run under the recorder in a folder of its own.
class recorded_run {
public:
  recorded_run(const std::string& program, int ranks, const std::string& environment = "",
               bool preload = true) {
    folder_ = std::filesystem::temp_directory_path() /
              ("tacit-interpose-" + std::to_string(getpid()) + "-" + program);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const std::string command =
        place("LAUNCHER") + " -n " + std::to_string(ranks) + " env TACIT_RECORD=" + recording() + " " +
        environment + (preload ? preloaded() + " " + place("PROGRAMS") : " " + place("STATIC_PROGRAMS")) +
        " " + program + " " + std::to_string(ranks) + " > " + file("out") + " 2> " + file("err") +
        " < /dev/null";
    status_ = std::system(command.c_str());
    for (int rank = 0; rank < ranks; ++rank)
      ranks_.push_back(read_recording(recording(), static_cast<std::uint32_t>(rank)));
  }
  ~recorded_run() { std::filesystem::remove_all(folder_); }
  recorded_run(const recorded_run&) = delete;
  recorded_run& operator=(const recorded_run&) = delete;

  std::string recording() const { return file("rec"); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  int status() const { return status_; }
  const recording_contents& operator[](std::size_t rank) const { return ranks_[rank]; }

  /// It ended well, every rank said so, tacit printed nothing, and the recordings are whole. Other lines are
  /// the MPI library's own affair (UCX complains on stdout where there is no /sys).
  void expect_complete() const {
    EXPECT_EQ(status_, 0) << text("err");
    const std::string out = text("out");
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const std::string line = "rank " + std::to_string(rank) + " done\n";
      const std::size_t at = out.find(line);
      EXPECT_TRUE(at != std::string::npos && out.find(line, at + 1) == std::string::npos) << line << out;
    }
    EXPECT_EQ(out.find("tacit:"), std::string::npos) << out;
    for (const recording_contents& r : ranks_) {
      EXPECT_TRUE(r.exists && r.started && r.finished && r.well_formed);
      EXPECT_EQ(r.start.size, ranks_.size());
      EXPECT_EQ(r.finish.records, r.records);
    }
    EXPECT_EQ(text("err").find("tacit:"), std::string::npos) << text("err");
    for (const auto& entry : std::filesystem::directory_iterator(recording()))
      EXPECT_EQ(entry.path().extension(), ".rec") << entry.path();
  }

private:
  std::filesystem::path folder_;
  int status_ = 0;
  std::vector<recording_contents> ranks_;
};

std::vector<seen_call> calls_of(const recording_contents& r, mpi_call call) {
  std::vector<seen_call> found;
  for (const seen_call& c : r.calls)
    if (c.record.call == static_cast<std::uint16_t>(call))
      found.push_back(c);
  return found;
}

bool has(std::uint16_t flags, std::uint16_t flag) {
  return (flags & flag) != 0;
}

} // namespace

TEST(recorder, blocking_messages) {
  const recorded_run run("blocking", 2);
  run.expect_complete();
  const auto sends = calls_of(run[0], mpi_call::Send);
  ASSERT_EQ(sends.size(), 3u);
  EXPECT_EQ(sends[0].record.peer, 1);
  EXPECT_EQ(sends[0].record.tag, 5);
  EXPECT_EQ(sends[0].record.count, 4096u);
  EXPECT_EQ(sends[0].record.comm, 1u);
  EXPECT_EQ(sends[0].record.offset, 0);
  EXPECT_GT(sends[0].record.end, sends[0].record.begin);
  EXPECT_TRUE(has(sends[0].record.header.flags, rec::call_hash_valid));
  EXPECT_EQ(run[0].allocations.at(sends[0].record.allocation).bytes, 4096u);
  EXPECT_EQ(run[0].allocations.at(sends[0].record.allocation).kind, rec::memory_kind::heap);
  EXPECT_EQ(sends[2].record.peer, rec::peer_null);
  const auto ssends = calls_of(run[0], mpi_call::Ssend);
  ASSERT_EQ(ssends.size(), 1u);
  EXPECT_EQ(ssends[0].record.offset, 16);
  EXPECT_EQ(run[0].layouts.at(ssends[0].record.layout).record.size, 4u);
  const auto null_receive = calls_of(run[0], mpi_call::Recv);
  ASSERT_EQ(null_receive.size(), 1u);
  ASSERT_EQ(null_receive[0].completions.size(), 1u);
  EXPECT_EQ(null_receive[0].completions[0].source, rec::peer_null);
  EXPECT_EQ(null_receive[0].completions[0].bytes, 0u);

  const auto receives = calls_of(run[1], mpi_call::Recv);
  ASSERT_EQ(receives.size(), 3u);
  const std::uint64_t bytes[] = {4096, 400, 0};
  const std::int32_t tags[] = {5, 6, 7};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(receives[i].completions.size(), 1u);
    const auto& done = receives[i].completions[0];
    EXPECT_EQ(done.source, 0);
    EXPECT_EQ(done.tag, tags[i]);
    EXPECT_EQ(done.bytes, bytes[i]);
    EXPECT_EQ(done.request, 0u);
  }
  EXPECT_EQ(receives[0].completions[0].hash, sends[0].record.hash);
  EXPECT_EQ(receives[1].completions[0].hash, ssends[0].record.hash);
  EXPECT_EQ(receives[1].record.peer, rec::peer_any);
  EXPECT_TRUE(has(receives[1].completions[0].header.flags, rec::completion_any_source));
  EXPECT_FALSE(has(receives[1].completions[0].header.flags, rec::completion_any_tag));
  EXPECT_EQ(receives[2].record.tag, rec::any_tag);
  EXPECT_TRUE(has(receives[2].completions[0].header.flags, rec::completion_any_tag));
  EXPECT_TRUE(has(receives[0].record.header.flags, rec::call_status_ignored));
  EXPECT_FALSE(has(receives[1].record.header.flags, rec::call_status_ignored));
}

TEST(recorder, call_sites_are_in_the_program) {
  const recorded_run run("blocking", 2);
  for (const seen_call& call : run[0].calls) {
    ASSERT_TRUE(run[0].sites.count(call.record.site));
    const auto& site = run[0].sites.at(call.record.site);
    EXPECT_NE(run[0].modules.at(site.module).find("interpose_programs"), std::string::npos);
    EXPECT_GT(site.offset, 0u);
    EXPECT_LT(site.offset, 1u << 20);
  }
}

TEST(recorder, paths_tell_who_called_the_function_that_sends) {
  const recorded_run run("paths", 1);
  run.expect_complete();
  std::map<std::int32_t, std::vector<std::uint32_t>> by_tag;
  for (const seen_call& c : calls_of(run[0], mpi_call::Send))
    by_tag[c.record.tag].push_back(c.record.site);
  const auto frames = [&](std::uint32_t id) { return run[0].paths.at(id); };
  for (const std::int32_t tag : {1, 2})
    for (const std::uint32_t path : by_tag[tag])
      EXPECT_EQ(path, by_tag[tag][0]);
  const std::vector<std::uint32_t> one = frames(by_tag[1][0]), other = frames(by_tag[2][0]);
  ASSERT_GE(one.size(), 3u);
  EXPECT_EQ(one[0], other[0]);
  EXPECT_NE(one[1], other[1]);
  EXPECT_EQ(std::vector(one.begin() + 2, one.end()), std::vector(other.begin() + 2, other.end()));
  for (std::size_t i = 2; i < by_tag[3].size(); ++i) // functions that call themselves count once
    EXPECT_EQ(by_tag[3][i], by_tag[3][1]) << i;
  EXPECT_EQ(frames(by_tag[3][1])[0], one[0]);
  // Behind a frame of varying size nothing can be told: the path ends there, once that has been noticed.
  EXPECT_EQ(frames(by_tag[4].back()).size(), 2u);
  EXPECT_EQ(by_tag[4].back(), by_tag[4][4]);
}

TEST(recorder, derived_datatypes_and_bottom) {
  const recorded_run run("datatypes", 2);
  run.expect_complete();
  const auto sends = calls_of(run[0], mpi_call::Send);
  const auto receives = calls_of(run[1], mpi_call::Recv);
  ASSERT_EQ(sends.size(), 3u);
  ASSERT_EQ(receives.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(sends[i].record.hash, receives[i].completions.at(0).hash) << i;
  const seen_layout& column = run[0].layouts.at(sends[0].record.layout);
  ASSERT_EQ(column.segments.size(), 10u);
  EXPECT_EQ(column.segments[3], (std::pair<std::int64_t, std::uint64_t>(240, 8)));
  EXPECT_EQ(sends[0].record.offset, 24);
  // Absolute addresses become relative by the offset: the struct starts at m[20], then m[4].
  EXPECT_TRUE(has(sends[1].record.header.flags, rec::call_bottom));
  const seen_layout& pieces = run[0].layouts.at(sends[1].record.layout);
  ASSERT_EQ(pieces.segments.size(), 2u);
  EXPECT_EQ(sends[1].record.allocation, sends[0].record.allocation);
  EXPECT_EQ(pieces.segments[0].first + sends[1].record.offset, 160);
  EXPECT_EQ(pieces.segments[1].first + sends[1].record.offset, 32);
  EXPECT_EQ(pieces.segments[1].second, 8u);
  // Data that starts away from the buffer's address.
  EXPECT_EQ(run[0].layouts.at(sends[2].record.layout).segments.at(0).first, 80);
  EXPECT_EQ(sends[2].record.offset, 0);
}

TEST(recorder, persistent_requests_get_a_new_id_at_each_start) {
  const recorded_run run("persistent", 2);
  run.expect_complete();
  for (const bool receiver : {false, true}) {
    const recording_contents& r = run[receiver];
    const auto starts = calls_of(r, mpi_call::Start);
    const auto startall = calls_of(r, mpi_call::Startall);
    const auto waits = calls_of(r, mpi_call::Waitall);
    ASSERT_EQ(starts.size(), 4u);
    ASSERT_EQ(startall.size(), 2u);
    ASSERT_EQ(waits.size(), 3u);
    std::uint64_t newest = 0;
    for (const seen_call& s : starts) {
      EXPECT_EQ(s.record.part, receiver);
      ASSERT_EQ(s.requests.size(), 2u);
      EXPECT_GT(s.requests[0], newest);
      newest = s.requests[0];
      EXPECT_EQ(has(s.record.header.flags, rec::call_hash_valid), !receiver);
    }
    EXPECT_EQ(starts[0].requests[1], starts[2].requests[1]);
    EXPECT_NE(starts[0].requests[1], starts[1].requests[1]);
    EXPECT_EQ(startall[0].record.begin, startall[1].record.begin);
    EXPECT_EQ(startall[0].requests[1], starts[1].requests[1]);
    EXPECT_EQ(waits[0].requests,
              (std::vector<std::uint64_t>{starts[0].requests[0], 0, starts[1].requests[0]}));
    for (const seen_call& w : waits)
      EXPECT_EQ(w.completions.size(), 2u);
    const auto inactive = calls_of(r, mpi_call::Wait);
    ASSERT_EQ(inactive.size(), 1u);
    EXPECT_TRUE(inactive[0].completions.empty());
    EXPECT_EQ(inactive[0].requests, std::vector<std::uint64_t>{0});
    EXPECT_EQ(calls_of(r, mpi_call::Request_free).size(), 2u);
  }
  const auto sent = calls_of(run[0], mpi_call::Start);
  const auto received = calls_of(run[1], mpi_call::Waitall);
  EXPECT_NE(sent[0].record.hash, sent[2].record.hash) << "the buffer was refilled";
  EXPECT_EQ(received[0].completions[0].hash, sent[0].record.hash);
  EXPECT_EQ(received[1].completions[0].hash, sent[2].record.hash);
  EXPECT_EQ(received[1].completions[1].bytes, 512u);
  EXPECT_TRUE(has(received[1].completions[1].header.flags, rec::completion_any_source));
}

TEST(recorder, all_forms_of_completion) {
  const recorded_run run("completion", 2);
  run.expect_complete();
  const auto posted = calls_of(run[0], mpi_call::Isend);
  const auto waitall = calls_of(run[0], mpi_call::Waitall);
  ASSERT_EQ(posted.size(), 7u);
  ASSERT_EQ(waitall.size(), 1u);
  ASSERT_EQ(waitall[0].requests.size(), 8u);
  EXPECT_EQ(waitall[0].requests[6], 0u);
  ASSERT_EQ(waitall[0].completions.size(), 6u);
  for (const auto& done : waitall[0].completions)
    EXPECT_EQ(done.source, rec::peer_none);

  // Whichever calls completed them, the six receives complete once each, with their own tag and content.
  std::map<std::uint64_t, seen_call> open;
  for (const seen_call& c : calls_of(run[1], mpi_call::Irecv))
    open[c.requests.at(0)] = c;
  ASSERT_EQ(open.size(), 7u);
  std::size_t first_six = 0;
  for (const seen_call& c : run[1].calls)
    for (const auto& done : c.completions) {
      if (done.request == 0)
        continue; // blocking
      ASSERT_TRUE(open.count(done.request)) << "completed twice or never posted";
      const seen_call& post = open.at(done.request);
      EXPECT_EQ(done.tag, post.record.tag);
      EXPECT_EQ(done.bytes, 600u);
      if (done.tag < 6) {
        EXPECT_EQ(done.hash, posted.at(static_cast<std::size_t>(done.tag)).record.hash);
        ++first_six;
      }
      open.erase(done.request);
    }
  EXPECT_EQ(first_six, 6u);
  EXPECT_TRUE(open.empty());
  // Polls that cannot succeed are one record.
  std::uint64_t polls = 0;
  const auto tests = calls_of(run[1], mpi_call::Test);
  for (const seen_call& t : tests)
    polls += t.record.count;
  EXPECT_EQ(polls, 50u);
  EXPECT_EQ(tests.size(), 1u) << "also if two polls take turns";
  EXPECT_EQ(calls_of(run[1], mpi_call::Iprobe).size(), 1u);
  EXPECT_EQ(calls_of(run[1], mpi_call::Iprobe).at(0).record.count, 50u);
  // A send that is freed while active never completes here.
  const auto freed = calls_of(run[0], mpi_call::Request_free);
  ASSERT_EQ(freed.size(), 1u);
  EXPECT_EQ(freed[0].requests.at(0), posted[6].requests.at(0));
}

TEST(recorder, every_poll_is_counted) {
  const recorded_run run("polls", 2);
  run.expect_complete();
  const auto nothing_found = [&](mpi_call call) {
    std::uint64_t times = 0;
    for (const seen_call& c : calls_of(run[1], call))
      if (!has(c.record.header.flags, rec::call_flag_true) && c.completions.empty())
        times += c.record.count;
    return times;
  };
  EXPECT_GE(nothing_found(mpi_call::Test), 2000u); // and those while the messages are under way
  EXPECT_GE(nothing_found(mpi_call::Testany), 1000u);
  EXPECT_EQ(nothing_found(mpi_call::Testsome), 700u);
  EXPECT_EQ(nothing_found(mpi_call::Testall), 700u);
  EXPECT_EQ(nothing_found(mpi_call::Iprobe), 600u);
  EXPECT_EQ(nothing_found(mpi_call::Improbe), 600u);
  const auto sent = calls_of(run[0], mpi_call::Send);
  std::size_t completed = 0;
  for (const mpi_call call : {mpi_call::Test, mpi_call::Testany})
    for (const seen_call& c : calls_of(run[1], call))
      for (const auto& done : c.completions) {
        EXPECT_EQ(done.bytes, 600u);
        EXPECT_EQ(done.source, 0);
        EXPECT_EQ(done.hash, sent.at(static_cast<std::size_t>(done.tag)).record.hash);
        ++completed;
      }
  EXPECT_EQ(completed, 2u);
  EXPECT_LE(calls_of(run[1], mpi_call::Test).size(), 6u) << "of two places, and of what was found";
}

TEST(recorder, probes_and_matched_receives) {
  const recorded_run run("probes", 2);
  run.expect_complete();
  std::uint64_t unsuccessful = 0;
  for (const seen_call& p : calls_of(run[1], mpi_call::Iprobe)) {
    EXPECT_FALSE(has(p.record.header.flags, rec::call_flag_true));
    unsuccessful += p.record.count;
  }
  EXPECT_EQ(unsuccessful, 20u);
  const auto probe = calls_of(run[1], mpi_call::Probe);
  ASSERT_EQ(probe.size(), 1u);
  EXPECT_EQ(probe[0].record.peer, rec::peer_any);
  const auto matched = calls_of(run[1], mpi_call::Mrecv);
  ASSERT_EQ(matched.size(), 2u);
  EXPECT_EQ(matched[0].record.comm, 1u);
  EXPECT_EQ(matched[0].record.peer, rec::peer_any);
  EXPECT_EQ(matched[0].record.tag, rec::any_tag);
  EXPECT_EQ(matched[0].completions.at(0).tag, 11);
  EXPECT_EQ(matched[0].completions.at(0).bytes, 1100u);
  EXPECT_TRUE(has(matched[0].completions.at(0).header.flags, rec::completion_any_source));
  EXPECT_EQ(matched[1].completions.at(0).source, rec::peer_null);
  const auto posted = calls_of(run[1], mpi_call::Imrecv);
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_EQ(posted[0].record.tag, 12);
  const auto wait = calls_of(run[1], mpi_call::Wait);
  ASSERT_EQ(wait.size(), 1u);
  EXPECT_EQ(wait[0].completions.at(0).request, posted[0].requests.at(0));
  EXPECT_EQ(wait[0].completions.at(0).bytes, 1200u);
}

TEST(recorder, cancelled_receive) {
  const recorded_run run("cancelled", 1);
  run.expect_complete();
  const auto wait = calls_of(run[0], mpi_call::Wait);
  ASSERT_EQ(wait.size(), 1u);
  ASSERT_EQ(wait[0].completions.size(), 1u);
  const auto& done = wait[0].completions[0];
  EXPECT_TRUE(has(done.header.flags, rec::completion_cancelled));
  EXPECT_FALSE(has(done.header.flags, rec::completion_hash_valid));
  EXPECT_EQ(done.bytes, 0u);
}

TEST(recorder, sendrecv_is_two_records) {
  const recorded_run run("sendrecv", 2);
  run.expect_complete();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto both = calls_of(run[rank], mpi_call::Sendrecv);
    ASSERT_EQ(both.size(), 4u);
    EXPECT_EQ(both[0].record.part, 0);
    EXPECT_EQ(both[1].record.part, 1);
    EXPECT_EQ(both[0].record.begin, both[1].record.begin);
    EXPECT_EQ(both[0].record.count, 1000u);
    EXPECT_EQ(both[1].record.count, 2000u);
    EXPECT_EQ(both[1].record.offset, 2048);
    EXPECT_TRUE(both[0].completions.empty());
    EXPECT_EQ(both[1].completions.at(0).bytes, 1000u);
    const auto other = calls_of(run[1 - rank], mpi_call::Sendrecv);
    EXPECT_EQ(both[1].completions.at(0).hash, other.at(0).record.hash);
    EXPECT_EQ(both[2].record.peer, static_cast<std::int32_t>(rank)) << "to itself";
    const auto replace = calls_of(run[rank], mpi_call::Sendrecv_replace);
    ASSERT_EQ(replace.size(), 2u);
    EXPECT_EQ(replace[1].completions.at(0).bytes, 500u);
    EXPECT_NE(replace[0].record.hash, replace[1].completions.at(0).hash);
  }
}

TEST(recorder, communicators_have_one_key_on_all_members) {
  const recorded_run run("communicators", 2);
  run.expect_complete();
  // By key: members and how often each rank made it.
  std::map<std::uint64_t, std::vector<std::uint32_t>> members;
  std::map<std::uint64_t, int> makers;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::map<std::uint64_t, int> mine;
    for (const auto& [id, comm] : run[rank].comms) {
      EXPECT_NE(comm.record.key, 0u) << id;
      EXPECT_EQ(++mine[comm.record.key], 1) << "two communicators of a rank with one key";
      ++makers[comm.record.key];
      if (comm.record.inter)
        continue;
      EXPECT_EQ(comm.members.at(comm.record.rank), rank);
      const auto [known, fresh] = members.emplace(comm.record.key, comm.members);
      EXPECT_TRUE(fresh || known->second == comm.members);
    }
  }
  for (const auto& [key, list] : members)
    EXPECT_EQ(makers[key], static_cast<int>(list.size()));
  const auto made_by = [&](std::size_t rank, mpi_call call) {
    std::vector<seen_comm> found;
    for (const auto& [id, comm] : run[rank].comms)
      if (comm.record.call == static_cast<std::uint16_t>(call))
        found.push_back(comm);
    return found;
  };
  EXPECT_EQ(made_by(0, mpi_call::Comm_split).size(), 2u);
  EXPECT_EQ(made_by(1, mpi_call::Comm_split).size(), 3u) << "rank 0 passed MPI_UNDEFINED once";
  for (const mpi_call call : {mpi_call::Cart_create, mpi_call::Comm_idup, mpi_call::Comm_create,
                              mpi_call::Intercomm_create, mpi_call::Intercomm_merge}) {
    const auto first = made_by(0, call), second = made_by(1, call);
    ASSERT_EQ(first.size(), 1u);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(first[0].record.key, second[0].record.key);
  }
  EXPECT_EQ(made_by(0, mpi_call::Intercomm_create)[0].record.inter, 1u);
  EXPECT_EQ(made_by(0, mpi_call::Comm_create_group).size(), 1u);
  // Calls name them: the last barrier is on the merged one.
  EXPECT_EQ(calls_of(run[0], mpi_call::Barrier).back().record.comm,
            made_by(0, mpi_call::Intercomm_merge)[0].record.id);
}

TEST(recorder, collectives) {
  const recorded_run run("collectives", 2);
  run.expect_complete();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const recording_contents& r = run[rank];
    const auto bcast = calls_of(r, mpi_call::Bcast);
    ASSERT_EQ(bcast.size(), 1u);
    EXPECT_EQ(bcast[0].record.peer, 1);
    EXPECT_EQ(bcast[0].record.part, rank == 0);
    const auto gather = calls_of(r, mpi_call::Gather);
    ASSERT_EQ(gather.size(), rank == 0 ? 2u : 1u);
    EXPECT_EQ(has(gather[0].record.header.flags, rec::call_in_place), rank == 0);
    const auto scatterv = calls_of(r, mpi_call::Scatterv);
    ASSERT_EQ(scatterv.size(), rank == 0 ? 2u : 1u);
    EXPECT_EQ(scatterv.back().record.count, rank + 1);
    if (rank == 0) {
      EXPECT_EQ(scatterv[0].record.count, 3u);
    }
    const auto allreduce = calls_of(r, mpi_call::Allreduce);
    ASSERT_EQ(allreduce.size(), 2u);
    EXPECT_TRUE(has(allreduce[0].record.header.flags, rec::call_in_place));
    EXPECT_EQ(allreduce[1].record.count, 11u);
    const auto scattered = calls_of(r, mpi_call::Reduce_scatter);
    ASSERT_EQ(scattered.size(), 2u);
    EXPECT_EQ(scattered[0].record.count, 3u);
    EXPECT_EQ(scattered[1].record.count, rank + 1);
    const auto ibarrier = calls_of(r, mpi_call::Ibarrier);
    ASSERT_EQ(ibarrier.size(), 1u);
    const auto waits = calls_of(r, mpi_call::Wait);
    ASSERT_EQ(waits.size(), 2u);
    EXPECT_EQ(waits[1].completions.at(0).request, ibarrier[0].requests.at(0));
  }
}

TEST(recorder, forwarding_is_observed_and_only_where_nothing_changed) {
  const recorded_run run("forwards", 2);
  run.expect_complete();
  const auto sends = calls_of(run[1], mpi_call::Send);
  ASSERT_EQ(sends.size(), 8u);
  using part = std::vector<std::uint64_t>;
  std::vector<std::vector<part>> seen;
  for (const seen_call& s : sends) {
    seen.emplace_back();
    for (const auto& f : s.forwards)
      seen.back().push_back({f.receive, f.receive_offset, f.send_offset, f.length});
  }
  EXPECT_EQ(seen[0], (std::vector<part>{{0, 0, 0, 4096}})) << "whole message";
  EXPECT_EQ(seen[1], (std::vector<part>{{0, 1000, 0, 2000}})) << "part of a message";
  EXPECT_EQ(seen[2], (std::vector<part>{{0, 2048, 0, 2048}, {1, 0, 2048, 2048}})) << "regrouped";
  EXPECT_TRUE(seen[3].empty()) << "same content elsewhere is a copy, not a forward";
  EXPECT_TRUE(seen[4].empty()) << "changed content";
  EXPECT_EQ(seen[5], (std::vector<part>{{1, 0, 4096, 4096}})) << "half changed";
  EXPECT_EQ(seen[6], (std::vector<part>{{2, 0, 0, 4096}, {1, 0, 4096, 4096}})) << "newest receive wins";
  EXPECT_TRUE(seen[7].empty()) << "freed and allocated anew";
}

TEST(recorder, without_hashing_there_is_no_content) {
  const recorded_run run("forwards", 2, "TACIT_HASH=0");
  run.expect_complete();
  EXPECT_EQ(run[0].start.hashing, 0u);
  for (const seen_call& c : run[1].calls) {
    EXPECT_TRUE(c.forwards.empty());
    EXPECT_FALSE(has(c.record.header.flags, rec::call_hash_valid));
    for (const auto& done : c.completions)
      EXPECT_FALSE(has(done.header.flags, rec::completion_hash_valid));
  }
}

/// The program ends if the recorder touches the device (guarded_device.c).
TEST(recorder, device_memory_is_not_read_and_the_report_says_so) {
  const recorded_run run("device", 2, "FAKE_DEVICE=" + place("DEVICE"));
  run.expect_complete();
  EXPECT_EQ(run.text("out").find("something else"), std::string::npos) << run.text("out");
  std::vector<seen_call> sends = calls_of(run[0], mpi_call::Send);
  ASSERT_EQ(sends.size(), 4u);
  const std::uint16_t what = rec::call_in_device | rec::call_hash_valid;
  const std::uint16_t expected[] = {rec::call_in_device, rec::call_hash_valid, rec::call_in_device,
                                    rec::call_hash_valid};
  for (std::size_t i = 0; i < sends.size(); ++i) {
    EXPECT_EQ(sends[i].record.header.flags & what, expected[i]) << i;
    EXPECT_EQ(sends[i].record.hash != 0, i % 2 == 1) << i;
  }
  const auto starts = calls_of(run[0], mpi_call::Start);
  ASSERT_EQ(starts.size(), 2u);
  for (const seen_call& s : starts) {
    EXPECT_EQ(s.record.header.flags & what, rec::call_in_device);
    EXPECT_EQ(s.record.hash, 0u);
  }
  std::size_t unread = 0, hashed = 0, forwards = 0;
  for (const seen_call& c : run[1].calls) {
    forwards += c.forwards.size();
    for (const rec::completion_record& done : c.completions) {
      unread += has(done.header.flags, rec::completion_in_device);
      hashed += has(done.header.flags, rec::completion_hash_valid);
    }
  }
  EXPECT_EQ(unread, 5u); // tags 1, 3, 4 twice, 6
  EXPECT_EQ(hashed, 2u); // tags 2 and 5, which is empty
  EXPECT_EQ(forwards, 0u) << "what is not read is not seen to be passed on";

  diagnostics problems;
  const rec::analysis a = rec::analyze(rec::read_recording(run.recording(), problems), problems);
  EXPECT_EQ(a.in_device, 12u); // on each rank five and one
  const auto said = std::find_if(problems.begin(), problems.end(),
                                 [](const diagnostic& d) { return d.code == number(reason::device_memory); });
  ASSERT_NE(said, problems.end());
  EXPECT_NE(said->message.find(std::to_string(a.in_device) + " sends and receives"), std::string::npos)
      << said->message;
  EXPECT_NE(surface::json_of(a, problems, {}).find("TACIT-051"), std::string::npos);
}

TEST(recorder, calls_outside_the_model_are_marked) {
  const recorded_run run("unmodelled", 2);
  run.expect_complete();
  for (const mpi_call call : {mpi_call::File_open, mpi_call::Grequest_start, mpi_call::Grequest_complete}) {
    const auto found = calls_of(run[0], call);
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(has(found[0].record.header.flags, rec::call_unknown));
  }
  const auto started = calls_of(run[0], mpi_call::Grequest_start);
  const auto wait = calls_of(run[0], mpi_call::Wait);
  ASSERT_EQ(wait.size(), 1u);
  EXPECT_EQ(wait[0].completions.at(0).request, started[0].requests.at(0));
}

TEST(recorder, threads) {
  const recorded_run run("threads", 2);
  run.expect_complete();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto posted = calls_of(run[rank], rank == 0 ? mpi_call::Isend : mpi_call::Irecv);
    ASSERT_EQ(posted.size(), 600u);
    std::map<std::uint64_t, std::int32_t> open;
    std::size_t completed = 0;
    for (const seen_call& c : run[rank].calls) {
      if (c.record.call == posted[0].record.call)
        open[c.requests.at(0)] = c.record.tag;
      for (const auto& done : c.completions) {
        ASSERT_TRUE(open.count(done.request));
        if (rank == 1) {
          EXPECT_EQ(done.tag, open[done.request]);
        }
        open.erase(done.request);
        ++completed;
      }
    }
    EXPECT_EQ(completed, 600u);
  }
}

TEST(recorder, forked_children_do_not_write) {
  const recorded_run run("forked", 1);
  run.expect_complete();
  EXPECT_EQ(calls_of(run[0], mpi_call::Sendrecv_replace).size(), 4u);
}

TEST(recorder, a_killed_rank_leaves_everything_up_to_its_last_call) {
  const recorded_run run("killed", 2);
  EXPECT_NE(run.status(), 0);
  EXPECT_EQ(calls_of(run[1], mpi_call::Sendrecv).size(), 2000u) << "1000 calls, two records each";
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(run[rank].started && run[rank].well_formed);
    EXPECT_FALSE(run[rank].finished);
    EXPECT_GE(calls_of(run[rank], mpi_call::Sendrecv).size(), 1998u);
  }
}

TEST(recorder, an_aborted_run_can_be_read) {
  const recorded_run run("aborted", 2);
  EXPECT_NE(run.status(), 0);
  // MPI_Abort of MPICH 5's library of the standard ABI calls itself once more.
  EXPECT_EQ(calls_of(run[0], mpi_call::Abort).size(), place("MPI_FAMILY") == "mpi-abi" ? 2u : 1u);
  EXPECT_TRUE(run[0].well_formed && run[1].well_formed);
  EXPECT_FALSE(run[0].finished);
}

TEST(recorder, a_full_disk_stops_the_recording_and_not_the_program) {
  const recorded_run run("limited", 2, "TACIT_FOLD=0"); // folded there is room for all
  EXPECT_EQ(run.status(), 0) << run.text("err");
  EXPECT_NE(run.text("out").find("rank 0 done"), std::string::npos);
  EXPECT_NE(run.text("out").find("rank 1 done"), std::string::npos);
  const std::string said = run.text("err");
  const std::size_t first = said.find("TACIT-084");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("TACIT-084", first + 1), std::string::npos) << "said more than once: " << said;
  EXPECT_NE(said.find("TACIT_RECORD"), std::string::npos) << "no remedy: " << said;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(run[rank].started && run[rank].well_formed);
    EXPECT_FALSE(run[rank].finished);
    EXPECT_GT(run[rank].calls.size(), 5000u);
  }
}

TEST(recorder, calls_that_repeat_cost_few_bytes_and_all_come_back) {
  const auto recorded = [](const std::string& environment, std::uintmax_t& bytes) {
    const recorded_run run("much", 1, environment);
    run.expect_complete();
    bytes = std::filesystem::file_size(run.recording() + "/" + rec::recording_name(0));
    return run[0];
  };
  std::uintmax_t folded_bytes = 0, plain_bytes = 0;
  const recording_contents folded = recorded("", folded_bytes), plain = recorded("TACIT_FOLD=0", plain_bytes);
  EXPECT_LE(folded_bytes, 20u * 20000);
  EXPECT_GE(plain_bytes, 200u * 20000);
  ASSERT_EQ(folded.calls.size(), plain.calls.size());
  for (std::size_t i = 0; i < plain.calls.size(); ++i) {
    const seen_call &a = folded.calls[i], &b = plain.calls[i];
    EXPECT_EQ(a.record.call, b.record.call) << i;
    EXPECT_EQ(a.record.tag, b.record.tag) << i;
    EXPECT_EQ(a.record.peer, b.record.peer) << i;
    EXPECT_EQ(a.record.count, b.record.count) << i;
    EXPECT_EQ(a.record.hash, b.record.hash) << i;
    EXPECT_LE(a.record.begin, a.record.end) << i;
    EXPECT_EQ(a.completions.size(), b.completions.size()) << i;
  }
}

TEST(recorder, a_recording_is_never_overwritten) {
  const recorded_run run("cancelled", 1, "TACIT_RECORD=/dev/null/nowhere");
  EXPECT_EQ(run.status(), 0);
  EXPECT_NE(run.text("err").find("TACIT-084"), std::string::npos) << run.text("err");
  EXPECT_NE(run.text("out").find("rank 0 done"), std::string::npos);
}

TEST(recorder, the_mark_of_an_earlier_run_silences_nobody) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tacit-mark-" + std::to_string(getpid()));
  const std::filesystem::path name = rec::recording_name(0);
  std::filesystem::create_directories(folder /
                                      std::filesystem::path(name).replace_extension("tail")); // no file
  std::ofstream(folder / rec::stop_mark) << "";
  std::filesystem::last_write_time(folder / rec::stop_mark,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const recorded_run run("cancelled", 1, "TACIT_RECORD=" + folder.string());
  EXPECT_EQ(run.status(), 0);
  EXPECT_NE(run.text("err").find("TACIT-084"), std::string::npos) << run.text("err");
  std::filesystem::remove_all(folder);
}

// One command may start several programs; the folder has room for the recording of one.
TEST(recorder, a_second_program_in_a_folder_is_told_why_it_is_not_recorded) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tacit-second-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  for (const int rank : {0, 1})
    std::ofstream(folder / rec::recording_name(rank)) << "that of the first one";
  const recorded_run run("cancelled", 2, "TACIT_RECORD=" + folder.string());
  EXPECT_EQ(run.status(), 0);
  const std::string said = run.text("err");
  const std::size_t first = said.find("has the recording of another program already");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("TACIT-084", first), std::string::npos) << "said more than once: " << said;
  EXPECT_EQ(said.find("File exists"), std::string::npos) << said;
  EXPECT_FALSE(std::filesystem::exists(folder / rec::stop_mark)) << "the first one did not stop";
  std::filesystem::remove_all(folder);
}

// Two processes that the launcher of another library has started, each of which is rank 0 of 1.
TEST(recorder, processes_that_a_foreign_launcher_started_are_told_so) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tacit-apart-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / rec::recording_name(0)) << "that of the other process";
  const std::string command = "env PMI_SIZE=2 TACIT_RECORD=" + folder.string() + preloaded() + " " +
                              place("PROGRAMS") + " cancelled 1 > /dev/null 2> " + (folder / "err").string() +
                              " < /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream err(folder / "err");
  const std::string said{std::istreambuf_iterator<char>(err), {}};
  EXPECT_NE(
      said.find("TACIT-083: several processes record as rank 0 of 1: the launcher belongs to another MPI"),
      std::string::npos)
      << said;
  EXPECT_EQ(said.find("File exists"), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::exists(folder / rec::launched_apart_mark));
  std::filesystem::remove_all(folder);
}

TEST(recorder, unknown_variables_are_reported_once) {
  const recorded_run run("sendrecv", 2, "TACIT_HASCH=1 TACIT_HASH=maybe");
  EXPECT_EQ(run.status(), 0);
  const std::string said = run.text("err");
  const std::size_t first = said.find("TACIT_HASCH");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("TACIT_HASCH", first + 1), std::string::npos) << said;
  EXPECT_NE(said.find("TACIT_HASH is \"maybe\", but must be 0 or 1"), std::string::npos) << said;
  EXPECT_TRUE(run[0].finished);
}

TEST(recorder, many_records_and_their_cost) {
  const recorded_run run("much", 1);
  run.expect_complete();
  EXPECT_EQ(calls_of(run[0], mpi_call::Sendrecv_replace).size(), 40000u);
  EXPECT_EQ(run[0].completions, 20000u);
  EXPECT_GT(run[0].finish.recorder_ticks, run[0].finish.hash_ticks);
  EXPECT_GT(run[0].finish.hash_ticks, 0u);
  EXPECT_GT(run[0].finish.cpu_ns, 0u);
  EXPECT_GT(run[0].start.seconds_per_tick, 1e-11);
}

TEST(recorder, chained_to_the_next_tool) {
  const recorded_run run("blocking", 2, "TACIT_CHAIN=1");
  run.expect_complete();
  EXPECT_EQ(calls_of(run[0], mpi_call::Send).size(), 3u) << "each call recorded once";
}

TEST(recorder, linked_statically) {
  const recorded_run run("sendrecv", 2, "", false);
  run.expect_complete();
  EXPECT_EQ(calls_of(run[0], mpi_call::Sendrecv).size(), 4u);
}

TEST(recorder, a_program_of_the_standard_abi_is_refused_and_not_disturbed) {
  if (!has_place("ABI_PROGRAM"))
    GTEST_SKIP() << "this is the build for the standard ABI";
  for (const std::string asked : {"TACIT_RECORD=", "TACIT_APPLY=1 IGNORED="}) {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("tacit-abi-" + std::to_string(getpid()))).string();
    std::filesystem::create_directories(folder);
    const std::string command = "env " + asked + folder + "/rec" + preloaded() + " " + place("ABI_PROGRAM") +
                                " > " + folder + "/out 2> " + folder + "/err < /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << asked;
    std::ifstream err(folder + "/err"), out(folder + "/out");
    const std::string said{std::istreambuf_iterator<char>(err), {}},
        printed{std::istreambuf_iterator<char>(out), {}};
    EXPECT_NE(said.find("TACIT-083"), std::string::npos) << said;
    EXPECT_NE(said.find("MPICH Version:      5.0.2 (binary interface: the standard MPI ABI)"),
              std::string::npos)
        << said;
    EXPECT_EQ(printed, "rank 0 done\n");
    EXPECT_FALSE(std::filesystem::exists(folder + "/rec/rank-00000.rec"));
    std::filesystem::remove_all(folder);
  }
}

TEST(recorder, another_mpi_family_is_refused_and_not_disturbed) {
  if (!has_place("OTHER_PROGRAMS"))
    GTEST_SKIP() << "no other MPI library is installed";
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("tacit-other-" + std::to_string(getpid()))).string();
  std::filesystem::create_directories(folder);
  const std::string command = place("OTHER_LAUNCHER") + " -n 2 env TACIT_RECORD=" + folder + "/rec" +
                              preloaded() + " " + place("OTHER_PROGRAMS") + " communicators 2 > " + folder +
                              "/out 2> " + folder + "/err < /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream err(folder + "/err"), out(folder + "/out");
  const std::string said{std::istreambuf_iterator<char>(err), {}},
      printed{std::istreambuf_iterator<char>(out), {}};
  const std::size_t first = said.find("TACIT-083");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("TACIT-083", first + 1), std::string::npos) << "said more than once: " << said;
  EXPECT_NE(printed.find("rank 0 done"), std::string::npos);
  EXPECT_NE(printed.find("rank 1 done"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder + "/rec/rank-00000.rec"));
  std::filesystem::remove_all(folder);
}
