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
constexpr int kPolicyByTouch = 1;  // QUO_BIND_PUSH_OBJ
constexpr int kMachine = 0;
constexpr int kNuma = 1;
constexpr int kPackage = 2;
constexpr int kCore = 4;
constexpr int kPu = 5;
constexpr int kLoopsTogether = 5;
constexpr int kCreates = 20;  // a loop, at most
constexpr int kNoMt = 1;      // QUO_CREATE_NO_MT

using Context = void*;

class Library {
 public:
  explicit Library(const std::string& path) : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(std::string("load libquo: ") + dlerror());
    bind(version, "QUO_version");
    bind(create, "QUO_create");
    bind(create_with_flags, "QUO_create_with_flags");
    bind(free, "QUO_free");
    bind(push, "QUO_bind_push");
    bind(pop, "QUO_bind_pop");
    bind(count, "QUO_nobjs_by_type");
    bind(count_in, "QUO_nobjs_in_type_by_type");
    bind(numa_nodes, "QUO_nnumanodes");
    bind(sockets, "QUO_nsockets");
    bind(cores, "QUO_ncores");
    bind(pus, "QUO_npus");
    bind(nodes, "QUO_nnodes");
    bind(qids, "QUO_nqids");
    bind(id, "QUO_id");
    bind(bound, "QUO_bound");
    bind(is_in, "QUO_cpuset_in_type");
    bind(text, "QUO_stringify_cbind");
    bind(peers, "QUO_qids_in_type");
    bind(distribute, "QUO_auto_distrib");
    bind(barrier, "QUO_barrier");
    bind(communicator, "QUO_get_mpi_comm_by_type");
  }

  int (*version)(int* version, int* subversion) = nullptr;
  int (*create)(Context*, MPI_Comm) = nullptr;
  int (*create_with_flags)(Context*, MPI_Comm, int flags) = nullptr;
  int (*free)(Context) = nullptr;
  int (*push)(Context, int policy, int type, int index) = nullptr;
  int (*pop)(Context) = nullptr;
  int (*count)(Context, int type, int*) = nullptr;
  int (*count_in)(Context, int outer, int index, int type, int*) = nullptr;
  int (*numa_nodes)(Context, int*) = nullptr;
  int (*sockets)(Context, int*) = nullptr;
  int (*cores)(Context, int*) = nullptr;
  int (*pus)(Context, int*) = nullptr;
  int (*nodes)(Context, int*) = nullptr;
  int (*qids)(Context, int*) = nullptr;
  int (*id)(Context, int*) = nullptr;
  int (*bound)(Context, int*) = nullptr;
  int (*is_in)(Context, int type, int index, int*) = nullptr;
  int (*text)(Context, char**) = nullptr;
  int (*peers)(Context, int type, int index, int*, int**) = nullptr;
  int (*distribute)(Context, int type, int most, int*) = nullptr;
  int (*barrier)(Context) = nullptr;
  int (*communicator)(Context, int type, MPI_Comm*) = nullptr;

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
  explicit Calls(const std::string& path, int rank) : library_(path), rank_(rank) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() {
    if (context_ != nullptr) (void)library_.free(context_);
  }

  LibraryTimes calls(const std::function<void(const Step&)>& unbound) {
    require(library_.create(&context_, MPI_COMM_WORLD), "QUO_create");
    require(library_.count(context_, kCore, &cores_), "QUO_nobjs_by_type");
    const int other = cores_ - 1;
    // The original's pop gives a rank the whole machine, wherever it was before: it counts the masks of the MPI's own threads.
    unbound([&] {
      alone("push_pop_unbound", [&] { push_and_pop(kPolicyByIndex, kCore, other); });
      while_others_rest([&] {
        measure_halves("push_unbound", "pop_unbound", kBatches, [&] {
          return time_halves(
              kLoop, [&] { push(kPolicyByIndex, kCore, other); }, [&] { pop(); });
        });
      });
    });
    alone("push_pop_wide", [&] { push_and_pop(kPolicyByIndex, kMachine, 0); });
    alone("push_pop_nearest", [&] { push_and_pop(kPolicyByTouch, kMachine, 0); });
    at_once(
        "query_counts", [&] { counts(); }, 8);
    at_once(
        "query_counts_in", [&] { counts_in(); }, 2);
    at_once(
        "query_ranks", [&] { ranks(); }, 3);
    at_once("query_version", [&] { version(); });
    at_once("query_bound", [&] { ask(library_.bound, "QUO_bound"); });
    at_once("query_cpuset", [&] { is_in(); });
    at_once("query_binding_string", [&] { text(); });
    at_once("query_peers", [&] { peers(); });
    together("distribute", [&] { distribute(); });
    together("barrier", [&] { require(library_.barrier(context_), "QUO_barrier"); });
    together("communicator", [&] { make_and_free_communicator(); });
    return found_;
  }
  // Beside no other context, neither of this library nor of ours.
  LibraryTimes creates() {
    together(
        "create_free", [&] { create_and_free(); }, kCreates);
    together(
        "create_free_no_mt", [&] { create_without_mt_and_free(); }, kCreates);
    measure_create_and_free();
    return found_;
  }

 private:
  void push(int policy, int type, int index) { require(library_.push(context_, policy, type, index), "QUO_bind_push"); }
  void pop() { require(library_.pop(context_), "QUO_bind_pop"); }
  void push_and_pop(int policy, int type, int index) {
    push(policy, type, index);
    pop();
  }
  void counts() {
    int count = 0;
    for (const int type : {kCore, kPu, kNuma, kPackage}) {
      require(library_.count(context_, type, &count), "QUO_nobjs_by_type");
    }
    ask(library_.cores, "QUO_ncores");
    ask(library_.pus, "QUO_npus");
    ask(library_.numa_nodes, "QUO_nnumanodes");
    ask(library_.sockets, "QUO_nsockets");
  }
  int ask(int (*call)(Context, int*), const char* name) {
    int found = 0;
    require(call(context_, &found), name);
    return found;
  }
  void counts_in() {
    int count = 0;
    require(library_.count_in(context_, kMachine, 0, kCore, &count), "QUO_nobjs_in_type_by_type");
    require(library_.count_in(context_, kCore, 0, kPu, &count), "QUO_nobjs_in_type_by_type");
  }
  void ranks() {
    ask(library_.qids, "QUO_nqids");
    ask(library_.id, "QUO_id");
    ask(library_.nodes, "QUO_nnodes");
  }
  void version() {
    int number = 0;
    int subnumber = 0;
    require(library_.version(&number, &subnumber), "QUO_version");
  }
  void is_in() {
    int is = 0;
    require(library_.is_in(context_, kCore, 0, &is), "QUO_cpuset_in_type");
  }
  void text() {
    char* text = nullptr;
    require(library_.text(context_, &text), "QUO_stringify_cbind");
    std::free(text);
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
  void make_and_free_communicator() {
    MPI_Comm made = MPI_COMM_NULL;
    require(library_.communicator(context_, kMachine, &made), "QUO_get_mpi_comm_by_type");
    MPI_Comm_free(&made);
  }
  void create_and_free() {
    Context other = nullptr;
    require(library_.create(&other, MPI_COMM_WORLD), "QUO_create");
    require(library_.free(other), "QUO_free");
  }
  void create_without_mt_and_free() {
    Context other = nullptr;
    require(library_.create_with_flags(&other, MPI_COMM_WORLD, kNoMt), "QUO_create_with_flags");
    require(library_.free(other), "QUO_free");
  }

  // Of a call and the one that takes it back, each by itself, in the same loops.
  template <typename TimeBoth>
  void measure_halves(const char* call_name, const char* undo_name, int batches, TimeBoth&& time_both) {
    Halves halves;
    for (int batch = 0; batch < batches; ++batch) halves.add(time_both(), {});
    found_.emplace_back(call_name, median(std::move(halves.call.values)));
    found_.emplace_back(undo_name, median(std::move(halves.undo.values)));
  }
  // The median of so many loops. `parts`: calls of the library in one `call`.
  template <typename Call>
  void measure(const char* name, int calls, int batches, Call&& call, int parts) {
    std::vector<double> times_ns;
    times_ns.reserve(static_cast<std::size_t>(batches));
    for (int batch = 0; batch < batches; ++batch) times_ns.push_back(time_loop(calls, call) / parts);
    found_.emplace_back(name, median(std::move(times_ns)));
  }
  // On rank 0, while the others rest.
  void while_others_rest(const Step& step) {
    require(library_.barrier(context_), "QUO_barrier");
    if (rank_ == 0) step();
    require(library_.barrier(context_), "QUO_barrier");
  }
  template <typename Call>
  void alone(const char* name, Call&& call) {
    while_others_rest([&] { measure(name, kLoop, kBatches, call, 1); });
  }
  // On all ranks, each for itself.
  template <typename Call>
  void at_once(const char* name, Call&& call, int parts = 1) {
    require(library_.barrier(context_), "QUO_barrier");
    measure(name, kLoop, kBatches, call, parts);
    require(library_.barrier(context_), "QUO_barrier");
  }
  // As many calls as take about half a second in all five loops, the same on all ranks.
  template <typename Call>
  int agreed_number(Call&& call, int most) {
    const double once_ns = time_loop(1, call);
    int calls = std::max(1, std::min(most, static_cast<int>(5e8 / kLoopsTogether / std::max(once_ns, 1.0))));
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return calls;
  }
  template <typename Call>
  void together(const char* name, Call&& call, int most = kLoop) {
    measure(name, agreed_number(call, most), kLoopsTogether, call, 1);
  }
  void measure_create_and_free() {
    const int calls = agreed_number([&] { create_and_free(); }, kCreates);
    Context other = nullptr;
    const auto create = [&] { require(library_.create(&other, MPI_COMM_WORLD), "QUO_create"); };
    const auto free = [&] { require(library_.free(other), "QUO_free"); };
    measure_halves("create", "free", kLoopsTogether, [&] { return time_halves(calls, create, free); });
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
