// SPDX-License-Identifier: BSD-3-Clause
// Every rank says how many share its node, and of which MPI the library is that it runs with.
#include <array>
#include <comity/comity_mpi.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
    int length = 0;
    MPI_Get_library_version(library.data(), &length);
    comity::Context context = comity::make_context(MPI_COMM_WORLD);
    context.phase(comity::Resource::machine, 1, [] {});
    std::printf("cpp: rank %d of %d, comity %s, %.9s\n", context.rank(), context.size(), comity_version(),
                library.data());
  }
  MPI_Finalize();
}
