// SPDX-License-Identifier: BSD-3-Clause
// Processes that show a live page are found, and no other is taken for one.
#include "live/search.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "live/page_writer.hpp"
#include "os/files/memory_file.hpp"

namespace comity::live {
namespace {

constexpr std::array<std::string_view, 1> kNames{"MPI_Recv"};

// A process that does something, says that it has, and waits for its end.
class Child {
 public:
  explicit Child(const std::function<void()>& act) {
    std::array<int, 2> said{};
    EXPECT_EQ(::pipe(said.data()), 0);
    process_ = ::fork();
    if (process_ == 0) {
      act();
      (void)!::write(said[1], "!", 1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(said[0], &byte, 1), 1);
    ::close(said[0]);
    ::close(said[1]);
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
};

void show_a_page() {
  auto* const page = new PageWriter(kNames);  // as long as the process, as the call below
  page->begin({9, 3, 4, "An MPI"});
  (void)new InCall(0, 1);
}

const Shown* of(const Sightings& sightings, pid_t process) {
  const auto found = std::find_if(sightings.shown.begin(), sightings.shown.end(),
                                  [&](const Shown& one) { return one.process == process; });
  return found == sightings.shown.end() ? nullptr : &*found;
}

TEST(LiveSearch, FindsAProcessAgainAndAgainUntilItIsKilled) {
  Child rank(show_a_page);
  const pid_t process = rank.process();
  Search search;
  for (int look = 0; look < 3; ++look) {
    const Sightings sightings = search.look();
    const Shown* const shown = of(sightings, process);
    ASSERT_NE(shown, nullptr);
    EXPECT_EQ(shown->page.rank, 3U);
    EXPECT_EQ(shown->page.threads.at(0).function, "MPI_Recv");
  }
  rank.end();
  EXPECT_EQ(of(search.look(), process), nullptr);
}

// It takes the wish where it is asked to.
void show_a_page_that_heeds() {
  auto* const page = new PageWriter(kNames);
  page->show(Recording::on);
  page->begin({9, 3, 4, "An MPI"});
  std::thread([page] {
    for (;;) {
      if (page->take_wish() == Recording::off) page->show(Recording::off);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }).detach();
}

std::string refusal(pid_t process) {
  try {
    (void)Search().ask(process, Recording::off);
  } catch (const Error& error) {
    return error.what();
  }
  return "asked";
}

TEST(LiveSearch, AsksARankThatRecordsAndNobodyElse) {
  const Child rank(show_a_page_that_heeds);
  Search search;
  EXPECT_EQ(search.ask(rank.process(), Recording::off).rank, 3U);
  while (search.ask(rank.process(), Recording::off).recording != Recording::off) std::this_thread::yield();
  const Child other(show_a_page);
  EXPECT_NE(refusal(other.process()).find("it does not record whose its memory is; start the job with"),
            std::string::npos);
  const Child none([] {});
  EXPECT_NE(refusal(none.process()).find("it shows itself as no rank"), std::string::npos);
  EXPECT_NE(refusal(INT32_MAX).find("there is no such process"), std::string::npos);
  const Child ended([] {
    auto* const page = new PageWriter(kNames);
    page->show(Recording::on);
    page->begin({9, 3, 4, "An MPI"});
    page->end();
  });
  EXPECT_NE(refusal(ended.process()).find("it has called MPI_Finalize"), std::string::npos);
}

TEST(LiveSearch, TakesNoForkChildForARank) {
  int child = 0;
  std::array<int, 2> told{};
  ASSERT_EQ(::pipe(told.data()), 0);
  const Child rank([&] {
    show_a_page();
    const pid_t mine = ::fork();
    if (mine == 0) {
      for (;;) ::pause();
    }
    (void)!::write(told[1], &mine, sizeof mine);
  });
  ASSERT_EQ(::read(told[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  const Sightings sightings = Search().look();
  EXPECT_NE(of(sightings, rank.process()), nullptr);
  EXPECT_EQ(of(sightings, child), nullptr);
  ::kill(child, SIGKILL);
}

TEST(LiveSearch, SaysWhichPageItCannotRead) {
  const Child stranger([] {
    static os::Descriptor file = os::create_memory_file(kFileName, 8192);
    os::write_at(file, std::as_bytes(std::span("something else")), 0);
  });
  const Sightings sightings = Search().look();
  EXPECT_EQ(of(sightings, stranger.process()), nullptr);
  const auto told = std::find_if(sightings.unreadable.begin(), sightings.unreadable.end(),
                                 [&](const Unreadable& one) { return one.process == stranger.process(); });
  ASSERT_NE(told, sightings.unreadable.end());
  EXPECT_NE(told->why.find("does not begin as one"), std::string::npos) << told->why;
}

// Root may look at everybody, so both become another user.
TEST(LiveSearch, CountsOwnProcessesThatMayNotBeLookedAt) {
  const auto become_ordinary = [] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(1);
  };
  const Child hidden([&] {
    show_a_page();
    become_ordinary();
    ::prctl(PR_SET_DUMPABLE, 0);
  });
  const pid_t searcher = ::fork();
  if (searcher == 0) {
    become_ordinary();
    const Sightings sightings = Search().look();
    ::_exit(sightings.refused > 0 && of(sightings, hidden.process()) == nullptr ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(searcher, &status, 0), searcher);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace comity::live
