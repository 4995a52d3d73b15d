// SPDX-License-Identifier: BSD-3-Clause
// A machine for the doctor that is what a test makes of it: files below a temporary root, planted variables and answers.
// As made, it is a healthy one: no check finds more than a note.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "cli/doctor/host.hpp"
#include "machine/loader.hpp"

namespace comity::testing {

class FakeHost {
 public:
  FakeHost() {
    std::string name = ::testing::TempDir() + "comity-host-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    host.root = name;
    plant_files();
    plant_answers();
  }
  ~FakeHost() {
    std::error_code ignored;
    std::filesystem::remove_all(host.root, ignored);
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = host.root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(host.root + path); }
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path file = host.root + path;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);
    std::filesystem::create_symlink(target, file);
  }
  void set(const std::string& name, const std::string& value) {
    variables[name] = value;
    host.variable_names.push_back(name);
  }

  cli::Host host;
  std::map<std::string, std::string> variables;
  std::map<std::string, os::CommandEnd> commands;  // by program; others are not installed
  std::map<std::string, cli::Space> spaces;        // by folder; others do not exist
  bool folders_writable = true;
  std::string machine = "package:1 core:4 pu:1";

 private:
  void plant_files() const {
    write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
    write("/proc/sys/kernel/random/boot_id", "0e4d2a7c-1111-2222-3333-444455556666");
    write("/proc/sys/kernel/yama/ptrace_scope", "0");
    write("/proc/self/status", "Name:\tcomity");
    write("/proc/self/mounts", "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0");
    write("/proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units\n"
          "Max locked memory         unlimited            unlimited            bytes\n"
          "Max open files            1048576              1048576              files");
    write("/proc/loadavg", "0.10 0.20 0.30 1/300 4711");
    link("/proc/self/ns/pid", "pid:[4026531836]");
    link("/proc/self/ns/user", "user:[4026531837]");
  }

  void plant_answers() {
    host.variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(std::string(name));
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    host.binding = CpuSet::first(4);
    host.machine = [this] { return machine::load_synthetic(machine); };
    host.hwloc_version = "2.9";
    host.space = [this](const std::string& folder) -> std::optional<cli::Space> {
      const auto found = spaces.find(folder);
      return found == spaces.end() ? std::nullopt : std::optional(found->second);
    };
    host.writable = [this](const std::string&) { return folders_writable; };
    host.run = [this](const std::vector<std::string>& words) {
      const auto found = commands.find(words.front());
      return found == commands.end() ? os::CommandEnd{} : found->second;
    };
    const cli::Probe works = [] { return std::string(); };
    host.memory_file = host.proc_descriptor = host.unix_socket = host.ofd_lock = host.futex = works;
    commands["mpirun"] = {.exit_code = 0, .timed_out = false, .output = "mpirun (Open MPI) 4.1.4\n"};
    commands["/sbin/ldconfig"] = {
        .exit_code = 0, .timed_out = false, .output = "\tlibgomp.so.1 (libc6,x86-64) => /lib/libgomp.so.1\n"};
    spaces["/dev/shm"] = {std::uint64_t{8} << 30U, std::uint64_t{8} << 30U};
  }
};

}  // namespace comity::testing
