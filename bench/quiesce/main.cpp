// SPDX-License-Identifier: BSD-3-Clause
// bench-quiesce: one rank computes on all cores of its node while the others wait (Table II of the QUO paper). Runs one
// case and prints one line of JSON from the computing rank. Not: comparing cases (comity bench quiesce).
//
// A sample on the computing rank, between two looks at the clock: push the machine, compute, pop, meet the others. In the
// ideal there are no others and the push stands before the first sample, so every cost of moving is held against the case.
#include <mpi.h>

#include <algorithm>
#include <comity/comity_mpi.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/arguments.hpp"
#include "common/timing.hpp"
#include "quiesce/kernel.hpp"
#include "quiesce/mechanism.hpp"

namespace bench::quiesce {
namespace {

struct Sample {
  double seconds;              // on the computing rank
  double waiters_cpu_seconds;  // of all waiters together
};

class Experiment {
 public:
  explicit Experiment(const Arguments& arguments)
      : arguments_(arguments),
        case_(case_named(arguments.name)),
        context_(comity::make_context(MPI_COMM_WORLD)),
        mechanism_(case_, context_),
        computes_(context_.rank() == 0) {
    if (context_.node_count() != 1) throw std::runtime_error("the ranks are on several nodes: start all on one");
    const int cores = context_.count(comity::Resource::core);
    if (computes_) kernel_ = std::make_unique<Kernel>(cores);
    context_.spread(comity::Resource::core);
    if (case_ == Case::ideal) {
      if (context_.size() != 1) throw std::runtime_error("the ideal is one rank alone, without others");
      context_.push(comity::Resource::machine, 0);
    }
  }

  void run() {
    if (arguments_.units == 0) calibrate();
    (void)sample();  // threads are born, pages and caches are touched
    for (int count = 0; count < arguments_.samples; ++count) samples_.push_back(sample());
    if (computes_) print();
  }

 private:
  // Only for the ideal: the number of units that take the wanted time.
  void calibrate() {
    if (case_ != Case::ideal) throw std::runtime_error("--units is needed: only the ideal finds out by itself");
    arguments_.units = 1;
    while (fastest_of_three() < 0.25 * arguments_.seconds) arguments_.units *= 2;
    const double unit_seconds = fastest_of_three() / arguments_.units;
    arguments_.units = std::max(1, static_cast<int>(arguments_.seconds / unit_seconds));
  }

  // [s] What else runs on the machine can only slow a sample down, and must not decide how much work is done.
  double fastest_of_three() {
    double fastest = sample().seconds;
    for (int again = 0; again < 2; ++again) fastest = std::min(fastest, sample().seconds);
    return fastest;
  }

  Sample sample() {
    context_.quiesce();  // nobody spins before the start, whatever the case
    const double cpu_before_ns = process_cpu_ns();
    const double start_ns = now_ns();
    if (computes_) compute();
    mechanism_.wait();
    const double seconds = 1e-9 * (now_ns() - start_ns);
    double waited = computes_ ? 0.0 : 1e-9 * (process_cpu_ns() - cpu_before_ns);
    double all_waited = 0.0;
    MPI_Reduce(&waited, &all_waited, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return {seconds, all_waited};
  }

  void compute() {
    if (case_ != Case::ideal) context_.push(comity::Resource::machine, 0);
    team_ = kernel_->run(arguments_.units, context_.width().cores);
    require_every_core();
    if (case_ != Case::ideal) context_.pop();
  }

  // A narrower team is another experiment: the others would be compared with cores that idle.
  void require_every_core() const {
    const int cores = context_.width().cores;
    if (team_ == cores) return;
    throw std::runtime_error("OpenMP gave the computing rank " + std::to_string(team_) + " of the " +
                             std::to_string(cores) + " threads that it has cores for; unset " +
                             "OMP_THREAD_LIMIT and OMP_DYNAMIC");
  }

  void print() const {
    std::string list;
    for (const Sample& sample : samples_) {
      char text[80];
      std::snprintf(text, sizeof text, "%s{\"seconds\": %.9f, \"waiters_cpu_seconds\": %.9f}", list.empty() ? "" : ", ",
                    sample.seconds, sample.waiters_cpu_seconds);
      list += text;
    }
    std::printf(
        "{\"case\": \"%s\", \"ranks\": %d, \"threads\": %d, \"units\": %d, \"checksum\": \"%016llx\", "
        "\"samples\": [%s]}\n",
        arguments_.name.c_str(), context_.size(), team_, arguments_.units,
        static_cast<unsigned long long>(kernel_->checksum()), list.c_str());
  }

  Arguments arguments_;
  Case case_;
  comity::Context context_;
  Mechanism mechanism_;
  bool computes_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<Sample> samples_;
  int team_ = 0;
};

int run(int count, char** words) {
  try {
    Experiment(parse_arguments("bench-quiesce", count, words)).run();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-quiesce: %s\n", failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace bench::quiesce

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const int failed = bench::quiesce::run(count, words);
  if (failed != 0) MPI_Abort(MPI_COMM_WORLD, failed);  // the others wait for this rank
  MPI_Finalize();
  return failed;
}
