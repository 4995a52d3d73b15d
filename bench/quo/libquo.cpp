// SPDX-License-Identifier: BSD-3-Clause
// The calls and numbers are those of libquo's public interface, version 1.4.
#include "quo/libquo.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

#include "common/timing.hpp"

namespace bench::quo {
namespace {

constexpr int kPolicyByIndex = 0;  // QUO_BIND_PUSH_PROVIDED
constexpr int kMachine = 0;
constexpr int kNuma = 1;
constexpr int kPackage = 2;
constexpr int kCore = 4;
constexpr int kPu = 5;

using Context = void*;

class Library {
 public:
  explicit Library(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(std::string("load libquo: ") + dlerror());
    bind(create, "QUO_create");
    bind(free, "QUO_free");
    bind(push, "QUO_bind_push");
    bind(pop, "QUO_bind_pop");
    bind(count, "QUO_nobjs_by_type");
    bind(bound, "QUO_bound");
    bind(peers, "QUO_qids_in_type");
    bind(distribute, "QUO_auto_distrib");
    bind(barrier, "QUO_barrier");
  }

  int (*create)(Context*, MPI_Comm) = nullptr;
  int (*free)(Context) = nullptr;
  int (*push)(Context, int policy, int type, int index) = nullptr;
  int (*pop)(Context) = nullptr;
  int (*count)(Context, int type, int*) = nullptr;
  int (*bound)(Context, int*) = nullptr;
  int (*peers)(Context, int type, int index, int*, int**) = nullptr;
  int (*distribute)(Context, int type, int most, int*) = nullptr;
  int (*barrier)(Context) = nullptr;

 private:
  template <typename Function>
  void bind(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("load libquo: it has no ") + name);
  }

  void* library_;  // stays loaded: its MPI attributes may be called at the end
};

void require(int code, const char* what) {
  if (code == 0) return;
  throw std::runtime_error(std::string("libquo's ") + what + " returned " + std::to_string(code));
}

class Calls {
 public:
  explicit Calls(const std::string& path, int rank) : library_(path), rank_(rank) {
    require(library_.create(&context_, MPI_COMM_WORLD), "QUO_create");
    require(library_.count(context_, kCore, &cores_), "QUO_nobjs_by_type");
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() { (void)library_.free(context_); }

  LibraryTimes calls(const std::function<void(const Step&)>& unbound) {
    const int other = cores_ - 1;
    // The original's pop gives a rank the whole machine, wherever it was before: it counts the masks of the MPI's own threads.
    unbound([&] { alone("push_pop_unbound", [&] { push_and_pop(kCore, other); }); });
    alone("push_pop_wide", [&] { push_and_pop(kMachine, 0); });
    at_once(
        "query_counts", [&] { counts(); }, 4);
    at_once("query_bound", [&] { bound(); });
    at_once("query_peers", [&] { peers(); });
    together("distribute", [&] { distribute(); });
    together("barrier", [&] { require(library_.barrier(context_), "QUO_barrier"); });
    return found_;
  }
  LibraryTimes creates() {
    together(
        "create_free", [&] { create_and_free(); }, 20);
    return found_;
  }

 private:
  void push_and_pop(int type, int index) {
    require(library_.push(context_, kPolicyByIndex, type, index), "QUO_bind_push");
    require(library_.pop(context_), "QUO_bind_pop");
  }
  void counts() {
    int count = 0;
    for (const int type : {kCore, kPu, kNuma, kPackage}) {
      require(library_.count(context_, type, &count), "QUO_nobjs_by_type");
    }
  }
  void bound() {
    int is = 0;
    require(library_.bound(context_, &is), "QUO_bound");
  }
  void peers() {
    int count = 0;
    int* ids = nullptr;
    require(library_.peers(context_, kCore, 0, &count, &ids), "QUO_qids_in_type");
    std::free(ids);
  }
  void distribute() {
    int selected = 0;
    require(library_.distribute(context_, kCore, 1, &selected), "QUO_auto_distrib");
  }
  void create_and_free() {
    Context other = nullptr;
    require(library_.create(&other, MPI_COMM_WORLD), "QUO_create");
    require(library_.free(other), "QUO_free");
  }

  // `parts`: calls of the library in one `call`.
  template <typename Call>
  void measure(const char* name, int calls, int batches, Call&& call, int parts) {
    std::vector<double> times_ns;
    for (int batch = 0; batch < batches; ++batch) times_ns.push_back(time_loop(calls, call) / parts);
    std::sort(times_ns.begin(), times_ns.end());
    found_.emplace_back(name, times_ns[times_ns.size() / 2]);
  }
  template <typename Call>
  void alone(const char* name, Call&& call) {
    require(library_.barrier(context_), "QUO_barrier");
    if (rank_ == 0) measure(name, kLoop, kBatches, call, 1);
    require(library_.barrier(context_), "QUO_barrier");
  }
  // On all ranks, each for itself.
  template <typename Call>
  void at_once(const char* name, Call&& call, int parts = 1) {
    require(library_.barrier(context_), "QUO_barrier");
    measure(name, kLoop, kBatches, call, parts);
    require(library_.barrier(context_), "QUO_barrier");
  }
  // As many calls as take about half a second, the same on all ranks.
  template <typename Call>
  void together(const char* name, Call&& call, int most = kLoop) {
    const double once_ns = time_loop(1, call);
    int calls = std::max(1, std::min(most, static_cast<int>(5e8 / 5 / std::max(once_ns, 1.0))));
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    measure(name, calls, 5, call, 1);
  }

  Library library_;
  int rank_;
  int cores_ = 0;
  Context context_ = nullptr;
  LibraryTimes found_;
};

}  // namespace

LibraryTimes measure_libquo(const std::string& path, int rank, const std::function<void(const Step&)>& unbound) {
  return Calls(path, rank).calls(unbound);
}

LibraryTimes measure_libquo_create(const std::string& path, int rank) { return Calls(path, rank).creates(); }

}  // namespace bench::quo
