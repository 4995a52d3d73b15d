// SPDX-License-Identifier: BSD-3-Clause
#include "coupler.hpp"

#include <string>

namespace coupler {
namespace {

using comity::BindingGuard;
using comity::Context;
using comity::LentContext;
using comity::Resource;

template <typename Work>
const char* told(Work&& work) {
  static std::string sentence;
  try {
    sentence = work();
  } catch (const std::exception& error) {
    sentence = error.what();
  }
  return sentence.c_str();
}

std::string couple(comity_context* lent, int core) {
  LentContext context(lent);
  Context own = Context::local();
  const std::string before = context->binding_string();
  if (own.node_id() != context->node_id()) return "a context of my own is on another node";
  {
    const BindingGuard narrow = context->bound(Resource::core, core);
    if (!own.encloses(Resource::core, core)) return "my own context does not see the lent one's push";
    const BindingGuard wide = own.bound(Resource::machine, 0);
    if (context->binding_string() != own.binding_string()) return "two contexts of one process see two bindings";
    if (comity_context_pop(lent) != COMITY_ERR_ORDER) return "the lent context popped my entry";
    own.quiesce();
  }
  context->quiesce();
  return context->binding_string() == before ? "" : "binding after my entries are gone";
}

std::string take_over(comity_context* given) {
  Context context(given);
  context.quiesce();
  return context.depth() == 0 ? "" : "entries are left on the context that was given";
}

}  // namespace
}  // namespace coupler

const coupler::Functions* coupler_library() {
  static const coupler::Functions functions{
      [](comity_context* lent, int core) { return coupler::told([&] { return coupler::couple(lent, core); }); },
      [](comity_context* given) { return coupler::told([&] { return coupler::take_over(given); }); }};
  return &functions;
}
