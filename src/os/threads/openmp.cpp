// SPDX-License-Identifier: BSD-3-Clause
// Source: DESIGN "OpenMP": a tiny region entered through GOMP_parallel reaches every member of the caller's pool; LLVM's
// runtime offers the same symbol.
#include "os/threads/openmp.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string_view>

#include "os/code/loaded_object.hpp"

namespace comity::os {
namespace {

constexpr std::array<std::string_view, 3> kRuntimes{"libgomp", "libomp", "libiomp5"};
constexpr std::string_view kPlugin = "libgomp-plugin-";  // for devices; loaded by the runtime, and none itself

int visit_object(dl_phdr_info* info, std::size_t, void* data) {
  auto& paths = *static_cast<std::vector<std::string>*>(data);
  const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (OpenMp::is_runtime(path.substr(path.rfind('/') + 1))) paths.emplace_back(path);
  return 0;
}

// How many objects were ever loaded: changes with each dlopen. Every object tells, so the first is enough.
int visit_first(dl_phdr_info* info, std::size_t, void* data) {
  *static_cast<unsigned long long*>(data) = info->dlpi_adds;
  return 1;
}

unsigned long long loads_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(visit_first, &loads);
  return loads;
}

std::vector<std::string> paths_of_runtimes() {
  std::vector<std::string> paths;
  dl_iterate_phdr(visit_object, &paths);
  return paths;
}

template <typename Function>
bool bind_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

template <typename Function>
std::uintptr_t address_of(Function* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

std::atomic<int> told_cpus_at_load{0};

const pid_t loaded_in = ::getpid();  // the process that loaded this library; a fork child is another

struct TeamCall {
  const std::function<void(int)>* member;
  int (*thread_number)();
};

void team_entry(void* data) {
  const auto& call = *static_cast<TeamCall*>(data);
  (*call.member)(call.thread_number());
}

}  // namespace

// "libgomp.so.1", and as packages for Python bring their own: "libgomp-a34b3233.so.1.0.0".
bool OpenMp::is_runtime(std::string_view file) {
  if (file.starts_with(kPlugin)) return false;
  return std::any_of(kRuntimes.begin(), kRuntimes.end(), [&](std::string_view name) {
    if (!file.starts_with(name)) return false;
    const std::string_view rest = file.substr(name.size());
    return rest.starts_with(".so") || (rest.starts_with('-') && rest.find(".so") != rest.npos);
  });
}

bool OpenMp::bind_symbols(const char* path) {
  // For good: a call into a runtime that the program has unloaded meanwhile would be a crash.
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (library == nullptr) return false;
  const bool complete = bind_symbol(library, "omp_get_max_threads", max_threads_) &&
                        bind_symbol(library, "omp_set_num_threads", set_threads_) &&
                        bind_symbol(library, "omp_in_parallel", in_parallel_) &&
                        bind_symbol(library, "omp_get_thread_num", thread_number_) &&
                        bind_symbol(library, "GOMP_parallel", parallel_);
  (void)bind_symbol(library, "omp_get_max_active_levels", active_levels_);
  (void)bind_symbol(library, "omp_get_thread_limit", thread_limit_);
  if (!bind_symbol(library, "omp_get_initial_device", initial_device_) ||
      !bind_symbol(library, "omp_pause_resource", pause_)) {
    pause_ = nullptr;
  }
  if (!bind_symbol(library, "kmp_get_blocktime", block_time_) ||
      !bind_symbol(library, "kmp_set_blocktime", set_block_time_)) {
    set_block_time_ = nullptr;
  }
  const auto object = loaded_object_at(address_of(parallel_));
  start_ = object ? object->start : 0;
  dlclose(library);  // gives back this look-up's count
  return complete;
}

// A list in use is never changed: a new one comes before it, and all stay, so that nothing of ours has to run at exit. No
// lock, which a fork child might find taken.
struct OpenMp::List {
  std::vector<OpenMp> runtimes;
  std::vector<std::string> paths;  // of these
  unsigned long long loads;        // so far, when it was made
  const List* former;
};

std::unique_ptr<OpenMp::List> OpenMp::bind_all(const std::vector<std::string>& paths) {
  auto made = std::make_unique<List>();
  for (const std::string& path : paths) {
    OpenMp runtime;
    runtime.name_ = path.substr(path.rfind('/') + 1);
    if (!runtime.bind_symbols(path.c_str())) continue;
    made->runtimes.push_back(std::move(runtime));
    made->paths.push_back(path);
  }
  return made;
}

const std::vector<OpenMp>& OpenMp::loaded() {
  static std::atomic<const List*> newest{nullptr};
  static std::atomic<unsigned long long> seen{0};  // loads after which `newest` was still right
  const unsigned long long loads = loads_so_far();
  const List* former = newest.load(std::memory_order_acquire);
  if (former != nullptr && (former->loads == loads || seen.load(std::memory_order_acquire) == loads)) {
    return former->runtimes;
  }

  // What was bound stays loaded, so the same paths are the same runtimes; to bind them waits for whoever loads a library now.
  const std::vector<std::string> paths = paths_of_runtimes();
  auto made = former != nullptr && former->paths == paths ? nullptr : bind_all(paths);
  if (made == nullptr || (former != nullptr && former->runtimes == made->runtimes)) {
    seen.store(loads, std::memory_order_release);
    return former->runtimes;
  }
  made->loads = loads;
  made->former = former;
  while (!newest.compare_exchange_weak(made->former, made.get(), std::memory_order_acq_rel)) {
  }
  return made.release()->runtimes;
}

int OpenMp::cpus_at_load() { return told_cpus_at_load.load(std::memory_order_relaxed); }

void OpenMp::tell_cpus_at_load(int count) { told_cpus_at_load.store(count, std::memory_order_relaxed); }

bool OpenMp::can_run_teams() const { return !is_gnu() || ::getpid() == loaded_in; }

void OpenMp::rest_team() const {
  constexpr int kSoft = 1;  // omp_pause_soft
  if (in_parallel() || !can_run_teams()) return;
  if (set_block_time_ != nullptr) {
    run_team(
        max_threads(), [](int) {}, Idle::asleep);
  } else if (pause_ != nullptr) {
    (void)pause_(kSoft, initial_device_());
  }
}

std::optional<GnuSpin> OpenMp::gnu_spin() const {
  return set_block_time_ == nullptr ? GnuSpin::of_runtime_at(address_of(parallel_)) : std::nullopt;
}

bool OpenMp::sleeps_on_demand() const { return set_block_time_ != nullptr || gnu_spin().has_value(); }

void OpenMp::sleep_when_idle() const {
  if (set_block_time_ != nullptr) return set_block_time_(0);
  if (const auto spin = gnu_spin()) spin->stop();
}

void OpenMp::run_team(int count, const std::function<void(int index)>& member, Idle idle) const {
  TeamCall call{&member, thread_number_};
  const auto run = [&] { parallel_(team_entry, &call, static_cast<unsigned>(count), 0); };
  if (idle == Idle::as_set || set_block_time_ == nullptr) return run();
  const int former = block_time_();
  set_block_time_(0);  // members take the block time of the region that they leave
  run();
  set_block_time_(former);
}

}  // namespace comity::os
