/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that is no MPI program, and loads a part that is, out of everybody's sight. Without a part it calls a function
   of MPI that nobody has. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc < 2) {
    int (*const initialized)(int*) = (int (*)(int*))dlsym(RTLD_DEFAULT, "MPI_Initialized");
    int flag = 0;
    return initialized == NULL ? 2 : initialized(&flag);
  }
  void* const part = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (part == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  void (*const work)(void) = (void (*)(void))dlsym(part, "work");
  work();
  return 0;
}
