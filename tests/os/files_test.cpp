// SPDX-License-Identifier: BSD-3-Clause
// Descriptors, mappings, memory files, exclusive files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"
#include "os/files/exclusive_file.hpp"
#include "os/files/mapping.hpp"
#include "os/files/memory_file.hpp"

namespace comity::os {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

std::string new_folder() {
  std::string folder = "/tmp/comity-os-XXXXXX";
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  return folder;
}

TEST(Descriptor, ClosesWhatItOwnsAndNothingThatItGaveAway) {
  int number = -1;
  {
    Descriptor first = open_file("/dev/null", O_RDONLY);
    number = first.number();
    const Descriptor second = std::move(first);
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): what a move leaves is the question
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsCloseOnExec) {
  const Descriptor file = open_file("/dev/null", O_RDONLY);
  EXPECT_NE(::fcntl(file.number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Descriptor, AFileThatCannotBeOpenedIsNamed) {
  try {
    static_cast<void>(open_file("/nonexistent/file", O_RDONLY));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::system);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/file"), std::string::npos);
  }
}

TEST(Descriptor, ReadsUpToTheEndOfTheFile) {
  const Descriptor file = create_memory_file("test", 10);
  std::array<std::byte, 64> buffer{};
  EXPECT_EQ(read_at(file, buffer, 0), 10U);
  EXPECT_EQ(read_at(file, buffer, 8), 2U);
  EXPECT_EQ(read_at(file, buffer, 99), 0U);
}

TEST(MemoryFile, IsPrivateAllocatedAndOfFixedSize) {
  const Descriptor file = create_memory_file("test", 10000);
  struct stat status {};
  ASSERT_EQ(::fstat(file.number(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(status.st_size, 10000);
  EXPECT_GE(status.st_blocks * 512, 10000);
  EXPECT_NE(::ftruncate(file.number(), 1), 0);
  EXPECT_NE(::ftruncate(file.number(), 20000), 0);
}

// The kernel ends a process that goes beyond what it may.
TEST(MemoryFile, LargerThanTheLimitIsAnError) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{8192, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string words;
  try {
    (void)create_memory_file("test", 8192);
    (void)create_memory_file("test", 8193);
  } catch (const Error& error) {
    words = error.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(words.find("8193 bytes"), std::string::npos) << words;
  EXPECT_NE(words.find("ulimit -f"), std::string::npos) << words;
}

TEST(Mapping, OfOneFileShowsWhatAnotherMappingWrites) {
  const Descriptor file = create_memory_file("test", 4096);
  const Mapping one = Mapping::shared(file, 4096);
  const Mapping other = Mapping::shared(reopen(file), 4096);
  one.bytes()[17] = std::byte{42};
  EXPECT_EQ(other.bytes()[17], std::byte{42});
  EXPECT_NE(one.bytes().data(), other.bytes().data());
}

TEST(Mapping, OfNothingIsAnError) {
  EXPECT_THROW(static_cast<void>(Mapping::shared(Descriptor(), 4096)), Error);
  EXPECT_THROW(static_cast<void>(Mapping::anonymous(0)), Error);
}

TEST(ExclusiveFile, IsThereOnlyWhileItsOwnerLives) {
  const std::string folder = new_folder();
  {
    const ExclusiveFile file(folder, 4096);
    struct stat status {};
    ASSERT_EQ(::stat((folder + '/' + file.name()).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_GE(status.st_blocks * 512, 4096);
    EXPECT_TRUE(ExclusiveFile::open(folder, file.name()).valid());
    EXPECT_EQ(sweep_exclusive_files(folder), 0);
  }
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

TEST(ExclusiveFile, SweepingTouchesNeitherLinksNorFilesOfOtherNames) {
  const std::string folder = new_folder();
  const std::string target = folder + "/precious";
  const Descriptor precious = open_file(target, O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(::symlink(target.c_str(), (folder + "/comity-node-link").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder + "/comity-node-pipe").c_str(), 0600), 0);
  EXPECT_EQ(sweep_exclusive_files(folder), 0);
  EXPECT_EQ(::access(target.c_str(), F_OK), 0);
  const Descriptor leftover = open_file(folder + "/comity-node-old", O_CREAT | O_RDWR, 0600);
  EXPECT_EQ(sweep_exclusive_files(folder), 1);
  for (const char* name : {"/precious", "/comity-node-link", "/comity-node-pipe"}) {
    EXPECT_EQ(::unlink((folder + name).c_str()), 0) << name;
  }
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

// Unlocked, and of a mode that lets us lock it: its owner alone keeps it.
TEST(ExclusiveFile, SweepingLeavesFilesOfAnotherOwnerAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root can make a file of another owner";
  const std::string folder = new_folder();
  const std::string path = folder + "/comity-node-of-another";
  const Descriptor theirs = open_file(path, O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(::fchown(theirs.number(), 65534, 65534), 0);
  EXPECT_EQ(sweep_exclusive_files(folder), 0);
  ASSERT_EQ(::fchown(theirs.number(), ::geteuid(), ::getegid()), 0);
  EXPECT_EQ(sweep_exclusive_files(folder), 1) << "the owner was all that kept it";
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

TEST(ExclusiveFile, AFolderThatIsNotThereIsNamedAndSweepingItIsNothing) {
  EXPECT_THROW(ExclusiveFile("/nonexistent", 4096), Error);
  EXPECT_EQ(sweep_exclusive_files("/nonexistent"), 0);
}

}  // namespace
}  // namespace comity::os
