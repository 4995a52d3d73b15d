// SPDX-License-Identifier: BSD-3-Clause
// Splits among ranks of MPI, on a made-up node of 128 PUs: level by level and back, groups that agree with MPI's, each assignment,
// and questions that differ.
#include <comity/split.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kCores = 64;  // of two PUs
constexpr int kCoresOfNode = 16;

// Cores first .. first + count - 1, as PUs.
std::string cores(int first, int count) {
  return std::to_string(2 * first) + "-" + std::to_string(2 * (first + count) - 1);
}

std::vector<int> gathered(int mine) {
  std::vector<int> all(static_cast<std::size_t>(world().size));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

void a_machine_is_divided_level_by_level(Context& context) {
  const auto [rank, size] = world();
  const int half = size > 2 ? rank * 2 / size : rank;
  const Group sharers = split(context, Resource::package, 2, Assignment::packed);
  expect_equal(context.binding_string(), cores(32 * half, 32), "a package");
  const std::vector<int> halves = gathered(half);
  expect_equal(sharers.size(), static_cast<int>(std::ranges::count(halves, half)), "ranks that share it");

  const int quarter = sharers.size() > 2 ? sharers.rank() * 2 / sharers.size() : sharers.rank();
  const Group few = split(context, Resource::core, 2, Assignment::packed, &sharers);
  expect_equal(context.binding_string(), cores(32 * half + 16 * quarter, 16), "half of its cores");
  context.quiesce(few);
  context.pop();
  expect_equal(context.binding_string(), cores(32 * half, 32), "back on the package");
  context.pop();
  expect_equal(context.binding_string(), cores(0, kCores), "back on the machine");
}

void each_assignment_has_its_order(Context& context) {
  const auto [rank, size] = world();
  const Group apart = split(context, Resource::core, 0, Assignment::spread);
  expect_equal(context.binding_string(), cores(rank * kCores / size, 1), "spread over the cores");
  const Group close = split(context, Resource::numa, 0, Assignment::close);
  expect(context.intersects(Resource::core, rank * kCores / size), "close: still where it was");
  const std::vector<int> nodes = gathered(rank * kCores / size / kCoresOfNode);
  const auto mine = std::ranges::count(nodes, nodes[static_cast<std::size_t>(rank)]);
  expect_equal(context.width().cores, static_cast<int>(mine), "close: cores that the ranks have of the NUMA node");
  expect_equal(close.size(), static_cast<int>(mine), "close: ranks of the NUMA node");
  context.pop();
  context.pop();
  const Group packed = split(context, Resource::core, 0, Assignment::packed);
  expect_equal(context.binding_string(), cores(rank, 1), "packed on the first cores");
  context.pop();
}

void what_differs_or_cannot_be_is_told_to_all(Context& context) {
  const auto [rank, size] = world();
  comity_group* group = nullptr;
  const int pieces = rank == size - 1 ? 3 : 2;
  comity_status status =
      comity_context_split(context.handle(), COMITY_CORE, pieces, COMITY_ASSIGN_PACKED, nullptr, &group);
  expect_status(status, size > 1 ? COMITY_ERR_ARGUMENT : COMITY_OK, "different pieces");
  if (status == COMITY_OK) context.pop();
  (void)comity_group_free(&group);
  status = comity_context_split(context.handle(), COMITY_PACKAGE, 3, COMITY_ASSIGN_PACKED, nullptr, &group);
  expect_status(status, COMITY_ERR_RANGE, "three pieces of two packages");
  expect_equal(context.depth(), 0, "entries after what was refused");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  {
    Context context = make_context(MPI_COMM_WORLD);
    a_machine_is_divided_level_by_level(context);
    each_assignment_has_its_order(context);
    what_differs_or_cannot_be_is_told_to_all(context);
  }
  MPI_Finalize();
  return finish();
}
