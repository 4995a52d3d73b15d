// SPDX-License-Identifier: BSD-3-Clause
// Rules of the constants, of the life of a context, and of what it leaves alone.
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "askers.hpp"
#include "output.hpp"
#include "rules.hpp"
#include "threads.hpp"

namespace conform {
namespace {

static_assert(QUO_SUCCESS == 0 && QUO_SUCCESS_ALREADY_DONE == 1 && QUO_ERR == 2 && QUO_ERR_SYS == 3);
static_assert(QUO_ERR_OOR == 4 && QUO_ERR_INVLD_ARG == 5 && QUO_ERR_CALL_BEFORE_INIT == 6 && QUO_ERR_TOPO == 7);
static_assert(QUO_ERR_MPI == 8 && QUO_ERR_NOT_SUPPORTED == 9 && QUO_ERR_POP == 10 && QUO_ERR_NOT_FOUND == 11);
static_assert(QUO_OBJ_MACHINE == 0 && QUO_OBJ_NUMANODE == 1 && QUO_OBJ_PACKAGE == 2);
static_assert(QUO_OBJ_SOCKET == 3 && QUO_OBJ_CORE == 4 && QUO_OBJ_PU == 5);
static_assert(QUO_BIND_PUSH_PROVIDED == 0 && QUO_BIND_PUSH_OBJ == 1);
static_assert(QUO_CREATE_NO_FLAGS == 0 && QUO_CREATE_NO_MT == 1);
static_assert(LIBQUO == 1 && QUO_HAS_API_VERSIONING == 1 && QUO_API_VERSION == 0x00010401);
static_assert(sizeof(QUO_obj_type_t) == sizeof(int) && sizeof(QUO_context) == sizeof(void*));

void version_is_8_0() {
  int version = -1;
  int subversion = -1;
  expect_equal(QUO_version(&version, &subversion), QUO_SUCCESS, "QUO_version");
  expect_equal(version, 8, "version");
  expect_equal(subversion, 0, "subversion");
  expect_equal(QUO_version(nullptr, &subversion), QUO_ERR_INVLD_ARG, "QUO_version to null");
  expect_equal(QUO_version(&version, nullptr), QUO_ERR_INVLD_ARG, "QUO_version to null");
}

void create_before_init() {
  int anything = 0;
  auto* q = reinterpret_cast<QUO_context>(&anything);
  expect_equal(QUO_create(&q, MPI_COMM_WORLD), QUO_ERR_MPI, "QUO_create before MPI_Init");
  expect(q == nullptr, "the context is not null after a failed create");
}

void create_to_null() {
  expect_equal(QUO_create(nullptr, MPI_COMM_WORLD), QUO_ERR_INVLD_ARG, "QUO_create");
  expect_equal(QUO_create_with_flags(nullptr, MPI_COMM_WORLD, QUO_CREATE_NO_MT), QUO_ERR_INVLD_ARG,
               "QUO_create_with_flags");
}

void no_such_flags() {
  QUO_context q = nullptr;
  const auto flags = std::bit_cast<QUO_create_flags_t>(2 | QUO_CREATE_NO_MT);
  Output output;
  const int code = QUO_create_with_flags(&q, MPI_COMM_WORLD, flags);
  expect(!output.end().empty(), "nothing is written of flags that do not exist");
  expect_equal(code, QUO_ERR_INVLD_ARG, "QUO_create_with_flags");
  expect(q == nullptr, "the context is not null after a failed create");
  (void)QUO_free(q);
}

void free_of_null() { expect_equal(QUO_free(nullptr), QUO_SUCCESS, "QUO_free"); }

void null_arguments() {
  const Context q;
  QUO_context const none = nullptr;
  int number = 0;
  int* list = nullptr;
  char* text = nullptr;
  MPI_Comm communicator = MPI_COMM_NULL;
  const std::pair<const char*, int> calls[] = {
      {"nobjs_by_type", QUO_nobjs_by_type(none, QUO_OBJ_PU, &number)},
      {"nobjs_by_type to null", QUO_nobjs_by_type(q, QUO_OBJ_PU, nullptr)},
      {"nobjs_in_type_by_type", QUO_nobjs_in_type_by_type(none, QUO_OBJ_MACHINE, 0, QUO_OBJ_PU, &number)},
      {"nobjs_in_type_by_type to null", QUO_nobjs_in_type_by_type(q, QUO_OBJ_MACHINE, 0, QUO_OBJ_PU, nullptr)},
      {"cpuset_in_type", QUO_cpuset_in_type(none, QUO_OBJ_MACHINE, 0, &number)},
      {"cpuset_in_type to null", QUO_cpuset_in_type(q, QUO_OBJ_MACHINE, 0, nullptr)},
      {"qids_in_type", QUO_qids_in_type(none, QUO_OBJ_MACHINE, 0, &number, &list)},
      {"qids_in_type without a count", QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, nullptr, &list)},
      {"qids_in_type without a list", QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &number, nullptr)},
      {"nnumanodes", QUO_nnumanodes(none, &number)},
      {"nnumanodes to null", QUO_nnumanodes(q, nullptr)},
      {"nsockets", QUO_nsockets(none, &number)},
      {"nsockets to null", QUO_nsockets(q, nullptr)},
      {"ncores", QUO_ncores(none, &number)},
      {"ncores to null", QUO_ncores(q, nullptr)},
      {"npus", QUO_npus(none, &number)},
      {"npus to null", QUO_npus(q, nullptr)},
      {"nnodes", QUO_nnodes(none, &number)},
      {"nnodes to null", QUO_nnodes(q, nullptr)},
      {"nqids", QUO_nqids(none, &number)},
      {"nqids to null", QUO_nqids(q, nullptr)},
      {"id", QUO_id(none, &number)},
      {"id to null", QUO_id(q, nullptr)},
      {"bound", QUO_bound(none, &number)},
      {"bound to null", QUO_bound(q, nullptr)},
      {"stringify_cbind", QUO_stringify_cbind(none, &text)},
      {"stringify_cbind to null", QUO_stringify_cbind(q, nullptr)},
      {"bind_push", QUO_bind_push(none, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0)},
      {"bind_pop", QUO_bind_pop(none)},
      {"barrier", QUO_barrier(none)},
      {"auto_distrib", QUO_auto_distrib(none, QUO_OBJ_MACHINE, 1, &number)},
      {"auto_distrib to null", QUO_auto_distrib(q, QUO_OBJ_MACHINE, 1, nullptr)},
      {"get_mpi_comm_by_type", QUO_get_mpi_comm_by_type(none, QUO_OBJ_MACHINE, &communicator)},
      {"get_mpi_comm_by_type to null", QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, nullptr)},
  };
  for (const auto& [call, code] : calls) expect_equal(code, QUO_ERR_INVLD_ARG, call);
}

void expect_ranks(QUO_context q, const Node& wanted) {
  int id = -1;
  int qids = -1;
  int nodes = -1;
  expect_equal(QUO_id(q, &id), QUO_SUCCESS, "QUO_id");
  expect_equal(QUO_nqids(q, &qids), QUO_SUCCESS, "QUO_nqids");
  expect_equal(QUO_nnodes(q, &nodes), QUO_SUCCESS, "QUO_nnodes");
  expect_equal(id, wanted.rank, "qid");
  expect_equal(qids, wanted.size, "qids");
  expect_equal(nodes, wanted.nodes, "nodes");
}

void qids_are_node_ranks() { expect_ranks(Context(), node()); }

void a_context_of_self() { expect_ranks(Context(MPI_COMM_SELF), Node{}); }

// Two halves, each in reversed order.
void sub_communicators() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, my_rank() % 2, -my_rank(), &half);
  {
    const Context q(half);
    Node of_half = node_of(half);
    expect_ranks(q, of_half);
    MPI_Comm_free(&of_half.communicator);
    expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  }
  MPI_Comm_free(&half);
}

void contexts_overlap() {
  const Context world;
  const Context self(MPI_COMM_SELF);
  const Context again;
  expect_ranks(self, Node{});
  for (QUO_context q : {static_cast<QUO_context>(world), static_cast<QUO_context>(again)}) {
    expect_ranks(q, node());
    expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  }
  expect_equal(QUO_barrier(self), QUO_SUCCESS, "QUO_barrier of one");
}

void communicator_may_be_freed() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Context q(copy);
  MPI_Comm_free(&copy);
  expect_ranks(q, node());
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  int selected = -1;
  expect_equal(QUO_auto_distrib(q, QUO_OBJ_MACHINE, 1, &selected), QUO_SUCCESS, "QUO_auto_distrib");
  MPI_Comm made = MPI_COMM_NULL;
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  MPI_Comm_free(&made);
}

void free_keeps_the_binding() {
  Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  const std::string cpu = list_of(cpus_of(q, QUO_OBJ_PU, last));
  push(q, QUO_OBJ_PU, last);
  q.free();
  expect_equal(list_of(mask_of(0)), cpu, "mask after QUO_free");
}

// A later context begins where the first has left the process, and gives that back.
void a_kept_binding_is_the_next_base() {
  Context first;
  const int last = count(first, QUO_OBJ_PU) - 1;
  push(first, QUO_OBJ_PU, last);
  first.free();
  const std::string kept = list_of(mask_of(0));
  const Context second;
  push(second, QUO_OBJ_MACHINE, 0);
  pop(second);
  expect_equal(list_of(mask_of(0)), kept, "mask after the pop");
  expect_equal(QUO_bind_pop(second), QUO_ERR_POP, "one pop too many");
}

void rand_is_left_alone() {
  constexpr unsigned kSeed = 12345;
  std::srand(kSeed);
  const int wanted = std::rand();
  std::srand(kSeed);
  const Context q;
  expect_equal(std::rand(), wanted, "the next random number");
}

// What there was before the create, and no signal from the loading of the library on.
void signals_and_threads_are_left_alone() {
  const auto handlers = [] {
    std::vector<void*> found;
    for (int signal = 1; signal < 32; ++signal) {
      struct sigaction action {};
      (void)sigaction(signal, nullptr, &action);
      found.push_back(reinterpret_cast<void*>(action.sa_handler));
    }
    return found;
  };
  const auto handlers_before = handlers();
  const int threads_before = thread_count();
  const Context q;
  push(q, QUO_OBJ_MACHINE, 0);
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  pop(q);
  expect_equal(thread_count(), threads_before, "threads");
  expect(handlers() == handlers_before, "a signal has another handler");
  for (const std::string& asker : askers_of_libquo(Event::signal)) expect(false, asker + " has asked for a signal");
}

// What a libquo may have left where files stay; others may be using these folders too.
std::set<std::string> files_of_quo() {
  std::set<std::string> found;
  for (const std::filesystem::path& folder :
       {std::filesystem::path("/tmp"), std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("libquo") || name.starts_with("comity-node")) found.insert(entry.path());
    }
  }
  return found;
}

// Whatever the child's call returns. It calls no MPI, and ends without what runs at an exit.
void fork_child_does_not_move_its_parent() {
  const Context q;
  if (fewest_of_all_ranks(count(q, QUO_OBJ_PU)) < 2) return not_tested("a machine has one PU");
  const std::string before = binding(q);
  const pid_t child = fork();
  if (child == 0) {
    (void)QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0);
    _exit(0);
  }
  expect(child > 0, "no child");
  int status = -1;
  expect(child < 0 || waitpid(child, &status, 0) == child, "the child is not there");
  expect_equal(status, 0, "how the child ended");
  expect_equal(binding(q), before, "the parent's binding");
  meet();
}

// Those of others that were not there before go again.
std::string left_since(const std::set<std::string>& before) {
  std::string left;
  for (int time = 0; time < 50; ++time) {
    left.clear();
    for (const std::string& file : files_of_quo()) {
      if (!before.contains(file)) left += " " + file;
    }
    if (left.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return left;
}

void no_file_is_left() {
  const std::set<std::string> before = files_of_quo();
  meet();
  char folder[4096] = {};
  if (node().rank == 0) {
    const std::string pattern = std::filesystem::temp_directory_path() / "conformXXXXXX";
    (void)std::snprintf(folder, sizeof(folder), "%s", pattern.c_str());
    expect(mkdtemp(folder) != nullptr, "no folder for temporary files");
  }
  MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, node().communicator);
  (void)setenv("QUO_TMPDIR", folder, 1);
  {
    const Context q;
    int selected = -1;
    expect_equal(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected), QUO_SUCCESS, "QUO_auto_distrib");
    meet();
    expect(std::filesystem::is_empty(folder), "files are left while the context lives");
    const std::string left = left_since(before);
    expect(left.empty(), "files are left while the context lives:" + left);
    meet();
  }
  meet();
  (void)unsetenv("QUO_TMPDIR");
  if (node().rank != 0) return;
  expect(std::filesystem::is_empty(folder), "files are left");
  const std::string left = left_since(before);
  expect(left.empty(), "files are left:" + left);
  std::filesystem::remove_all(folder);
}

}  // namespace

std::span<const Rule> early_rules() {
  static constexpr Rule kRules[] = {
      {"version-is-8-0-before-anything-else", version_is_8_0},
      {"create-before-init-is-an-error-of-mpi", create_before_init},
  };
  return kRules;
}

std::span<const Rule> life_rules() {
  static constexpr Rule kRules[] = {
      {"version-is-8-0", version_is_8_0},
      {"create-to-null-is-an-argument-error", create_to_null},
      {"no-such-flags-are-an-argument-error", no_such_flags},
      {"free-of-null-is-success", free_of_null},
      {"null-arguments-are-argument-errors", null_arguments},
      {"qids-are-node-ranks-of-the-communicator", qids_are_node_ranks},
      {"self-is-a-node-of-one", a_context_of_self},
      {"sub-communicators-count-their-members-only", sub_communicators},
      {"contexts-may-overlap", contexts_overlap},
      {"communicator-may-be-freed-after-create", communicator_may_be_freed},
      {"free-keeps-the-binding", free_keeps_the_binding},
      {"a-kept-binding-is-the-base-of-the-next-context", a_kept_binding_is_the_next_base},
      {"signals-and-threads-are-left-alone", signals_and_threads_are_left_alone},
      {"a-fork-child-does-not-move-its-parent", fork_child_does_not_move_its_parent},
      {"no-file-is-left", no_file_is_left},
      {"rand-is-left-alone", rand_is_left_alone},
  };
  return kRules;
}

}  // namespace conform
