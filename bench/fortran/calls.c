/* SPDX-License-Identifier: BSD-3-Clause */
#include "fortran/calls.h"

#include <stdlib.h>

/* A call that fails is no figure. */
static void check(comity_status status) {
  if (status != COMITY_OK) abort();
}

void calls_in_c(comity_context* context, comity_group* group, int number, int calls) {
  int32_t ranks[1];
  int32_t count = 0;
  int32_t selected = 0;
  comity_cpuset set;
  comity_distribution part;
  comity_device device;
  char text[256];
  size_t length_bytes = 0;
  /* A grid of 8 x 8 cells in 2 x 2 boxes: where the last one is. */
  const int64_t extents[2] = {8, 8};
  const int32_t cuts[2] = {2, 2};
  const int64_t box[1] = {3};
  int64_t first[2];
  int64_t extent[2];
  for (int i = 0; i < calls; ++i) {
    switch (number) {
      case 1:
        check(comity_context_count(context, COMITY_CORE, &count));
        break;
      case 2:
        check(comity_context_size(context, &count));
        break;
      case 3:
        check(comity_context_encloses(context, COMITY_MACHINE, 0, &count));
        break;
      case 4:
        check(comity_context_cpuset(context, COMITY_MACHINE, 0, &set));
        break;
      case 5:
        check(comity_context_peers_in(context, COMITY_MACHINE, 0, COMITY_VIEW_LIVE, ranks, 1, &count));
        break;
      case 6:
        check(comity_context_distribute(context, COMITY_MACHINE, 1, COMITY_RULE_FILL, &part));
        break;
      case 7:
        check(comity_context_quiesce(context, NULL, 0, COMITY_FOREVER));
        break;
      case 8:
        check(comity_region_begin("solve"));
        check(comity_region_end());
        break;
      case 9:
        check(comity_context_binding_string(context, COMITY_FORM_LIST, text, sizeof text, &length_bytes));
        break;
      case 10:
        check(comity_context_push(context, COMITY_CORE, 0));
        check(comity_context_pop(context));
        break;
      case 11:
        check(comity_context_assign(context, COMITY_CORE, 1, COMITY_ASSIGN_PACKED, 1, NULL, NULL, &set));
        break;
      case 12:
        check(comity_place_box(2, extents, 1, cuts, box, first, extent));
        break;
      case 13:
        check(comity_context_cpuset_parse(context, COMITY_CORE, COMITY_NUMBERING_LOGICAL, "0", &set));
        break;
      case 14:
        check(comity_context_quiesce(context, group, 0, COMITY_FOREVER));
        break;
      case 15:
        check(comity_context_enter(context, COMITY_CORE, 1, 0, &selected));
        check(comity_context_leave(context));
        break;
      case 16:
        check(comity_context_device(context, COMITY_NIC, 0, &device));
        break;
      default:
        abort();
    }
  }
}
