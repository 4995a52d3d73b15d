// SPDX-License-Identifier: BSD-3-Clause
// The paper's Example 1 on the real machine, and the threads that MPI keeps for itself, which no push may touch.
#include <dirent.h>
#include <omp.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "context/begun_in_library.hpp"
#include "context/regions.hpp"
#include "expect.hpp"
#include "phases.hpp"
#include "sanitizer.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kSkipped = 77;

// The mask of each thread of this process but the calling one, as the kernel writes it.
std::map<int, std::string> masks_of_other_threads() {
  std::map<int, std::string> masks;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) {
    const int id = std::atoi(entry->d_name);
    if (id <= 0 || id == gettid()) continue;
    std::ifstream status("/proc/self/task/" + std::string(entry->d_name) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Cpus_allowed_list:")) masks[id] = line.substr(19);
    }
  }
  closedir(tasks);
  return masks;
}

bool sleeps(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('S', 6) != std::string::npos;
  }
  return false;
}

// Sleeps in poll as an MPI's own do, which MPICH may have none of.
class Helper {
 public:
  Helper() {
    if (pipe(ends_.data()) != 0) std::abort();
    thread_.emplace([this] {
      pollfd end{ends_[0], POLLIN, 0};
      id_.store(gettid());
      (void)poll(&end, 1, -1);
    });
    while (id_.load() == 0 || !sleeps(id_.load())) std::this_thread::yield();
  }
  ~Helper() {
    close(ends_[1]);
    thread_.reset();
    close(ends_[0]);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

 private:
  std::array<int, 2> ends_{};
  std::atomic<pid_t> id_{0};
  std::optional<LibraryThread> thread_;
};

// A create knows MPI's helpers by where they sleep: one that begins only, or has just work, is none to it.
void wait_until_all_others_sleep() {
  const auto all_sleep = [] {
    for (const auto& [thread, mask] : masks_of_other_threads()) {
      if (!sleeps(thread)) return false;
    }
    return true;
  };
  while (!all_sleep()) std::this_thread::yield();
}

bool is_open_mpi() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return std::string(version).starts_with("Open MPI");
}

void helpers_of_mpi_are_left_alone(Context& context) {
  constexpr std::size_t kOurs = 1;
  const auto before = masks_of_other_threads();
  std::printf("rank %d: %zu helper threads of MPI\n", world_rank, before.size() - kOurs);
  if (is_open_mpi()) expect(before.size() > kOurs, "Open MPI has no helper thread that a push could move");
  context.push(Resource::core, context.count(Resource::core) - 1);
  expect(masks_of_other_threads() == before, "a push moved a helper thread of MPI");
  context.pop();
  expect(masks_of_other_threads() == before, "a pop moved a helper thread of MPI");
}

const char* why_not_tested = nullptr;

// One that spins is never seen asleep: it is known by where it begins.
void a_helper_of_mpi_that_spins_is_left_alone() {
  const auto before = masks_of_other_threads();
  const bool spins = std::ranges::any_of(before, [](const auto& thread) { return !sleeps(thread.first); });
  if (!spins) why_not_tested = "this MPI has no thread that spins";
  if (kHasSanitizer) why_not_tested = "a sanitizer begins all threads";
  if (why_not_tested != nullptr) return;
  Context context = make_context(MPI_COMM_WORLD);
  context.push(Resource::core, context.count(Resource::core) - 1);
  expect(masks_of_other_threads() == before, "a push moved a thread of MPI that spins");
  context.pop();
  expect(masks_of_other_threads() == before, "a pop moved a thread of MPI that spins");
}

void spread_gives_each_rank_a_core(Context& context) {
  context.spread(Resource::core);
  const int cores = context.count(Resource::core);
  expect(context.encloses(Resource::core, context.rank() % cores), "spread: rank i is on core i modulo cores");
  expect_equal(context.width().cores, 1, "spread: cores");
  const std::vector<std::int32_t> with_me = context.peers_in(Resource::core, context.rank() % cores);
  const int expected = (context.size() - context.rank() % cores + cores - 1) / cores;
  expect_equal(static_cast<int>(with_me.size()), expected, "spread: ranks on my core");
}

// The ranks are spread, one a core and then around again.
void ranks_of_a_core_share_a_communicator(Context& context) {
  const auto size_of = [](MPI_Comm communicator) {
    int size = 0;
    MPI_Comm_size(communicator, &size);
    return size;
  };
  MPI_Comm node = shared_communicator(context, MPI_COMM_WORLD, Resource::machine);
  expect_equal(size_of(node), context.size(), "ranks of the node's communicator");
  MPI_Comm_free(&node);
  const int mine = context.rank() % context.count(Resource::core);
  MPI_Comm core = shared_communicator(context, MPI_COMM_WORLD, Resource::core);
  expect_equal(size_of(core), static_cast<int>(context.peers_in(Resource::core, mine).size()), "ranks of my core's");
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, core);
  expect_equal(sum, mine * size_of(core), "cores of the ranks in my core's communicator");
  MPI_Comm_free(&core);

  context.push(Resource::machine, 0);
  const MPI_Comm none = shared_communicator(context, MPI_COMM_WORLD, Resource::core);
  expect((none == MPI_COMM_NULL) == (context.count(Resource::core) > 1), "no core encloses a rank on the machine");
  context.pop();
  expect_status(comity_context_communicator(context.handle(), MPI_COMM_WORLD, COMITY_CORE, nullptr),
                COMITY_ERR_ARGUMENT, "nowhere to put it");
}

void example_one(Context& context) {
  const int regions = context.size() <= context.count(Resource::core) ? 1000 : 200;
  expect_one_rank_a_phase(context, [&] {
    expect_equal(omp_get_max_threads(), context.count(Resource::core), "team size");
    expect_equal(regions_with_a_shared_core(regions, omp_get_max_threads()), 0, "regions with two members on a core");
  });
}

void bind_and_spread() {
  const Helper helper;
  wait_until_all_others_sleep();
  Context context = make_context(MPI_COMM_WORLD);
  helpers_of_mpi_are_left_alone(context);
  spread_gives_each_rank_a_core(context);
  ranks_of_a_core_share_a_communicator(context);
  example_one(context);
  context.pop();
}

}  // namespace

// binding_test [spinning]
int main(int argc, char** argv) {
  const bool spinning = argc > 1 && std::string_view(argv[1]) == "spinning";
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, spinning ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  spinning ? a_helper_of_mpi_that_spins_is_left_alone() : bind_and_spread();
  MPI_Finalize();
  if (why_not_tested == nullptr) return finish();
  std::printf("NOT TESTED: %s\n", why_not_tested);
  return kSkipped;
}
