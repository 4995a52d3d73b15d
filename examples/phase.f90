! SPDX-License-Identifier: BSD-3-Clause
! The same phase in Fortran: three lines around the call of the threaded library.
!   mpirun -n 4 phase_fortran
program phase
  use mpi_f08
  use comity
  implicit none
  type(comity_context) :: context
  logical :: selected

  call MPI_Init()
  call comity_context_create(MPI_COMM_WORLD, context)  ! without ierr a call that fails ends the program with its sentence
  call context%spread(COMITY_CORE)

  call context%enter(COMITY_NUMA, 1, 0, selected)
  if (selected) print '(f6.4)', threaded_sum(1000000)
  call context%leave()

  call context%free()
  call MPI_Finalize()

contains

  function threaded_sum(count) result(sum)
    integer, intent(in) :: count
    double precision :: sum
    integer :: i
    sum = 0
    !$omp parallel do reduction(+ : sum)
    do i = 1, count
      sum = sum + 1 / real(i, kind(sum))**2
    end do
  end function threaded_sum
end program phase
