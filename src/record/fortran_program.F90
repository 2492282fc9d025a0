! fortran_program.F90 - as round_trip_program.c, from Fortran: by mpif.h, or (F08) by mpi_f08.
! It writes ./log-<rank>, a line for each call it makes.
program round_trip
#ifdef F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
  type(MPI_Status) :: status
#else
  implicit none
  include 'mpif.h'
  integer :: requests(2), half, status(MPI_STATUS_SIZE)
#endif
  integer :: error, me, n, left, right, members, source
  double precision :: given(100), got(100), total
  character(len=16) :: name

  given = 1
  total = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, n, error)
  left = mod(me + n - 1, n)
  right = mod(me + 1, n)
  write (name, '(a,i0)') 'log-', me
  open (unit=10, file=name, status='replace')
  call note('init')

  call MPI_Irecv(got, 100, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, requests(1), error)
  call note_message('irecv from', left, 5, 400)
  call MPI_Isend(given, 50, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, requests(2), error)
  call note_message('isend to', right, 5, 400)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call note('waitall 2')

  if (me == 0) then
    call MPI_Send(given, 3, MPI_INTEGER, 1, 9, MPI_COMM_WORLD, error)
    call note_message('send to', 1, 9, 12)
  else if (me == 1) then
    call MPI_Recv(got, 100, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
#ifdef F08
    source = status%MPI_SOURCE
#else
    source = status(MPI_SOURCE)
#endif
    call note_message('recv from', source, 9, 12)
  end if

  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call note_collective('allreduce', n, '', 8)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), 0, half, error)
  call note('comm_split')
  call MPI_Comm_size(half, members, error)
  call MPI_Bcast(given, 10, MPI_DOUBLE_PRECISION, 0, half, error)
  call note_collective('bcast', members, ' root 0', 80)
  call MPI_Comm_free(half, error)
  call note('comm_free')
  call MPI_Finalize(error)
  call note('finalize')
  close (10)
  if (nint(total) /= n) error stop 'the sum is wrong'

contains

  subroutine note(line)
    character(len=*), intent(in) :: line
    write (10, '(a)') line
    flush (10)
  end subroutine

  subroutine note_message(what, peer, tag, bytes)
    character(len=*), intent(in) :: what
    integer, intent(in) :: peer, tag, bytes
    write (10, '(a,1x,i0,a,i0,a,i0)') what, peer, ' tag ', tag, ' bytes ', bytes
    flush (10)
  end subroutine

  subroutine note_collective(what, members, root, bytes)
    character(len=*), intent(in) :: what, root
    integer, intent(in) :: members, bytes
    write (10, '(a,a,i0,a,a,i0)') what, ' of ', members, root, ' bytes ', bytes
    flush (10)
  end subroutine
end program
