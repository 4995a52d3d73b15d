// SPDX-License-Identifier: BSD-3-Clause
#include "narrow.hpp"

#include <string>

namespace {

using comity::LentContext;
using comity::Resource;

constexpr int kRanks = 1;  // an object
constexpr int kCores = 1;  // of it

comity_context* open(MPI_Comm communicator) {
  comity_context* context = nullptr;
  (void)comity_context_create(communicator, &context);
  return context;
}

bool selects_me(comity_context* context) {
  return LentContext(context)->distribute(Resource::machine, kRanks).selected;
}

const char* run(comity_context* context, void (*work)(comity_context* context, void* data), void* data) {
  static std::string wrong;
  wrong.clear();
  try {
    LentContext lent(context);
    const bool selected = selects_me(context);
    const bool ran = lent->phase(
        Resource::machine, kRanks, [&] { work(context, data); }, kCores);
    if (ran != selected) wrong = "the phase ran on another rank than the distribution selects";
  } catch (const std::exception& error) {
    wrong = error.what();
  }
  return wrong.c_str();
}

}  // namespace

const narrow::Functions* narrow_library() {
  static const narrow::Functions functions{open, selects_me, run};
  return &functions;
}
