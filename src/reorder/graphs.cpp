// SPDX-License-Identifier: BSD-3-Clause
#include "reorder/graphs.hpp"

#include <array>

#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::reorder {
namespace {

namespace real = interpose::real;

constexpr int kCounts = 1, kNumbers = 2;  // tags; nobody else sends on this communicator

std::vector<int> copy_of(const int* first, int count) {
  return count > 0 ? std::vector<int>(first, first + count) : std::vector<int>();
}

std::vector<int> copy_of_weights(const int* weights, int count) {
  std::vector<int> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all.push_back(weight_at(weights, i));
  return all;
}

int bytes(std::size_t numbers) { return static_cast<int>(numbers * sizeof(int)); }

}  // namespace

int weight_at(const int* weights, int i) {
  const interpose::Handles& handles = interpose::handles();
  return weights == nullptr || weights == handles.unweighted || weights == handles.weights_empty ? 1 : weights[i];
}

Neighbours Neighbours::of(int indegree, const int* sources, const int* source_weights, int outdegree,
                          const int* destinations, const int* destination_weights) {
  return {copy_of(sources, indegree), copy_of_weights(source_weights, indegree), copy_of(destinations, outdegree),
          copy_of_weights(destination_weights, outdegree)};
}

int exchange(MPI_Comm reordered, int old_rank, const Neighbours& mine, Neighbours& of_my_place) {
  const MPI_Datatype byte = interpose::handles().byte;
  std::vector<int> out;
  for (const auto* part : {&mine.sources, &mine.source_weights, &mine.destinations, &mine.destination_weights}) {
    out.insert(out.end(), part->begin(), part->end());
  }
  const std::array<int, 2> my_counts{static_cast<int>(mine.sources.size()), static_cast<int>(mine.destinations.size())};
  std::array<int, 2> counts{};
  MPI_Status status;
  int code = real::MPI_Sendrecv(my_counts.data(), sizeof my_counts, byte, old_rank, kCounts, counts.data(),
                                sizeof counts, byte, MPI_ANY_SOURCE, kCounts, reordered, &status);
  if (code != MPI_SUCCESS) return code;
  const auto sources = static_cast<std::size_t>(counts[0]), destinations = static_cast<std::size_t>(counts[1]);
  std::vector<int> in(2 * (sources + destinations));
  code = real::MPI_Sendrecv(out.data(), bytes(out.size()), byte, old_rank, kNumbers, in.data(), bytes(in.size()), byte,
                            status.MPI_SOURCE, kNumbers, reordered, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  auto next = in.begin();
  const auto take = [&next](std::size_t count) {
    const auto first = next;
    next += static_cast<std::ptrdiff_t>(count);
    return std::vector<int>(first, next);
  };
  of_my_place.sources = take(sources);
  of_my_place.source_weights = take(sources);
  of_my_place.destinations = take(destinations);
  of_my_place.destination_weights = take(destinations);
  return MPI_SUCCESS;
}

}  // namespace comity::reorder
