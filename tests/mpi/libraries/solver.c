/* SPDX-License-Identifier: BSD-3-Clause */
#include "solver.h"

static comity_status solve(comity_context* context, solver_step step, void* data) {
  comity_status done;
  comity_status status = comity_context_push(context, COMITY_MACHINE, 0);
  if (status != COMITY_OK) return status;
  done = step == NULL ? COMITY_OK : step(context, data);
  status = comity_context_pop(context);
  return done != COMITY_OK ? done : status;
}

const solver* solver_library(void) {
  static const solver functions = {comity_context_create, solve};
  return &functions;
}
