// SPDX-License-Identifier: BSD-3-Clause
// QUO's C++ classes, in C++11 as programs of their time are: each member beside the call of quo.h that it stands for.
#include <quo.hpp>

#include <cstdio>
#include <numeric>
#include <sstream>
#include <type_traits>

#include "judged.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("FAIL: %s\n", what);
}

template <typename Call, typename... Arguments>
int ask(Call call, Arguments... arguments) {
  int found = -1;
  expect(call(arguments..., &found) == QUO_SUCCESS, "a call of quo.h");
  return found;
}

static_assert(!std::is_copy_constructible<quo::Context>::value, "a context is one");
static_assert(std::is_nothrow_move_constructible<quo::Context>::value, "a context may be handed over");
static_assert(!std::is_copy_constructible<quo::BindGuard>::value, "a guard pops once");

void counts(const quo::Context& context) {
  QUO_context const q = context.get();
  expect(quo::version() == std::pair<int, int>(8, 0), "version");
  expect(context.nobjs_by_type(quo::ObjectType::CORE) == ask(QUO_ncores, q), "nobjs_by_type");
  expect(
      context.nobjs_in_type_by_type(quo::ObjectType::MACHINE, 0, quo::ObjectType::PROCESSING_UNIT) == ask(QUO_npus, q),
      "nobjs_in_type_by_type");
  expect(context.nnumanodes() == ask(QUO_nnumanodes, q), "nnumanodes");
  expect(context.nsockets() == ask(QUO_nsockets, q), "nsockets");
  expect(context.ncores() == ask(QUO_ncores, q), "ncores");
  expect(context.npus() == ask(QUO_npus, q), "npus");
  expect(context.nnodes() == ask(QUO_nnodes, q), "nnodes");
  expect(context.nqids() == ask(QUO_nqids, q), "nqids");
  expect(context.id() == ask(QUO_id, q), "id");
}

void guards_pop_at_their_end(const quo::Context& context) {
  const quo::BindGuard everywhere(context, quo::BindPushPolicy::PROVIDED, quo::ObjectType::MACHINE);
  const std::string before = context.stringify_cbind();
  const int last = context.npus() - 1;
  {
    const quo::BindGuard outer(context, quo::BindPushPolicy::PROVIDED, quo::ObjectType::PROCESSING_UNIT, last);
    const std::string narrow = context.stringify_cbind();
    expect(context.bound() == (last > 0), "bound");
    {
      const quo::BindGuard inner(context, quo::BindPushPolicy::OBJECT, quo::ObjectType::MACHINE);
      expect(context.stringify_cbind() == before, "the inner binding");
    }
    expect(context.stringify_cbind() == narrow, "the binding after the inner guard");
  }
  expect(context.stringify_cbind() == before, "the binding after both guards");
}

void a_node_tells_what_is_touched(const quo::Context& context) {
  const quo::BindGuard everywhere(context, quo::BindPushPolicy::PROVIDED, quo::ObjectType::MACHINE);
  const quo::NodeInfo node(context);
  std::vector<int> cores(static_cast<std::size_t>(context.ncores()));
  std::iota(cores.begin(), cores.end(), 0);
  expect(node.machines() == std::vector<int>(1, 0), "machines");
  expect(node.cores() == cores, "cores of an unbound process");
  expect(node.sockets() == node.objects_by_type(quo::ObjectType::PACKAGE), "sockets");
  expect(!node.numa_nodes().empty(), "NUMA nodes");
  const int last = context.npus() - 1;
  const quo::BindGuard guard(context, quo::BindPushPolicy::PROVIDED, quo::ObjectType::PROCESSING_UNIT, last);
  expect(node.processing_units() == std::vector<int>(1, last), "PUs of a bound process");
  expect(node.cores() == std::vector<int>(1, context.ncores() - 1), "cores of a bound process");
}

void ranks_meet(const quo::Context& context) {
  context.barrier();
  std::vector<int> all(static_cast<std::size_t>(context.nqids()));
  std::iota(all.begin(), all.end(), 0);
  expect(context.qids_in_type(quo::ObjectType::MACHINE, 0) == all, "qids_in_type");
  expect(context.auto_distrib(quo::ObjectType::MACHINE, 1) == (context.id() == 0), "auto_distrib");
  MPI_Comm node = context.mpi_comm_by_type();
  int size = 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  expect(size == context.nqids(), "mpi_comm_by_type");
}

template <typename Call>
void expect_error(int code, const char* call_name, Call call) {
  try {
    call();
    expect(false, "no exception");
  } catch (const quo::Error& error) {
    expect(error.code() == code, "the code of an exception");
    expect(std::string(error.what()).find(call_name) == 0, "the call that an exception names");
  }
}

void failures_throw(const quo::Context& context) {
  expect_error(QUO_ERR_POP, "QUO_bind_pop", [&] { context.bind_pop(); });
  expect_error(QUO_ERR_NOT_SUPPORTED, "QUO_get_mpi_comm_by_type",
               [&] { (void)context.mpi_comm_by_type(quo::ObjectType::CORE); });
  expect_error(QUO_ERR_INVLD_ARG, "QUO_bind_push",
               [&] { const quo::BindGuard guard(context, quo::BindPushPolicy::PROVIDED, quo::ObjectType::CORE, -1); });
  expect_error(QUO_ERR_INVLD_ARG, "QUO_cpuset_in_type",
               [&] { (void)context.cpuset_in_type(quo::ObjectType::CORE, -1); });
}

void names_are_printed() {
  std::ostringstream text;
  text << quo::ObjectType::NODE << ", " << quo::ObjectType::SOCKET << ", " << quo::BindPushPolicy::OBJECT;
  expect(text.str() == "NUMA node, socket, object", "what is printed");
}

}  // namespace

int main(int argc, char** argv) {
  conform::load_the_library_to_judge(argv);
  MPI_Init(&argc, &argv);
  {
    quo::Context made;
    const quo::Context context(std::move(made));
    counts(context);
    guards_pop_at_their_end(context);
    a_node_tells_what_is_touched(context);
    ranks_meet(context);
    failures_throw(context);
    names_are_printed();
  }
  { const quo::Context one_pu_a_core(MPI_COMM_SELF, quo::CreateFlags::NO_MT); }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
