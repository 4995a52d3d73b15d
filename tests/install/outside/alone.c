/* SPDX-License-Identifier: BSD-3-Clause */
/* Comity without any MPI. */
#include <comity/comity.h>
#include <stdio.h>

int main(void) {
  comity_context* context = NULL;
  int32_t size = 0;
  if (comity_context_create_local(&context) != COMITY_OK || comity_context_size(context, &size) != COMITY_OK ||
      comity_context_free(&context) != COMITY_OK) {
    fprintf(stderr, "%s\n", comity_last_error());
    return 1;
  }
  printf("alone: %d rank, comity %s\n", (int)size, comity_version());
  return 0;
}
