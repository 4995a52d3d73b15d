// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/loaded_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "os/process/ancestors.hpp"

namespace comity::os {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 256> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) text += line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// As another program reads it from the file.
std::string build_id_in(const std::string& path) {
  return output_of("readelf -n '" + path + "' 2>/dev/null | sed -n 's/.*Build ID: //p'");
}

TEST(LoadedFiles, TellTheProgramAndItsLibrariesByTheirBuildIds) {
  if (output_of("command -v readelf").empty()) GTEST_SKIP() << "NOT TESTED: readelf is missing";
  const std::vector<LoadedFile> files = loaded_files();
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files.front().path, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(files.front().build_id, "") << "this program is linked without one";
  std::size_t compared = 0;
  for (const LoadedFile& file : files) {
    if (!file.path.starts_with('/')) continue;  // the kernel's own
    EXPECT_EQ(file.build_id, build_id_in(file.path)) << file.path;
    if (!file.build_id.empty()) ++compared;
  }
  EXPECT_GE(compared, 1U) << "the C library has one";
}

TEST(Ancestors, AreWhoStartedUs) {
  const std::vector<Ancestor> all = ancestors();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().process, ::getppid());
  const std::vector<std::string> words = own_words();
  ASSERT_FALSE(words.empty());
  EXPECT_NE(words.front().find("test_os_loaded_files"), std::string::npos);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_NE(all[i].process, all[i - 1].process);
}

}  // namespace
}  // namespace comity::os
