// SPDX-License-Identifier: BSD-3-Clause
// `comity top`: what the ranks of this node do now, once or again and again. Not: how a rank tells of itself (live).
#include "cli/top.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <thread>

#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/live_screen.hpp"
#include "cli/common/screen.hpp"
#include "cli/top/look.hpp"
#include "cli/top/table.hpp"
#include "os/environment.hpp"
#include "os/kernel.hpp"
#include "os/terminal.hpp"

namespace comity::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::array kExamples{
    Example{"comity run --metrics -- mpirun ..", "first, in another window: ranks show themselves from then on"},
    Example{"comity top", "all your ranks on this node, anew each second; q ends it"},
    Example{"comity top --job $(pidof mpirun)", "the ranks below a launcher, or all of a rank's job"},
    Example{"comity top --pid 4711", "one rank, a line a thread"},
    Example{"ssh node7 comity top --once", "one table of another node"},
    Example{"comity top --once --json | jq '.jobs[].ranks[] | select(.call)'", "the ranks that are in MPI now"},
};

constexpr Manual kManual{
    "top", "",
    "Show what the ranks of your running jobs do on this node: where each is bound and runs, whether it computes, "
    "sleeps "
    "or is in a call of MPI, in which and for how long, the region that it is in, its use of processors, its memory. "
    "It "
    "sees ranks that have Comity's library preloaded with metrics on (`comity run --metrics`, `comity run --record`), "
    "and disturbs none: it reads, and they wait for nobody.\n"
    "A line is a rank: its main thread, but processor use and memory are of the whole process. `for` is how long the "
    "call "
    "has lasted; COMITY_METRICS=counts does not tell. A rank computes if a thread of it runs outside MPI, and sleeps "
    "if none "
    "does. Many ranks in one call and one that computes: they wait for that one.\n"
    "On a terminal the table is shown anew until q or Ctrl-C; elsewhere it is printed once, as with --once.",
    kExamples};

constexpr double kShortest_s = 0.1;
constexpr double kLongest_s = 3600;

struct Request {
  bool json = false;
  bool once = false;
  double interval_s = 1;
  std::optional<pid_t> job;
  std::optional<pid_t> process;

  [[nodiscard]] milliseconds interval() const { return milliseconds(std::llround(interval_s * 1000)); }
};

Look chosen(Look look, const Request& request) {
  if (request.job) return only_job(std::move(look), *request.job);
  if (request.process) return only_process(std::move(look), *request.process);
  return look;
}

// Who asks for a process that shows nothing has to know why.
void require_anything(const Look& look, const Request& request) {
  if (!look.jobs.empty() || (!request.job && !request.process)) return;
  const pid_t process = request.job.value_or(request.process.value_or(0));
  const std::string what = "look at process " + std::to_string(process) + ": ";
  if (!os::process_exists(process))
    throw Error(Status::not_found, what + "there is no such process; ps shows those that run");
  for (const live::Unreadable& one : look.unreadable) {
    if (one.process == process) throw Error(Status::not_found, what + one.why);
  }
  throw Error(Status::not_found,
              what + (request.job ? "neither it nor a process below it" : "it") +
                  " shows itself as a rank; start the job with `comity run --metrics`, ask as its user, "
                  "and after its first call of MPI");
}

std::string text_of(const Screen& screen, const Look& look, const Request& request, std::size_t columns) {
  return request.process ? threads_text(screen, look, columns) : ranks_text(screen, look, columns);
}

// The use of processors is what lies between two looks.
int print_once(const Request& request, const Screen& screen) {
  Watch watch;
  require_anything(chosen(watch.look(), request), request);
  std::this_thread::sleep_for(request.interval());
  const Look look = chosen(watch.look(), request);
  require_anything(look, request);
  const std::string text = request.json ? json_text(look_json(look)) : text_of(screen, look, request, kColumns);
  std::fputs(text.c_str(), stdout);
  return kGood;
}

std::string head_line(const Look& look, const Request& request) {
  std::size_t ranks = 0;
  for (const JobLook& job : look.jobs) ranks += job.here.size();
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%g", request.interval_s);
  return "comity top  " + look.host + "  " + count_text(ranks, "rank") + "  every " + seconds.data() + " s; q ends";
}

void show(const os::LiveTerminal& terminal, const Screen& screen, const Look& look, const Request& request) {
  const os::TerminalSize size = terminal.size();
  const std::string text =
      screen.paint(Colour::strong, head_line(look, request)) + "\n\n" + text_of(screen, look, request, size.columns);
  terminal.show(fitted(text, size.lines, "--once"));
}

int watch_live(const Request& request, const Screen& screen) {
  Watch watch;
  Look look = chosen(watch.look(), request);
  require_anything(look, request);
  const bool ends_with_its_job = request.job || request.process;
  {
    os::LiveTerminal terminal;
    const auto redraw = [&] { show(terminal, screen, look, request); };
    while (!ends_with_its_job || !look.jobs.empty()) {
      redraw();
      if (!wait_until(terminal, std::chrono::steady_clock::now() + request.interval(), redraw)) return kGood;
      look = chosen(watch.look(), request);
    }
  }
  std::puts("It has ended.");
  return kGood;
}

void reject_senseless(const Request& request) {
  if (!(request.interval_s >= kShortest_s && request.interval_s <= kLongest_s)) {
    throw UsageError("--interval takes seconds from 0.1 to 3600");
  }
  if (request.job && request.process) throw UsageError("--job shows a job and --pid one rank of it; give one of them");
}

}  // namespace

int top_command(std::span<const std::string> words) {
  Request request;
  std::string job;
  std::string process;
  Arguments arguments(kManual);
  arguments.add_json_flag(request.json);
  CLI::App& options = arguments.options();
  options.add_flag("--once", request.once, "print one table and end");
  options
      .add_option("--interval", request.interval_s,
                  "between two looks, 0.1 to 3600; 1 where it is not given; "
                  "the use of processors is of that time, with --once too")
      ->type_name("SECONDS");
  options.add_option("--job", job, "only the job of this process, which is a rank or a launcher")->type_name("PID");
  options.add_option("--pid", process, "only the rank that is this process, with its threads")->type_name("PID");
  if (arguments.parse(words) == Next::stop) return kGood;
  if (!job.empty()) request.job = parse_pid(job);
  if (!process.empty()) request.process = parse_pid(process);
  reject_senseless(request);
  const Screen screen = Screen::of_standard_output(os::environment);
  const bool is_live = !request.once && !request.json && Screen::moves_a_cursor(os::environment);
  return is_live ? watch_live(request, screen) : print_once(request, screen);
}

}  // namespace comity::cli
