// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/beside.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

#include "fortran/beside.h"
#include "fortran/measure.hpp"

namespace bench::fortran {
namespace {

// Their numbers in beside.c and beside.f90 are their places here, from 1.
constexpr std::array kTasks{Case{"hart"},  Case{"lock", 2},  Case{"try_lock", 2}, Case{"word", 2},
                            Case{"yield"}, Case{"spawn", 2}, Case{"loop"},        Case{"task", 3}};
constexpr std::array kRecords{Case{"record_time"}, Case{"record_describe"}, Case{"record_text"}};

void check(comity_status status) {
  if (status == COMITY_OK) return;
  std::fprintf(stderr, "bench-fortran: %s\n", comity_last_error());
  std::abort();
}

// Of functions that are called with the number of a case and so many turns.
template <typename Cases, typename InFortran, typename InC>
std::vector<Outcome> measure_all(const Cases& cases, InFortran&& in_fortran, InC&& in_c) {
  std::vector<Outcome> outcomes;
  int number = 0;
  for (const Case& one : cases) {
    ++number;
    outcomes.push_back(measure(
        one, [&](int turns) { in_fortran(number, turns); }, [&](int turns) { in_c(number, turns); }));
  }
  return outcomes;
}

comity_status measure_tasks(void* outcomes) {
  *static_cast<std::vector<Outcome>*>(outcomes) = measure_all(kTasks, tasks_in_fortran, tasks_in_c);
  return COMITY_OK;
}

}  // namespace

// On one hart: with nobody to steal from or to wake, what is left is the call.
std::vector<Outcome> task_cases() {
  comity_sched_options options{};
  options.harts = 1;
  std::vector<Outcome> outcomes;
  check(comity_sched_start(&options));
  check(comity_sched_run(measure_tasks, &outcomes));
  check(comity_sched_stop());
  return outcomes;
}

std::vector<Outcome> record_cases(const char* path) {
  comity_record* record = nullptr;
  const comity_record_job* job = nullptr;
  const comity_record_rank* loaded = nullptr;
  check(comity_record_open(path, COMITY_RECORD_WHOLE, &record));
  check(comity_record_describe(record, &job));
  check(comity_record_load(record, job->entries[0].rank, COMITY_RECORD_ALL, &loaded));
  std::vector<Outcome> outcomes = measure_all(
      kRecords, [&](int number, int turns) { records_in_fortran(record, loaded, number, turns); },
      [&](int number, int turns) { records_in_c(record, loaded, number, turns); });
  check(comity_record_release(&loaded));
  check(comity_record_close(&record));
  return outcomes;
}

}  // namespace bench::fortran
