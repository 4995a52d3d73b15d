// SPDX-License-Identifier: BSD-3-Clause
// GNU's OpenMP once more, under a name as packages for Python give it, to be loaded while harts run: a plugin brings its own so.
// Teams of whoever does not tell it otherwise have four members.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace comity::testing {

class LateRuntime {
 public:
  static constexpr int kUntold = 4;  // [members]

  LateRuntime() {
    void* const original = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (original == nullptr || dlinfo(original, RTLD_DI_LINKMAP, &map) != 0) return;
    folder_ = (std::filesystem::temp_directory_path() / "comity-late-openmp-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) return;
    copy_ = folder_ + "/libgomp-a34b3233.so.1.0.0";
    std::filesystem::copy_file(map->l_name, copy_);
    // Before there are threads that could read it.
    if (const char* const before = std::getenv("OMP_NUM_THREADS")) before_ = before;
    setenv("OMP_NUM_THREADS", std::to_string(kUntold).c_str(), 1);
  }
  ~LateRuntime() {
    if (!is_here()) return;
    if (before_.empty()) {
      unsetenv("OMP_NUM_THREADS");
    } else {
      setenv("OMP_NUM_THREADS", before_.c_str(), 1);
    }
    std::filesystem::remove_all(folder_);
  }
  LateRuntime(const LateRuntime&) = delete;
  LateRuntime& operator=(const LateRuntime&) = delete;

  [[nodiscard]] bool is_here() const { return !copy_.empty(); }
  void load() {
    void* const library = dlopen(copy_.c_str(), RTLD_LAZY | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    parallel_ = reinterpret_cast<decltype(parallel_)>(dlsym(library, "GOMP_parallel"));
    max_threads_ = reinterpret_cast<decltype(max_threads_)>(dlsym(library, "omp_get_max_threads"));
    ASSERT_NE(parallel_, nullptr);
    ASSERT_NE(max_threads_, nullptr);
  }
  // Of a team of the caller.
  [[nodiscard]] int members() const {
    std::atomic<int> count{0};
    parallel_([](void* counted) { ++*static_cast<std::atomic<int>*>(counted); }, &count, 0, 0);
    return count;
  }
  [[nodiscard]] int max_threads() const { return max_threads_(); }

 private:
  std::string folder_;
  std::string copy_;    // "": there is no runtime to copy
  std::string before_;  // OMP_NUM_THREADS
  void (*parallel_)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  int (*max_threads_)() = nullptr;
};

}  // namespace comity::testing
