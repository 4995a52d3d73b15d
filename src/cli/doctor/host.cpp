// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/host.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "base/error.hpp"
#include "base/options.hpp"
#include "cli/common/tried_machine.hpp"
#include "machine/loader.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"
#include "os/files/memory_file.hpp"
#include "os/files/ofd_lock.hpp"
#include "os/files/unix_socket.hpp"
#include "os/process/idle_child.hpp"
#include "os/threads/futex.hpp"

namespace comity::cli {
namespace {

constexpr std::chrono::milliseconds kCommandTimeout{10'000};  // for `mpirun --version` on a slow shared file system
constexpr std::size_t kProbeBytes = 4096;

template <typename Try>
std::string reason_against(Try&& attempt) {
  try {
    return attempt();
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string try_memory_file() {
  return reason_against([] {
    (void)os::create_memory_file("comity-doctor", kProbeBytes);
    return std::string();
  });
}

// What a rank does with the leader's segment, done with the segment of a child.
std::string try_proc_descriptor() {
  return reason_against([] {
    const os::Descriptor file = os::create_memory_file("comity-doctor", kProbeBytes);
    const os::IdleChild child;
    const std::string path = "/proc/" + std::to_string(child.pid()) + "/fd/" + std::to_string(file.number());
    errno = 0;
    const std::fstream opened(path, std::ios::in | std::ios::out | std::ios::binary);
    if (opened.is_open()) return std::string();
    return system_error("open the descriptor of another process through /proc", errno).what() + std::string();
  });
}

std::string try_unix_socket() {
  return reason_against([] {
    const os::Descriptor file = os::create_memory_file("comity-doctor", kProbeBytes);
    os::DescriptorReceiver receiver;
    const std::string text = "comity";
    const auto bytes = std::as_bytes(std::span(text));
    os::send_descriptors(receiver.name(), bytes,
                         {os::Descriptor(::dup(file.number())), os::Descriptor(::dup(file.number()))});
    return receiver.receive(bytes) ? std::string() : std::string("the message did not come through");
  });
}

std::string try_ofd_lock() {
  return reason_against([] {
    const os::Descriptor file = os::create_memory_file("comity-doctor", kProbeBytes);
    constexpr int kReadWrite = 2;  // O_RDWR; its header belongs to os
    const os::OfdLock first(os::reopen(file, kReadWrite), 0);
    const os::OfdLock second(os::reopen(file, kReadWrite), 1);
    const bool seen = second.held_elsewhere(0) && !first.held_elsewhere(2);
    return seen ? std::string() : std::string("a lock that is held is not seen");
  });
}

std::string try_futex() {
  const std::atomic<std::uint32_t> word{1};
  const bool sees_change = os::futex_wait(word, 0, std::chrono::milliseconds(1)) == os::FutexEnd::changed;
  const bool sleeps = os::futex_wait(word, 1, std::chrono::milliseconds(1)) == os::FutexEnd::timed_out;
  return sees_change && sleeps ? "" : "a futex neither sleeps nor sees a change";
}

std::optional<Space> space_of(const std::string& folder) {
  std::error_code problem;
  const std::filesystem::space_info info = std::filesystem::space(folder, problem);
  if (problem) return std::nullopt;
  return Space{info.capacity, info.available};
}

// hwloc.h belongs to machine; this asks the library that is loaded, not the headers it was built with.
std::string loaded_hwloc_version() {
  const auto version = reinterpret_cast<unsigned (*)()>(::dlsym(RTLD_DEFAULT, "hwloc_get_api_version"));
  if (version == nullptr) return {};
  const unsigned number = version();
  return std::to_string(number >> 16U) + '.' + std::to_string((number >> 8U) & 0xFFU);
}

machine::Image this_machine() { return load_tried(machine::source_of(os::environment), machine::load); }

}  // namespace

std::optional<std::string> Host::read(const std::string& path) const {
  std::ifstream file(root + path, std::ios::binary);
  std::ostringstream stream;
  if (!file || !(stream << file.rdbuf()))
    return std::nullopt;  // an empty file reads as nothing: as if it were not there
  std::string text = stream.str();
  text.erase(text.find_last_not_of(" \t\n") + 1);
  return text;
}

std::optional<std::string> Host::link(const std::string& path) const {
  std::error_code problem;
  const std::filesystem::path target = std::filesystem::read_symlink(root + path, problem);
  if (problem) return std::nullopt;
  return target.string();
}

bool Host::has(const std::string& path) const {
  std::error_code problem;
  return std::filesystem::exists(root + path, problem);
}

bool Host::has_program(const std::string& path) const {
  using std::filesystem::perms;
  std::error_code problem;
  const std::filesystem::file_status file = std::filesystem::status(root + path, problem);
  const perms execution = perms::owner_exec | perms::group_exec | perms::others_exec;
  return std::filesystem::is_regular_file(file) && (file.permissions() & execution) != perms::none;
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Host this_host() {
  Host host;
  host.variable = os::environment;
  host.variable_names = os::environment_names(kOptionPrefix);
  host.is_root = ::geteuid() == 0;
  host.binding = os::affinity(0);
  host.machine = this_machine;
  host.hwloc_version = loaded_hwloc_version();
  host.space = space_of;
  host.writable = [](const std::string& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; };
  host.run = [](const std::vector<std::string>& words) { return os::run_command(words, kCommandTimeout); };
  host.memory_file = try_memory_file;
  host.proc_descriptor = try_proc_descriptor;
  host.unix_socket = try_unix_socket;
  host.ofd_lock = try_ofd_lock;
  host.futex = try_futex;
  return host;
}

}  // namespace comity::cli
