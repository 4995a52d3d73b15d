// SPDX-License-Identifier: BSD-3-Clause
// Rules of QUO's interface, each checked by all ranks of a job together. A rule calls nothing but quo.h, MPI and the system,
// so it judges whichever libquo is loaded. Between rules every thread of every rank may use all CPUs again. What QUO tells is of
// a node, so rules number, count and meet the ranks of their own node; all nodes of the job check each rule at the same time.
#pragma once

#include <quo.h>

#include <span>
#include <string>

namespace conform {

struct Rule {
  const char* name;  // of what must hold, unique
  void (*check)();   // on all ranks; says what does not hold by expect()
};

// Before MPI_Init: each process checks them alone, and the ranks tell of them together afterwards.
std::span<const Rule> early_rules();
std::span<const Rule> early_quiet_rules();
// On this machine.
std::span<const Rule> life_rules();
std::span<const Rule> quiet_rules();
std::span<const Rule> query_rules();
std::span<const Rule> binding_rules();
std::span<const Rule> collective_rules();
std::span<const Rule> distribution_rules();
std::span<const Rule> openmp_rules();  // the last: they leave a team
// On a synthetic one: two sockets of four cores with two hardware threads each; four such cores and no socket.
std::span<const Rule> two_sockets_rules();
std::span<const Rule> no_sockets_rules();
// On one of three NUMA nodes: a CPU in each of two, none in the last.
std::span<const Rule> memory_alone_rules();

// Of this process in MPI_COMM_WORLD.
int my_rank();

// The ranks of MPI_COMM_WORLD that share this one's node, as MPI has it.
struct Node {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;   // of this process among them, in the order of MPI_COMM_WORLD
  int size = 1;   // how many they are
  int nodes = 1;  // of the job
};
const Node& node();
// The same of any communicator; its `communicator` is the caller's to free.
Node node_of(MPI_Comm communicator);

void expect(bool holds, const std::string& what);
void expect_equal(long found, long wanted, const std::string& what);
void expect_equal(const std::string& found, const std::string& wanted, const std::string& what);
// All ranks of the node meet. An MPI that spins while it waits does so against the ranks that it waits for, where they share a
// core; so rules wait by these.
void meet();
void finish(MPI_Request& request);
// The same on all ranks of the job: nodes need not be alike.
int fewest_of_all_ranks(int number);

// The rule cannot be tried here, on any rank of the job.
void not_tested(const std::string& why);

// A context of a communicator until the end of the rule; the job ends where there is none.
class Context {
 public:
  explicit Context(MPI_Comm communicator = MPI_COMM_WORLD, QUO_create_flags_t flags = QUO_CREATE_NO_FLAGS);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
  operator QUO_context() const { return context_; }
  void free();

 private:
  QUO_context context_ = nullptr;
};

int count(QUO_context q, QUO_obj_type_t type);
// QUO_stringify_cbind's text; "?" where it fails.
std::string binding(QUO_context q);
void push(QUO_context q, QUO_obj_type_t type, int index);
void pop(QUO_context q);

}  // namespace conform
