// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/phases.hpp"

#include <exception>
#include <string>

#include "machine/object_type.hpp"
#include "os/code/symbol.hpp"

namespace comity::runtime {
namespace {

// As regions finds it. Phases of several contexts may end in any order, so each goes by its context.
struct Tool {
  using Begin = void(const void* context, const char* text);
  using End = void(const void* context);
  Begin* begin = reinterpret_cast<Begin*>(os::find_symbol("comity_tool_phase_begin"));
  End* end = reinterpret_cast<End*>(os::find_symbol("comity_tool_phase_end"));

  static const Tool& here() {
    static const Tool found;
    return found;
  }
};

enum class Part : std::uint8_t { works, rests };

// As programs write it: "phase(numa, 1)", "phase(package, 2, 4) at rest".
std::string text_of(context::ObjectType type, int per, int width, Part part) {
  std::string text = "phase(" + std::string(machine::type_name(type)) + ", " + std::to_string(per);
  if (width > 0) text += ", " + std::to_string(width);
  return text + (part == Part::rests ? ") at rest" : ")");
}

void tell_begin(const context::Context& context, context::ObjectType type, int per, int width, Part part) noexcept {
  if (Tool::here().begin == nullptr) return;
  try {
    Tool::here().begin(&context, text_of(type, per, width, part).c_str());
  } catch (const std::exception&) {  // no memory for the text: it has a begin all the same
    Tool::here().begin(&context, "phase");
  }
}

void tell_end(const context::Context& context) noexcept {
  if (Tool::here().end != nullptr) Tool::here().end(&context);
}

}  // namespace

bool enter_phase(context::Context& context, context::ObjectType type, int per, int width) {
  const std::size_t open = context.open_phases();
  try {
    const bool works = context.enter(type, per, width);
    tell_begin(context, type, per, width, works ? Part::works : Part::rests);
    return works;
  } catch (...) {
    if (context.open_phases() > open) tell_begin(context, type, per, width, Part::rests);
    throw;
  }
}

// The rest until all have left is a part of it.
void leave_phase(context::Context& context) {
  const std::size_t open = context.open_phases();
  try {
    context.leave();
  } catch (...) {
    if (context.open_phases() < open) tell_end(context);
    throw;
  }
  tell_end(context);
}

void forget_phases(const context::Context& context) noexcept {
  for (std::size_t i = context.open_phases(); i > 0; --i) tell_end(context);
}

}  // namespace comity::runtime
