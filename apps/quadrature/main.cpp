// SPDX-License-Identifier: BSD-3-Clause
// Adaptive quadrature by a tree of tasks: an interval whose estimate by Simpson's rule changes too much when it is halved
// is cut in two, each half a task. Where the tree is deep is not known before. Checked against integrals that are known.
//   quadrature [TOLERANCE]     1e-10 unless given
#include <array>
#include <cmath>
#include <comity/sched.hpp>
#include <cstdio>
#include <cstdlib>
#include <numbers>

namespace {

namespace sched = comity::sched;

using Function = double (*)(double);

struct Interval {
  double low, high;
  double at_low, at_middle, at_high;  // values of the function

  [[nodiscard]] double middle() const { return low + (high - low) / 2; }
  [[nodiscard]] double simpson() const { return (high - low) / 6 * (at_low + 4 * at_middle + at_high); }
};

constexpr int kDeepest = 48;      // then neighbours are too near for doubles
constexpr int kDeepestTask = 12;  // below, a half is too little work for a task

double integral(Function f, const Interval& all, double tolerance, int depth) {
  const double middle = all.middle();
  const Interval left{all.low, middle, all.at_low, f((all.low + middle) / 2), all.at_middle};
  const Interval right{middle, all.high, all.at_middle, f((middle + all.high) / 2), all.at_high};
  const double change = left.simpson() + right.simpson() - all.simpson();
  if (std::abs(change) <= 15 * tolerance || depth >= kDeepest) return all.simpson() + change + change / 15;
  if (depth >= kDeepestTask) {
    return integral(f, left, tolerance / 2, depth + 1) + integral(f, right, tolerance / 2, depth + 1);
  }
  double of_left = 0;
  sched::Group halves;
  halves.run([&] { of_left = integral(f, left, tolerance / 2, depth + 1); });
  const double of_right = integral(f, right, tolerance / 2, depth + 1);
  halves.wait();
  return of_left + of_right;
}

struct Known {
  const char* name;
  Function f;
  double low, high;
  double value;
};

const std::array kKnown{
    Known{"x^3", [](double x) { return x * x * x; }, 0, 2, 4},
    Known{"exp(x)", [](double x) { return std::exp(x); }, 0, 1, std::numbers::e - 1},
    Known{"sqrt(x)", [](double x) { return std::sqrt(x); }, 0, 1, 2.0 / 3},
    Known{"1 / (1e-4 + x^2)", [](double x) { return 1 / (1e-4 + x * x); }, -1, 1, 200 * std::atan(100.0)},
    Known{"sin(1000 x)", [](double x) { return std::sin(1000 * x); }, 0, 1, (1 - std::cos(1000.0)) / 1000},
};

// Whether it is as near as was asked for, but for what doubles lose.
bool is_right(const Known& known, double tolerance) {
  constexpr double kLost = 1e-12;
  const Interval all{known.low, known.high, known.f(known.low), known.f((known.low + known.high) / 2),
                     known.f(known.high)};
  const double found = integral(known.f, all, tolerance, 0);
  const double error = std::abs(found - known.value);
  const bool right = error <= 10 * tolerance + kLost * std::abs(known.value);
  std::printf("%-18s %.12g, error %.1e: %s\n", known.name, found, error, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const double tolerance = argc > 1 ? std::strtod(argv[1], nullptr) : 1e-10;
  if (!(tolerance >= 1e-13 && tolerance <= 1)) {
    std::fprintf(stderr, "quadrature: tolerance `%s`: give a number from 1e-13 to 1\n", argv[1]);
    return 2;
  }
  sched::Harts harts;
  return harts.run([&] {
    bool right = true;
    for (const Known& known : kKnown) right = is_right(known, tolerance) && right;
    return right ? 0 : 1;
  });
}
