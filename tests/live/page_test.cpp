// SPDX-License-Identifier: BSD-3-Clause
// The live page: what threads write, and what a reader makes of whole and of damaged ones.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <thread>

#include "base/error.hpp"
#include "live/page_reader.hpp"
#include "live/page_writer.hpp"

namespace comity::live {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array<std::string_view, 3> kNames{"MPI_Barrier", "MPI_Recv", "MPI_Send"};
enum Function : std::uint32_t { barrier, recv, send };

// A process has one page, and a thread one row for all its life: so each test runs on a thread of its own.
void on_its_own_thread(const std::function<void()>& test) { std::thread(test).join(); }

Bytes copy_of(const PageWriter& page) {
  Bytes copy(os::file_facts(page.file()).bytes);
  EXPECT_EQ(os::read_at(page.file(), copy, 0), copy.size());
  return copy;
}

PageView shown(const PageWriter& page) { return read_page(copy_of(page)); }

// The page of one thread that is in a call and a region.
Bytes sample() {
  Bytes copy;
  on_its_own_thread([&] {
    PageWriter page(kNames);
    page.begin({0xABC, 2, 4, "An MPI"});
    page.turn_to("step/solve");
    const InCall call(recv, 5);
    copy = copy_of(page);
  });
  return copy;
}

template <typename Change>
Bytes changed(Change&& change) {
  Bytes copy = sample();
  Header header;
  std::memcpy(&header, copy.data(), sizeof header);
  change(header);
  std::memcpy(copy.data(), &header, sizeof header);
  return copy;
}

template <typename Change>
PageView with_row(Change&& change) {
  Bytes copy = sample();
  Header header;
  std::memcpy(&header, copy.data(), sizeof header);
  Row row;
  std::memcpy(&row, copy.data() + header.rows_at, sizeof row);
  change(row);
  std::memcpy(copy.data() + header.rows_at, &row, sizeof row);
  return read_page(copy);
}

Status refusal(const Bytes& copy) {
  try {
    (void)read_page(copy);
  } catch (const Error& error) {
    return error.status();
  }
  return Status::ok;
}

TEST(LivePage, TellsWhoTheRankIs) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    EXPECT_EQ(shown(page).phase, Phase::before_init);
    page.begin({0xABC, 2, 4, "An MPI"});
    const PageView view = shown(page);
    EXPECT_EQ(view.phase, Phase::in_run);
    EXPECT_EQ(view.process, static_cast<std::uint32_t>(::getpid()));
    EXPECT_EQ(view.main_thread, static_cast<std::uint32_t>(::gettid()));
    EXPECT_EQ(view.rank, 2U);
    EXPECT_EQ(view.ranks, 4U);
    EXPECT_EQ(view.job, 0xABCU);
    EXPECT_EQ(view.mpi, "An MPI");
    page.end();
    EXPECT_EQ(shown(page).phase, Phase::after_finalize);
  });
}

TEST(LivePage, TellsTheCallThatAThreadIsIn) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    PageView view;
    {
      const InCall call(recv, 77);
      EXPECT_EQ(PageWriter::call_of_this_thread(), recv + 1);
      view = shown(page);
    }
    EXPECT_EQ(PageWriter::call_of_this_thread(), kOutside);
    ASSERT_EQ(view.threads.size(), 1U);
    EXPECT_EQ(view.threads[0].thread, static_cast<std::uint32_t>(::gettid()));
    EXPECT_EQ(view.threads[0].function, "MPI_Recv");
    EXPECT_EQ(view.threads[0].since_ns, 77);
    view = shown(page);
    EXPECT_EQ(view.threads[0].function, "");
    EXPECT_EQ(view.threads[0].since_ns, 0);
  });
}

TEST(LivePage, TellsThreadsApart) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    const InCall call(recv, 1);
    std::barrier<> inside(2);
    std::thread other([&] {
      const InCall another(send, 2);
      inside.arrive_and_wait();
      inside.arrive_and_wait();
    });
    inside.arrive_and_wait();
    const PageView view = shown(page);
    inside.arrive_and_wait();
    other.join();
    ASSERT_EQ(view.threads.size(), 2U);
    EXPECT_EQ(view.threads[0].function, "MPI_Recv");
    EXPECT_EQ(view.threads[1].function, "MPI_Send");
  });
}

TEST(LivePage, TellsTheRegionAndOfALongPathItsEnd) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    page.turn_to("step/solve");
    EXPECT_EQ(shown(page).threads[0].region, "step/solve");
    const std::string longest(kRegion_bytes, 'r');
    page.turn_to(longest);
    EXPECT_EQ(shown(page).threads[0].region, longest);
    page.turn_to("begin/" + std::string(kRegion_bytes, 'r') + "/end");
    EXPECT_EQ(shown(page).threads[0].region, ".." + std::string(kRegion_bytes - 6, 'r') + "/end");
    std::string letters;
    for (int i = 0; i < 100; ++i) letters += "\u00e4";
    page.turn_to(letters + 'x');  // 98 bytes would begin inside a letter
    EXPECT_EQ(shown(page).threads[0].region, ".." + letters.substr(0, 96) + 'x');
    page.turn_to("");
    EXPECT_EQ(shown(page).threads[0].region, "");
  });
}

TEST(LivePage, CountsThreadsForWhichThereIsNoRow) {
  on_its_own_thread([] {
    constexpr std::uint32_t kThreads = kRows + 3;
    PageWriter page(kNames);
    std::barrier<> inside(kThreads + 1);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const InCall call(send, 0);
        page.turn_to("anywhere");
        inside.arrive_and_wait();
        inside.arrive_and_wait();
      });
    }
    inside.arrive_and_wait();
    const PageView view = shown(page);
    inside.arrive_and_wait();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(view.threads.size(), kRows);
    EXPECT_EQ(view.untold_threads, 3U);
  });
}

TEST(LivePage, GivesRowsOfEndedThreadsToNewOnes) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    for (std::uint32_t i = 0; i < kRows + 44; ++i) {
      on_its_own_thread([&] {
        page.turn_to("old");
        const InCall call(send, 0);
      });
    }
    std::uint32_t thread = 0;
    PageView view;
    on_its_own_thread([&] {
      const InCall call(recv, 0);
      thread = static_cast<std::uint32_t>(::gettid());
      view = shown(page);
    });
    EXPECT_EQ(view.untold_threads, 0U);
    std::size_t found = 0;
    for (const ThreadView& one : view.threads) {
      if (one.thread != thread) continue;
      ++found;
      EXPECT_EQ(one.function, "MPI_Recv");
      EXPECT_EQ(one.region, "");
    }
    EXPECT_EQ(found, 1U);
  });
}

TEST(LivePage, IsNotWrittenByAForkChild) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    page.begin({1, 0, 1, "An MPI"});
    page.turn_to("parent");
    std::optional<InCall> call(std::in_place, recv, 1);
    const Bytes before = copy_of(page);
    const pid_t child = ::fork();
    if (child == 0) {
      call.reset();
      const InCall another(send, 2);
      page.turn_to("child");
      page.begin({2, 1, 2, "Another"});
      page.end();
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(copy_of(page), before);
    call.reset();
    EXPECT_EQ(shown(page).threads[0].function, "") << "the parent goes on";
  });
}

TEST(LivePage, TellsWhetherMemoryIsRecordedAndTakesAWishOnce) {
  on_its_own_thread([] {
    PageWriter page(kNames);
    EXPECT_EQ(shown(page).recording, Recording::none);
    page.show(Recording::on);
    EXPECT_EQ(shown(page).recording, Recording::on);
    EXPECT_EQ(page.take_wish(), Recording::none);
    for (const Recording wish : {Recording::off, Recording::on, static_cast<Recording>(4711)}) {
      os::write_at(page.file(), std::as_bytes(std::span(&wish, 1)), offsetof(Header, recording_wish));
      EXPECT_EQ(page.take_wish(), wish == static_cast<Recording>(4711) ? Recording::none : wish);
      EXPECT_EQ(page.take_wish(), Recording::none);
    }
  });
}

TEST(LivePage, IsRefusedWhereItIsNone) {
  EXPECT_EQ(refusal({}), Status::argument);
  EXPECT_EQ(refusal(Bytes(4096, std::byte{7})), Status::argument);
  EXPECT_EQ(refusal(Bytes(4096)), Status::order) << "a page that is still being made";
  const Bytes whole = sample();
  for (std::size_t bytes = 0; bytes < sizeof(Header); ++bytes) {
    EXPECT_NE(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))), Status::ok);
  }
}

TEST(LivePage, OfAnotherVersionIsToldAsThat) {
  EXPECT_EQ(refusal(changed([](Header& header) { header.version = kVersion + 1; })), Status::version);
  EXPECT_EQ(refusal(changed([](Header& header) { header.byte_order = 0x04030201; })), Status::unsupported);
}

TEST(LivePage, WhosePlacesLieOutsideIsRefused) {
  constexpr std::uint32_t kHuge = 0xFFFFFFF0;
  EXPECT_EQ(refusal(changed([](Header& header) { header.rows = kHuge; })), Status::argument);
  EXPECT_EQ(refusal(changed([](Header& header) { header.rows_at = kHuge; })), Status::argument);
  EXPECT_EQ(refusal(changed([](Header& header) { header.row_bytes = 1; })), Status::argument);
  EXPECT_EQ(refusal(changed([](Header& header) { header.names_at = kHuge; })), Status::argument);
  EXPECT_EQ(refusal(changed([](Header& header) { header.names_bytes = kHuge; })), Status::argument);
}

TEST(LivePage, LosesWhatMakesNoSense) {
  EXPECT_EQ(with_row([](Row& row) { row.function = 4711; }).threads[0].function, "unknown");
  EXPECT_EQ(with_row([](Row& row) { row.since_ns = -1; }).threads[0].since_ns, 0);
  EXPECT_EQ(with_row([](Row& row) { row.region_bytes = 4711; }).threads[0].region, "");
  EXPECT_EQ(with_row([](Row& row) { ++row.region_before; }).threads[0].region, "") << "half written";
  EXPECT_EQ(with_row([](Row& row) { std::memcpy(row.region, "\033[2J\xff", 5); }).threads[0].region, "?[2J?solve");
}

}  // namespace
}  // namespace comity::live
