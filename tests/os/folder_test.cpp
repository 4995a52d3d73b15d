// SPDX-License-Identifier: BSD-3-Clause
// Folders held open, and files in them that get their name when they are whole, also where the file system knows none without
// a name.
#include "os/files/folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "faults/refusal.hpp"
#include "os/files/ofd_lock.hpp"
#include "os/files/whole_file.hpp"

namespace comity::os {
namespace {

using Names = std::vector<std::string>;

std::string make_temporary() {
  std::string path = "/tmp/comity-folder-XXXXXX";
  EXPECT_NE(::mkdtemp(path.data()), nullptr);
  return path;
}

class Folders : public ::testing::Test {
 protected:
  ~Folders() override { std::filesystem::remove_all(path_); }

  void write(const Descriptor& file) const { write_at(file, some_, 0); }
  [[nodiscard]] std::uintmax_t bytes_of(const std::string& name) const {
    return std::filesystem::file_size(path_ + '/' + name);
  }

  const std::string path_ = make_temporary();
  const Folder folder_{path_};
  const std::array<std::byte, 7> some_{};
};

// In a child, for what is refused stays so. Returns how it ended, as waitpid tells.
int in_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

// As on a file system that knows no files without a name.
bool refuse_unnamed() {
  return testing::refuse({SYS_openat, EOPNOTSUPP, testing::Argument{2, O_RDWR | O_TMPFILE | O_CLOEXEC}});
}

TEST_F(Folders, ListTheirNamesSortedAgainAndAgain) {
  for (const char* const name : {"c", "a", "b"}) static_cast<void>(folder_.create(name, 0600));
  EXPECT_EQ(folder_.names(), (Names{"a", "b", "c"}));
  EXPECT_TRUE(folder_.remove("b"));
  EXPECT_FALSE(folder_.remove("b"));
  EXPECT_EQ(folder_.names(), (Names{"a", "c"}));
}

TEST_F(Folders, NeitherFollowLinksNorTakeNamesThatAreThere) {
  std::filesystem::create_symlink("/etc/passwd", path_ + "/link");
  EXPECT_THROW((void)folder_.open("link"), Error);
  EXPECT_THROW((void)folder_.create("link", 0600), Error);
  EXPECT_TRUE(folder_.has("link"));
}

TEST_F(Folders, StayTheSameWhereTheirPathIsGivenToAnother) {
  static_cast<void>(folder_.create("mine", 0600));
  std::filesystem::rename(path_, path_ + "-moved");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(folder_.names(), (Names{"mine"}));
  std::filesystem::remove_all(path_ + "-moved");
}

TEST_F(Folders, ShowWhoLocksAFileAlsoToReaders) {
  Descriptor file = folder_.create("a", 0600);
  EXPECT_FALSE(somebody_locks(folder_.open("a")));
  const OfdLock lock(std::move(file), 0);
  EXPECT_TRUE(somebody_locks(folder_.open("a")));
}

TEST_F(Folders, HoldAWholeFileOnlyWhenItIsPublishedAndNeverInThePlaceOfAnother) {
  {
    WholeFile file(folder_, "a");
    EXPECT_EQ(folder_.names(), Names{});
    file.publish();
    EXPECT_EQ(folder_.names(), Names{"a"});
  }
  WholeFile second(folder_, "a");
  write(second.file());
  EXPECT_THROW(second.publish(), Error);
  EXPECT_EQ(bytes_of("a"), 0U);
  second.publish_over_old();
  EXPECT_EQ(bytes_of("a"), 7U);
  EXPECT_EQ(folder_.names(), Names{"a"});
}

TEST_F(Folders, HoldAnUnfinishedFileWhereNoneCanBeWithoutAName) {
  const int status = in_child([&] {
    if (!refuse_unnamed()) ::_exit(77);
    {
      WholeFile file(folder_, "a");
      ASSERT_EQ(folder_.names().size(), 1U);
      EXPECT_TRUE(folder_.names()[0].starts_with("a.") && folder_.names()[0].ends_with(".unfinished"));
      sweep_unfinished(folder_, "a.");
      EXPECT_EQ(folder_.names().size(), 1U) << "a living one was swept";
      write(file.file());
      file.publish();
    }
    EXPECT_EQ(folder_.names(), Names{"a"});
    {
      WholeFile second(folder_, "a");
      EXPECT_THROW(second.publish(), Error);
    }
    EXPECT_EQ(folder_.names(), Names{"a"});
    {
      WholeFile third(folder_, "a");
      third.publish_over_old();
    }
    EXPECT_EQ(folder_.names(), Names{"a"});
    EXPECT_EQ(bytes_of("a"), 0U);
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  }
  EXPECT_EQ(status, 0);
}

TEST_F(Folders, AreSweptOfWhatKilledProcessesLeftUnfinished) {
  static_cast<void>(folder_.create("b.0123.unfinished", 0600));
  const int status = in_child([&] {
    if (!refuse_unnamed()) ::_exit(77);
    const WholeFile file(folder_, "a");
    ::raise(SIGKILL);
  });
  if (WIFEXITED(status)) GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  EXPECT_EQ(folder_.names().size(), 2U);
  const WholeFile file(folder_, "a");
  EXPECT_EQ(folder_.names(), (Names{"b.0123.unfinished"}));
}

}  // namespace
}  // namespace comity::os
