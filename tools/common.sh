# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of the front door share: the build, the tests, and the one line that each ends with. Sourced, not run.
# Door: begin NAME [GOAL]; build PRESET [TARGET...]; tests PRESET BUILD_FOLDER [CTEST OPTION...]; check WORDS COMMAND...; finish.
set -u
cd "$(dirname "$0")/.." || exit 1

# Open MPI refuses to start as root unless it is told twice that this is meant, as in a container.
if [ "$(id -u)" -eq 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=   # what went well, for the last line
failed=   # what did not, with its log
slow=0    # tests that took longer than they may

begin() {  # begin NAME [GOAL]: NAME opens the last line; GOAL: minutes that it should end in, on two cores
  name=$1
  goal_min=${2:-}
  started=$(date +%s)
}

elapsed() {
  seconds=$(($(date +%s) - started))
  if [ "$seconds" -lt 60 ]; then
    echo "$seconds s"
  else
    echo "$((seconds / 60)) min $((seconds % 60)) s"
  fi
}

beside_goals() {  # what the last line says of them: the script's, and the 20 s of each test, where any took longer
  goals=
  if [ -n "$goal_min" ]; then
    if [ $(($(date +%s) - started)) -le $((goal_min * 60)) ]; then verdict=met; else verdict=missed; fi
    goals="goal on two cores: $goal_min min, $verdict"
  fi
  case $slow in
    0) ;;
    1) goals="$goals${goals:+; }1 test took longer than 20 s" ;;
    *) goals="$goals${goals:+; }$slow tests took longer than 20 s" ;;
  esac
  [ -z "$goals" ] || echo " ($goals)"
}

noted() { passed="$passed${passed:+, }$1"; }
broken() { failed="$failed${failed:+; }$1"; }

finish() {  # the last line; exit 1 if anything is broken
  if [ -n "$failed" ]; then
    echo "make $name: $failed (after $(elapsed))"
    exit 1
  fi
  echo "make $name: $passed passed in $(elapsed)$(beside_goals)"
}

# A folder that was configured without tests (by `make` or `make demo`) keeps its other settings.
build() {  # build PRESET [TARGET...]: without targets everything, the tests included; a failure ends the script
  preset=$1
  shift
  tests=ON
  targets=
  if [ $# -gt 0 ]; then
    tests=
    targets="--target $*"
    [ "$preset" != release ] || [ -f build/CMakeCache.txt ] || tests=OFF
  fi
  if ! configured=$(cmake --preset "$preset" ${tests:+-DCOMITY_TESTS=$tests} 2>&1); then
    echo "$configured"
    broken "cmake --preset $preset FAILED; why stands above"
    finish
  fi
  # shellcheck disable=SC2086
  if ! cmake --build --preset "$preset" -j "$jobs" $targets; then
    broken "the build ($preset) FAILED; its first error stands above"
    finish
  fi
}

# The tests that ctest's output lists at its end, skipped ones under "did not run", before those that failed.
failed_names() { sed -n '/(Skipped)/d; s/^[[:space:]]*[0-9]* - \([^ ]*\) (.*).*$/\1/p' "$1"; }
skipped_names() { sed -n 's/^[[:space:]]*[0-9]* - \([^ ]*\) (Skipped).*$/\1/p' "$1"; }

at_most_eight() {  # names from standard input in one line
  awk '{ if (NR <= 8) names = names (NR > 1 ? ", " : "") $0 }
    END { if (NR > 8) names = names " and " (NR - 8) " more"; printf "%s", names }'
}

not_tested() {  # not_tested CTEST_LOG: what tests say that this machine did not let them do, each once
  [ -f "$1" ] || return 0
  grep -o 'NOT TESTED: .*' "$1" | sort -u
}

slow_tests() {  # slow_tests CTEST_LOG WHAT: who took more than the 20 s that a test may take on a machine with nothing else to do
  sed -n 's/^.*Test *#[0-9]*: \([^ ]*\) .* \([0-9]*\)[.][0-9]* sec *$/\1 \2/p' "$1" |
    awk -v what="$2" '$2 >= 20 { print "SLOW" what ": " $1 " took " $2 " s; a test has 20 s where it has the cores to itself" }'
}

# MPI tests take two places each, and there are two places a core, for a test waits about as long as it computes; one place
# more is for a test without MPI, or of one rank, beside those.
tests() {  # tests PRESET BUILD_FOLDER [CTEST OPTION...]
  preset=$1
  log=$2/tests.log
  last=$2/Testing/Temporary/LastTest.log
  shift 2
  { ctest --preset "$preset" -j "$((2 * jobs + 1))" "$@" 2>&1; echo $? >"$log.status"; } | tee "$log"
  result=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests\{0,1\} failed out of \([0-9]*\)$/\1 \2/p' "$log")
  count=${result#* }
  skipped=$(skipped_names "$log" | wc -l)
  what=
  [ "$preset" = release ] || [ "$preset" = all ] || what=" ($preset)"
  not_tested "$last"
  slow_tests "$log" "$what" >"$log.slow"
  cat "$log.slow"
  slow=$((slow + $(wc -l <"$log.slow")))
  if [ -n "$result" ] && [ "$(cat "$log.status")" -eq 0 ] && [ "$skipped" -gt 0 ]; then
    noted "$((count - skipped)) of $count tests$what (skipped: $(skipped_names "$log" | at_most_eight))"
  elif [ -n "$result" ] && [ "$(cat "$log.status")" -eq 0 ]; then
    noted "$count tests$what"
  elif [ -n "$result" ]; then
    broken "${result%% *} of $count tests$what FAILED: $(failed_names "$log" | at_most_eight); log: $log"
  else
    broken "the tests$what did not run; log: $log"
  fi
  rm -f "$log.status" "$log.slow"
}

check() {  # check WORDS COMMAND...: one more thing that must hold
  words=$1
  shift
  echo "== $words"
  if "$@"; then
    noted "$words"
  else
    broken "$words FAILED (\`$*\`)"
  fi
}
