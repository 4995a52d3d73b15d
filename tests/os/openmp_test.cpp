// SPDX-License-Identifier: BSD-3-Clause
// Which libraries are OpenMP runtimes, also under the names by which packages bring their own.
#include "os/threads/openmp.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <filesystem>

namespace comity {
namespace {

namespace fs = std::filesystem;

TEST(OpenMpRuntime, IsKnownByTheNameOfItsFile) {
  for (const char* file : {"libgomp.so.1", "libomp.so", "libomp.so.5", "libiomp5.so", "libgomp-a34b3233.so.1.0.0",
                           "libiomp5-1a2b.so", "libomp-64bb44a5.so"}) {
    EXPECT_TRUE(os::OpenMp::is_runtime(file)) << file;
  }
  for (const char* file : {"libgomp", "libgomp-a34b3233", "libgomp-plugin-nvptx.so.1", "libompd.so",
                           "libomptarget.so.14", "libompi.so", "xlibgomp.so.1", ""}) {
    EXPECT_FALSE(os::OpenMp::is_runtime(file)) << file;
  }
}

std::string path_of_gnu() {
  void* const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
  link_map* map = nullptr;
  if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;  // and it stays loaded: not all of its memory is given back at an unloading
}

TEST(OpenMpRuntime, IsReachedUnderTheNameThatAPackageGaveIt) {
  const std::string original = path_of_gnu();
  if (original.empty()) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is not installed";
  std::string folder = (fs::temp_directory_path() / "comity-openmp-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string copy = folder + "/libgomp-a34b3233.so.1.0.0";
  fs::copy_file(original, copy);
  void* const library = dlopen(copy.c_str(), RTLD_LAZY | RTLD_LOCAL);
  fs::remove_all(folder);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto& loaded = os::OpenMp::loaded();
  const auto found = std::ranges::find(loaded, "libgomp-a34b3233.so.1.0.0", &os::OpenMp::name);
  ASSERT_NE(found, loaded.end());
  found->set_threads(3);
  EXPECT_EQ(found->max_threads(), 3);
}

}  // namespace
}  // namespace comity
