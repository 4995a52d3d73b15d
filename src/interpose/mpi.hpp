// SPDX-License-Identifier: BSD-3-Clause
// MPI's header for code that is loaded into every process of a job, also into those without an MPI: no name of the MPI's
// library may be needed to load it.
#pragma once

#include <mpi.h>

#ifdef OPEN_MPI  // its handles are addresses of objects in its library
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_datatype_null
#pragma weak ompi_mpi_group_null
#endif
