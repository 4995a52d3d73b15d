// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP runtimes that this process has loaded (GNU's, LLVM's, Intel's), found by their files and called through
// their dynamic symbols, so that Comity links none of them. Not: where the members go (context).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/threads/gnu_spin.hpp"

namespace comity::os {

class OpenMp {
 public:
  // Whether a library of that file name, without folders, is a runtime.
  [[nodiscard]] static bool is_runtime(std::string_view file);
  // All runtimes loaded now. Cheap when no library was loaded since the last call.
  [[nodiscard]] static const std::vector<OpenMp>& loaded();

  [[nodiscard]] const std::string& name() const { return name_; }       // "libgomp.so.1"
  [[nodiscard]] bool is_gnu() const { return block_time_ == nullptr; }  // LLVM's too may have that file name
  // The library, as LoadedObject::start tells it, in which its threads begin; 0: not known.
  [[nodiscard]] std::uintptr_t start() const { return start_; }
  [[nodiscard]] int max_threads() const { return max_threads_(); }
  // The same by OMP_THREAD_LIMIT too, beyond which a team gets no members.
  [[nodiscard]] int most_threads() const {
    return thread_limit_ == nullptr ? max_threads() : std::min(max_threads(), thread_limit_());
  }
  void set_threads(int count) const { set_threads_(count); }
  // Whether a region inside a region gets a team of its own.
  [[nodiscard]] bool nests() const { return active_levels_ != nullptr && active_levels_() > 1; }
  [[nodiscard]] bool in_parallel() const { return in_parallel_() != 0; }
  // GNU's counts the CPUs of the process once, when it is loaded; a team of more members than that sleeps at each barrier
  // at once, ever after. LLVM's looks again.
  [[nodiscard]] bool counts_cpus_at_load() const { return is_gnu(); }
  // What they have counted then, where somebody has told; else 0.
  [[nodiscard]] static int cpus_at_load();
  static void tell_cpus_at_load(int count);

  // False in a fork child for GNU's: it would wait for the threads of a pool that only the parent has.
  [[nodiscard]] bool can_run_teams() const;

  // The caller will run no region for a while: the idle members of its team of max_threads() stop spinning. LLVM's sleep,
  // after a last region with a block time of zero; GNU's end and are born anew at the next region. Nothing happens inside a
  // region, or where the runtime offers neither.
  void rest_team() const;

  // From now on members sleep as soon as they are idle: those of the calling thread's teams by LLVM's call for that, all of
  // GNU's, which has none, by GnuSpin; not where that finds nothing, as where they sleep already.
  [[nodiscard]] bool sleeps_on_demand() const;
  void sleep_when_idle() const;
  // How often idle threads of GNU's look; none of others, and where that is not found.
  [[nodiscard]] std::optional<GnuSpin> gnu_spin() const;

  enum class Idle { as_set, asleep };

  // Runs `member(index)` once on each member of a team of `count` threads of the caller, index 0 on the caller.
  // The runtime may give fewer; each member that exists is called. `member` must not throw. Afterwards members are idle as
  // the runtime is set, which may be to spin, or asleep: LLVM's alone, GNU's has no call for it.
  void run_team(int count, const std::function<void(int index)>& member, Idle idle = Idle::as_set) const;

  friend bool operator==(const OpenMp&, const OpenMp&) = default;  // the same library, loaded at the same place

 private:
  using Region = void (*)(void*);

  std::string name_;
  std::uintptr_t start_ = 0;
  int (*max_threads_)() = nullptr;
  void (*set_threads_)(int) = nullptr;
  int (*thread_limit_)() = nullptr;  // OpenMP 3.0
  int (*in_parallel_)() = nullptr;
  int (*thread_number_)() = nullptr;
  int (*active_levels_)() = nullptr;
  int (*initial_device_)() = nullptr;
  int (*pause_)(int kind, int device) = nullptr;  // OpenMP 5.0; null where the runtime lacks it
  int (*block_time_)() = nullptr;                 // [ms] LLVM's and Intel's; null in others
  void (*set_block_time_)(int) = nullptr;
  void (*parallel_)(Region, void*, unsigned, unsigned) = nullptr;

  struct List;
  [[nodiscard]] static std::unique_ptr<List> bind_all(const std::vector<std::string>& paths);
  [[nodiscard]] bool bind_symbols(const char* path);
};

}  // namespace comity::os
