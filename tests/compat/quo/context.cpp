// SPDX-License-Identifier: BSD-3-Clause
// What most rules need of a context.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "rules.hpp"

namespace conform {

void finish(MPI_Request& request) {
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(node().communicator, &request);
  finish(request);
}

int fewest_of_all_ranks(int number) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  finish(request);
  return number;
}

Node node_of(MPI_Comm communicator) {
  Node node;
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node.communicator);
  MPI_Comm_rank(node.communicator, &node.rank);
  MPI_Comm_size(node.communicator, &node.size);
  const int first = node.rank == 0 ? 1 : 0;
  MPI_Allreduce(&first, &node.nodes, 1, MPI_INT, MPI_SUM, communicator);
  return node;
}

Context::Context(MPI_Comm communicator, QUO_create_flags_t flags) {
  const int code = QUO_create_with_flags(&context_, communicator, flags);
  if (code == QUO_SUCCESS && context_ != nullptr) return;
  (void)std::fprintf(stderr, "rank %d: QUO_create_with_flags returned %d; nothing can be checked\n", my_rank(), code);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

Context::~Context() { free(); }

void Context::free() {
  if (context_ == nullptr) return;
  expect_equal(QUO_free(context_), QUO_SUCCESS, "QUO_free");
  context_ = nullptr;
}

int count(QUO_context q, QUO_obj_type_t type) {
  int found = -1;
  expect_equal(QUO_nobjs_by_type(q, type, &found), QUO_SUCCESS, "QUO_nobjs_by_type");
  return found;
}

std::string binding(QUO_context q) {
  char* text = nullptr;
  expect_equal(QUO_stringify_cbind(q, &text), QUO_SUCCESS, "QUO_stringify_cbind");
  const std::string found = text == nullptr ? "?" : text;
  std::free(text);
  return found;
}

void push(QUO_context q, QUO_obj_type_t type, int index) {
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, type, index), QUO_SUCCESS,
               "push of object " + std::to_string(index) + " of type " + std::to_string(static_cast<int>(type)));
}

void pop(QUO_context q) { expect_equal(QUO_bind_pop(q), QUO_SUCCESS, "pop"); }

}  // namespace conform
