// SPDX-License-Identifier: BSD-3-Clause
// Where a record's files stand: folders that nobody else enters, and notes that say where; what is there is never overwritten.
#include "record/places.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "base/error.hpp"
#include "record/merge/names.hpp"
#include "temporary_folder.hpp"

namespace comity::record {
namespace {

using Names = std::vector<std::string>;

class Places : public ::testing::Test {
 protected:
  [[nodiscard]] std::string user_folder() const { return scratch_ / ("comity-" + std::to_string(::geteuid())); }
  [[nodiscard]] NodeNote note(const std::string& job, std::uint32_t node) const {
    return {.job = job, .node = node, .job_ranks = 4, .host = "a host", .boot = "b-1", .folder = scratch_.path()};
  }

  testing::TemporaryFolder scratch_;
  testing::TemporaryFolder user_;
};

std::string words_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST_F(Places, AreFoldersThatNobodyElseMayEnter) {
  const os::Folder folder = make_job_folder(scratch_.path(), "job-1");
  EXPECT_EQ(folder.path(), user_folder() + "/job-1");
  EXPECT_EQ(mode_of(user_folder()), 0700);
  EXPECT_EQ(mode_of(folder.path()), 0700);
  EXPECT_EQ(make_job_folder(scratch_.path(), "job-1").path(), folder.path());
}

TEST_F(Places, ThatAreLinksOrOpenToOthersAreRefused) {
  const testing::TemporaryFolder elsewhere;
  std::filesystem::create_symlink(elsewhere.path(), user_folder());
  EXPECT_NE(words_of([&] { (void)make_job_folder(scratch_.path(), "j"); }).find("it is a link or a file"),
            std::string::npos);
  std::filesystem::remove(user_folder());
  std::filesystem::create_directory(user_folder());
  EXPECT_EQ(::chmod(user_folder().c_str(), 0755), 0);
  EXPECT_NE(words_of([&] { (void)make_job_folder(scratch_.path(), "j"); }).find("others may enter it"),
            std::string::npos);
  EXPECT_EQ(own_job_folder(user_folder() + "/j"), std::nullopt);
  EXPECT_EQ(::chmod(user_folder().c_str(), 0700), 0);
  std::filesystem::create_symlink(elsewhere.path(), user_folder() + "/j");
  EXPECT_NE(words_of([&] { (void)make_job_folder(scratch_.path(), "j"); }).find("it is a link or a file"),
            std::string::npos);
}

TEST_F(Places, OfAnotherUserAreRefused) {
  std::filesystem::create_directory(user_folder());
  if (::chown(user_folder().c_str(), 1, 1) != 0) GTEST_SKIP() << "NOT TESTED: only root can give a folder away";
  EXPECT_EQ(::chmod(user_folder().c_str(), 0700), 0);
  EXPECT_NE(words_of([&] { (void)make_job_folder(scratch_.path(), "j"); }).find("it belongs to user 1"),
            std::string::npos);
}

TEST_F(Places, HaveNamesThatStayInTheirFolder) {
  for (const char* const name : {"", ".", "..", "a/b", "../a", ".hidden", "a\nb"}) {
    EXPECT_THROW((void)make_job_folder(scratch_.path(), name), Error) << name;
  }
  EXPECT_THROW((void)make_job_folder(scratch_.path(), std::string(65, 'a')), Error);
  EXPECT_THROW((void)make_job_folder("tmp", "job-1"), Error);
}

TEST_F(Places, AreRemovedOnceEmptyAndOnlyIfTheyAreOurs) {
  const std::string path = make_job_folder(scratch_.path(), "job-1").path();
  testing::write_bytes(path + "/rank-000000.comity", Bytes(1));
  leave_job_folder(path);
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path + "/rank-000000.comity");
  leave_job_folder(path);
  EXPECT_FALSE(std::filesystem::exists(user_folder()));
  std::filesystem::create_directory(user_ / "other");
  leave_job_folder(user_ / "other");
  EXPECT_TRUE(std::filesystem::exists(user_ / "other"));
}

TEST_F(Places, AreNotedInTheUsersFolder) {
  claim(user_ / "a/b", note("job-1", 2));
  EXPECT_EQ(read_node_note(os::Folder(user_ / "a/b"), "node-2.comity"), note("job-1", 2));
  EXPECT_EQ(os::Folder(user_ / "a/b").names(), (Names{"node-2.comity"}));
}

TEST_F(Places, AreClaimedByAllNodesOfAJobAndByNoOther) {
  claim(user_.path(), note("job-1", 0));
  claim(user_.path(), note("job-1", 1));
  const std::string words = words_of([&] { claim(user_.path(), note("job-2", 0)); });
  EXPECT_NE(words.find("it already holds a record (node-0.comity)"), std::string::npos) << words;
  EXPECT_NE(words.find("name another folder, or remove that record"), std::string::npos) << words;
  EXPECT_EQ(os::Folder(user_.path()).names(), (Names{"node-0.comity", "node-1.comity"}));
}

TEST_F(Places, ThatHoldAnyFileOfARecordAreRefused) {
  for (const std::string& name : {std::string("run.comity"), node_run_name(3), rank_file_name(0), node_file_name(9)}) {
    testing::write_bytes(user_ / name, Bytes(3));
    EXPECT_THROW(claim(user_.path(), note("job-1", 0)), Error) << name;
    std::filesystem::remove(user_ / name);
  }
  testing::write_bytes(user_ / "notes.txt", Bytes(3));
  testing::write_bytes(user_ / "my.comity", Bytes(3));
  EXPECT_NO_THROW(claim(user_.path(), note("job-1", 0)));
}

TEST_F(Places, WithANoteThatWasCutOffAreRefused) {
  claim(user_.path(), note("job-1", 0));
  const Bytes whole = testing::read_bytes(user_ / "node-0.comity");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    testing::write_bytes(user_ / "node-1.comity",
                         Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    ASSERT_THROW((void)read_node_note(os::Folder(user_.path()), "node-1.comity"), Error) << length;
  }
}

}  // namespace
}  // namespace comity::record
