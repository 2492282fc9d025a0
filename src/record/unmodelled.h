/* unmodelled.h - The wrapper of a call of which only the name is kept. */
#pragma once
#include "record/record.h"

#define UNMODELLED(name, parameters, arguments)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        DN_WRAP(DN_PMPI(name) arguments, dn_record_unmodelled(&call, "MPI_" #name));               \
    }                                                                                              \
    DN_ALSO_PMPI(name)
