// SPDX-License-Identifier: BSD-3-Clause
// Of three ranks on two nodes that merge, each a process, one is killed before and after each of its system calls: who sends,
// who passes on, who gathers. The others end, and the record of all is read, with nothing else left.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "base/error.hpp"
#include "faults/interrupter.hpp"
#include "made_up_job.hpp"
#include "os/files/descriptor.hpp"
#include "record/merge/merge.hpp"
#include "record/run/recover.hpp"
#include "record/run/run_reader.hpp"
#include "sanitizer.hpp"
#include "shared.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

constexpr int kRanks = 3;
constexpr int kNodes = 2;
enum Part { gatherer = 0, sender = 1, leader = 2 };  // by rank: ranks 0 and 1 are on node 0, rank 2 leads node 1
constexpr int kPeerIsGone = 4;
constexpr int kMostStops = 4000;

// A socket between each two ranks. Whoever dies closes its ends, and with them the other's waits.
class Sockets {
 public:
  Sockets() {
    for (std::size_t one = 0; one < kRanks; ++one) {
      for (std::size_t other = 0; other < one; ++other) {
        std::array<int, 2> pair{};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) std::abort();
        ends_[one][other] = os::Descriptor(pair[0]);
        ends_[other][one] = os::Descriptor(pair[1]);
      }
    }
  }
  void keep_those_of(int rank) {
    for (std::size_t one = 0; one < kRanks; ++one) {
      if (one != static_cast<std::size_t>(rank)) ends_[one] = {};
    }
  }
  [[nodiscard]] int between(int mine, int other) const {
    return ends_.at(static_cast<std::size_t>(mine)).at(static_cast<std::size_t>(other)).number();
  }

 private:
  std::array<std::array<os::Descriptor, kRanks>, kRanks> ends_;
};

class SocketExchange final : public record::Exchange {
 public:
  SocketExchange(const Sockets& sockets, int rank) : sockets_(sockets), rank_(rank) {}
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return kRanks; }
  void send(int to, std::span<const std::byte> bytes) override {
    const std::uint64_t count = bytes.size();
    put(to, std::as_bytes(std::span(&count, 1)));
    put(to, bytes);
  }
  [[nodiscard]] record::Bytes receive(int from) override {
    std::uint64_t count = 0;
    get(from, std::as_writable_bytes(std::span(&count, 1)));
    record::Bytes bytes(count);
    get(from, bytes);
    return bytes;
  }

 private:
  void put(int to, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) bytes = bytes.subspan(moved(::send(at(to), bytes.data(), bytes.size(), MSG_NOSIGNAL)));
  }
  void get(int from, std::span<std::byte> bytes) const {
    while (!bytes.empty()) bytes = bytes.subspan(moved(::recv(at(from), bytes.data(), bytes.size(), 0)));
  }
  static std::size_t moved(ssize_t bytes) {
    if (bytes <= 0) throw Error(Status::peer_lost, "the other rank is gone");
    return static_cast<std::size_t>(bytes);
  }
  [[nodiscard]] int at(int other) const { return sockets_.between(rank_, other); }

  const Sockets& sockets_;
  int rank_;
};

[[noreturn]] void merge_as(int rank, const MadeUpJob& job, Sockets& sockets, InterruptWords* blow) {
  sockets.keep_those_of(rank);
  std::optional<Step> step;
  if (blow != nullptr) step.emplace(*blow);
  try {
    SocketExchange exchange(sockets, rank);
    const record::MergeOutcome outcome = record::merge(exchange, job.plan(static_cast<std::uint32_t>(rank)));
    if (blow != nullptr) blow->counting.store(0);
    ::_exit(outcome.problem.empty() ? 0 : 3);
  } catch (const Error&) {
    ::_exit(kPeerIsGone);
  }
}

// All is read: merged by the ranks, or by the reader from what they left.
void expect_all_is_read(const MadeUpJob& job, const std::string& folder) {
  EXPECT_EQ(record::recover(folder).missing_ranks, 0U);
  EXPECT_EQ(os::Folder(folder).names(), std::vector<std::string>{"run.comity"});
  job.expect_nothing_in_scratch();
  const record::RunReader run(folder);
  ASSERT_EQ(run.ranks().size(), std::size_t{kRanks});
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const record::RankBody body = run.rank(rank);
    EXPECT_FALSE(body.is_damaged);
    EXPECT_EQ(body.content.tables.at("calls"), calls_of(rank));
    EXPECT_EQ(body.content.series.at(0).entries.back().last, rank + 499);
  }
}

// False where the victim has fewer stops, nothing where the kernel refuses to trace.
std::optional<bool> kill_at_stop(int nth, int victim) {
  const TemporaryFolder user;
  const MadeUpJob job(kRanks, kNodes, {user / "run"});
  job.record_all();
  Shared<InterruptWords> blow;
  std::array<pid_t, kRanks> processes{};
  {
    Sockets sockets;
    for (int rank = 0; rank < kRanks; ++rank) {
      const pid_t process = ::fork();
      if (process == 0) merge_as(rank, job, sockets, rank == victim ? &*blow : nullptr);
      processes.at(static_cast<std::size_t>(rank)) = process;
    }
  }
  Interrupter interrupter(*blow, nth, Blow::kill, Grain::system_calls);
  interrupter.finish();
  for (int rank = 0; rank < kRanks; ++rank) {
    int status = 0;
    ::waitpid(processes.at(static_cast<std::size_t>(rank)), &status, 0);
    if (rank == victim) continue;
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kPeerIsGone))
        << "rank " << rank << " ended with " << status;
  }
  if (blow->refused.load()) return std::nullopt;
  expect_all_is_read(job, user / "run");
  return blow->struck.load();
}

constexpr int kStep = kHasSanitizer ? 3 : 1;  // a stop in so many, for these take longer

struct Victim {
  int rank;
  int least;  // stops: what was counted, less a margin; a sweep that finds fewer is blind
};

class KilledMerger : public ::testing::TestWithParam<Victim> {};

TEST_P(KilledMerger, AtEachSystemCallLeavesTheRecordOfAll) {
  const Victim& victim = GetParam();
  int stop = 1;
  for (; stop < kMostStops && !HasFailure(); stop += kStep) {
    SCOPED_TRACE("stop " + std::to_string(stop));
    const std::optional<bool> struck = kill_at_stop(stop, victim.rank);
    if (!struck) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
    if (!*struck) break;
  }
  std::printf("%d stops\n", stop - 1);
  EXPECT_GE(stop - 1, victim.least);
}

INSTANTIATE_TEST_SUITE_P(
    Of, KilledMerger, ::testing::Values(Victim{gatherer, 100}, Victim{sender, 20}, Victim{leader, 70}),
    [](const auto& one) {
      return std::string(one.param.rank == gatherer ? "TheGatherer" : one.param.rank == sender ? "ASender" : "ALeader");
    });

}  // namespace
}  // namespace comity::testing
