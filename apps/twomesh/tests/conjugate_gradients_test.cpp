// SPDX-License-Identifier: BSD-3-Clause
#include "l1/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace twomesh::l1 {
namespace {

constexpr int kSize = 40;

Strips strips_of(int rows, int height) {
  Strips strips;
  for (int row = 0; row < rows; row += height) strips.push_back({row, std::min(rows, row + height)});
  return strips;
}

// A system with rough coefficients and a rough right-hand side.
struct Problem {
  explicit Problem(double coupling = 5.0) : conductivity(kSize, kSize), capacity(kSize, kSize), system(kSize, kSize) {
    for (int j = 0; j < kSize; ++j) {
      for (int i = 0; i < kSize; ++i) {
        conductivity.row(j)[i] = 1.0 + (i * 5 + j * 3) % 7;
        capacity.row(j)[i] = 1.0 + (i + j) % 3;
        system.right_hand.row(j)[i] = std::sin(0.3 * i) + 0.1 * ((i * j) % 5);
      }
      conductivity.wrap_row(j);
    }
    neighbours.exchange_rows(conductivity);
    assemble_strip(system, conductivity, capacity, coupling, 2.0 * coupling, {0, kSize});
  }
  RowField conductivity, capacity;
  System system;
  LoneRank neighbours;
};

double dot(const RowField& a, const RowField& b) {
  double sum = 0.0;
  for (int j = 0; j < kSize; ++j) sum += ordered_dot(a.row(j), b.row(j), kSize);
  return sum;
}

void fill_ghosts(RowField& field, LoneRank& neighbours) {
  for (int j = 0; j < kSize; ++j) field.wrap_row(j);
  neighbours.exchange_rows(field);
}

TEST(System, IsSymmetric) {
  Problem problem;
  RowField a(kSize, kSize), b(kSize, kSize), image_of_a(kSize, kSize), image_of_b(kSize, kSize);
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) {
      a.row(j)[i] = std::cos(1.0 * i * i + j);
      b.row(j)[i] = std::sin(2.0 * j * j + 3.0 * i);
    }
  }
  fill_ghosts(a, problem.neighbours);
  fill_ghosts(b, problem.neighbours);
  apply_strip(problem.system, a, image_of_a, {0, kSize});
  apply_strip(problem.system, b, image_of_b, {0, kSize});
  EXPECT_NEAR(dot(b, image_of_a), dot(a, image_of_b), 1e-9 * std::fabs(dot(a, image_of_a)));
}

TEST(ConjugateGradients, ReachTheResidualThatTheyReport) {
  Problem problem;
  ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 500, false});
  RowField x(kSize, kSize);
  const SolveReport report = solver.solve(problem.system, x, problem.neighbours, 1);
  EXPECT_LE(report.relative_residual, 1e-10);
  EXPECT_LE(solver.true_residual(problem.system, x, problem.neighbours, 1), 1.01e-10);
  EXPECT_GT(report.iterations, 5);
}

TEST(ConjugateGradients, StopAtTheirLimitAndSayHowFarTheyGot) {
  Problem problem;
  ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 3, false});
  RowField x(kSize, kSize);
  const SolveReport report = solver.solve(problem.system, x, problem.neighbours, 1);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_GT(report.relative_residual, 1e-10);
}

TEST(ConjugateGradients, KeepEveryBitForEveryTeam) {
  std::vector<std::uint64_t> sums;
  for (const int team : {1, 2, 3, 4}) {
    Problem problem;
    ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 500, true});
    RowField x(kSize, kSize);
    solver.solve(problem.system, x, problem.neighbours, team);
    Checksum all;
    all.add(solver.history().value());
    for (const Checksum& strip : solver.iterates()) all.add(strip.value());
    sums.push_back(all.value());
  }
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, sums.front());
}

TEST(ConjugateGradients, ReportHowManyThreadsRan) {
  Problem problem;
  ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 3, false});
  RowField x(kSize, kSize);
  EXPECT_EQ(solver.solve(problem.system, x, problem.neighbours, 3).threads, 3);
  int ran = 0;
#pragma omp parallel num_threads(2)  // within, with one level of parallel regions, a team is its own thread alone
  {
#pragma omp single
    ran = solver.solve(problem.system, x, problem.neighbours, 3).threads;
  }
  EXPECT_EQ(ran, 1);
}

TEST(ConjugateGradients, HaveAChecksumThatSeesTheIterates) {
  std::vector<std::uint64_t> sums;
  for (const double coupling : {5.0, 5.0000001}) {
    Problem problem(coupling);
    ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 500, true});
    RowField x(kSize, kSize);
    solver.solve(problem.system, x, problem.neighbours, 1);
    sums.push_back(solver.iterates().front().value());
  }
  EXPECT_NE(sums[0], sums[1]);
}

// The sums of x alone: no iteration changes it.
std::vector<std::uint64_t> sums_of_strips(RowField& x) {
  Problem problem;
  ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, 0, false});
  EXPECT_EQ(solver.solve(problem.system, x, problem.neighbours, 1).iterations, 0);
  std::vector<std::uint64_t> sums;
  for (const Checksum& strip : solver.iterates()) sums.push_back(strip.value());
  return sums;
}

TEST(ConjugateGradients, SumEveryBitOfEachRowOfX) {
  RowField x(kSize, kSize);
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < kSize; ++i) x.row(j)[i] = 1.0 + 0.01 * i + 0.1 * j;
  }
  const std::vector<std::uint64_t> before = sums_of_strips(x);
  for (int row = 0; row < kSize; ++row) {
    for (const int i : {0, row, kSize - 1}) {
      const double kept = x.row(row)[i];
      x.row(row)[i] = std::nextafter(kept, 10.0);
      const std::vector<std::uint64_t> after = sums_of_strips(x);
      for (std::size_t strip = 0; strip < before.size(); ++strip) {
        const bool moved = before[strip] != after[strip];
        EXPECT_EQ(moved, strip == static_cast<std::size_t>(row) / 4) << "row " << row << ", strip " << strip;
      }
      x.row(row)[i] = kept;
    }
  }
}

// One iterate is the last one too; of two, the first is only in the sum of all.
TEST(ConjugateGradients, SumAllIteratesWhereTheyAreToldTo) {
  for (const int iterations : {1, 2}) {
    std::vector<std::uint64_t> sums;
    for (const bool all : {true, false}) {
      Problem problem;
      ConjugateGradients solver(kSize, kSize, strips_of(kSize, 4), {1e-10, iterations, all});
      RowField x(kSize, kSize);
      solver.solve(problem.system, x, problem.neighbours, 1);
      sums.push_back(solver.iterates().front().value());
    }
    EXPECT_EQ(sums[0] == sums[1], iterations == 1);
  }
}

TEST(OrderedDot, AddsEveryElementOnce) {
  for (const int count : {0, 1, 7, 8, 9, 31}) {
    std::vector<double> a(static_cast<std::size_t>(count)), b(a.size(), 2.0);
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += 2.0 * (a[i] = static_cast<double>(i + 1));
    EXPECT_DOUBLE_EQ(ordered_dot(a.data(), b.data(), count), sum);
  }
}

}  // namespace
}  // namespace twomesh::l1
