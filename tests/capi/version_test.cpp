// SPDX-License-Identifier: BSD-3-Clause
// A rank that loaded another libcomity, and a segment that such a library formatted: the create fails on all ranks with
// both numbers, and the next one works.
#include <comity/comity.h>
#include <dirent.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "capi/fork_callbacks.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/layout.hpp"
#include "node/stand_in.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::callbacks;
using testing::ForkBootstrap;
using testing::run_ranks;
using testing::StandIn;

constexpr std::uint32_t kOtherVersion = 4177;

// What rank 0 tells the others of itself, magic number and version first, comes from another library.
class OtherLibraryOnRankZero final : public StandIn {
 public:
  using StandIn::StandIn;
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    StandIn::candidate_gather(mine, all, bytes);
    if (job_rank() == 0 || std::memcmp(all, &node::kLayoutMagic, sizeof(node::kLayoutMagic)) != 0) return;
    const std::uint64_t version = kOtherVersion;
    std::memcpy(static_cast<std::byte*>(all) + sizeof(node::kLayoutMagic), &version, sizeof(version));
  }
};

void change_version_of(int descriptor) {
  node::Header header{};
  if (::pread(descriptor, &header, sizeof(header), 0) != sizeof(header) || header.magic != node::kLayoutMagic) return;
  header.version = kOtherVersion;
  EXPECT_EQ(::pwrite(descriptor, &header, sizeof(header), 0), static_cast<ssize_t>(sizeof(header)));
}

// Rank 0 has formatted the segment when it is about to announce it; from then on it is of another version.
class OtherVersionInTheSegment final : public StandIn {
 public:
  using StandIn::StandIn;
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    if (job_rank() == 0) change_versions();
    StandIn::candidate_gather(mine, all, bytes);
  }

 private:
  static void change_versions() {
    DIR* const descriptors = ::opendir("/proc/self/fd");
    while (const dirent* entry = ::readdir(descriptors)) {
      const int descriptor = std::atoi(entry->d_name);
      const std::string link = "/proc/self/fd/" + std::string(entry->d_name);
      std::string target(256, '\0');
      const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
      if (length > 0 && target.starts_with("/memfd:")) change_version_of(descriptor);
    }
    ::closedir(descriptors);
  }
};

class Version : public ::testing::TestWithParam<int> {
 protected:
  Version() { setenv("HWLOC_SYNTHETIC", "package:2 core:4 pu:1", 1); }
};

void expect_version_error(const comity_bootstrap& bootstrap) {
  comity_context* context = nullptr;
  EXPECT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_ERR_VERSION);
  EXPECT_EQ(context, nullptr);
  const std::string words = comity_last_error();
  EXPECT_NE(words.find("version " + std::to_string(kOtherVersion)), std::string::npos) << words;
  for (const char* mine : {"this one ", "this library needs "}) {
    if (words.find(mine + std::to_string(node::kLayoutVersion)) != std::string::npos) return;
  }
  ADD_FAILURE() << "the sentence does not say version " << node::kLayoutVersion << ": " << words;
}

void expect_good_create(ForkBootstrap& job) {
  const comity_bootstrap bootstrap = callbacks(job);
  comity_context* context = nullptr;
  EXPECT_EQ(comity_context_create_with(&bootstrap, &context), COMITY_OK) << comity_last_error();
  std::int32_t nodes = 0;
  EXPECT_EQ(comity_context_node_count(context, &nodes), COMITY_OK);
  EXPECT_EQ(nodes, 1);
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
}

TEST_P(Version, OfTheLibraryOfOneRankThatDiffersFailsAllWithBothNumbers) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    OtherLibraryOnRankZero disguised(job);
    expect_version_error(callbacks(disguised));
    expect_good_create(job);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(Version, OfTheSegmentThatDiffersFailsAllWithBothNumbers) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    OtherVersionInTheSegment disguised(job);
    expect_version_error(callbacks(disguised));
    expect_good_create(job);
  });
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Version, ::testing::Values(2, 4));

}  // namespace
}  // namespace comity
