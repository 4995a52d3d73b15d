// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/kept_machine.hpp"

#include <new>
#include <utility>

#include "machine/loader.hpp"
#include "os/cpus/affinity.hpp"
#include "os/cpus/cgroup.hpp"
#include "os/environment.hpp"
#include "os/proc.hpp"

namespace comity::runtime {

KeptMachine::Sources KeptMachine::sources() const {
  os::CpusetWatch cgroup(root_);
  cgroup.prepare();  // else a lack of memory would look like a cgroup that does not tell
  const std::string status = os::read_text(root_ + "/proc/self/status").value_or("");
  return {cgroup.look(), os::read_text(root_ + "/sys/devices/system/cpu/online"),
          std::string(os::status_field(status, "Mems_allowed_list"))};
}

machine::Image KeptMachine::load() {
  const machine::Source source = machine::source_of(os::environment);
  const bool simulated = (source.xml_file || source.synthetic) && !source.this_system;
  // Where the kernel refuses to tell the affinity hwloc asks again and again, with ever more memory.
  if (!simulated) (void)os::affinity(0);
  const std::lock_guard lock(mutex_);
  machine::Image kept = std::exchange(image_, {});
  if (!machine::named_by(os::environment).empty()) {
    sources_.reset();
    return machine::load_for_node(source);
  }
  Sources now = sources();
  if (!kept.empty() && sources_ == now) return kept;
  sources_.reset();
  kept = machine::load_for_node(source);
  sources_ = std::move(now);
  return kept;
}

// For lack of memory it is read again.
void KeptMachine::keep(std::span<const std::byte> payload) noexcept {
  const std::lock_guard lock(mutex_);
  if (!sources_) return;
  try {
    image_.assign(payload.begin(), payload.end());
  } catch (const std::bad_alloc&) {
    image_ = {};
  }
}

}  // namespace comity::runtime
