/* default_warnings.h - Warnings of what a job got because it did not name it: messages or
 * reductions that cost nothing at their ends, a library that has nothing to choose, rates of
 * channels without channels, one of several switches in a node. */
#pragma once
#include "endpoint/mechanism.h"
#include "experiment/placement.h"
#include "experiment/simulate.h"
#include "workload/program.h"

/* Warns that the calls of job @name are free: the machine has no default mechanism for @library. */
void dn_warn_free_calls(DnRunResult *result, const char *name, const char *library);
/* Warns that the messages of job @name, a pattern, are free, where the machine has MPI's costs; not
 * of an open loop. */
void dn_warn_free_pattern(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnPlacement *placement);
/* Warns of a `library` of job @name that chooses nothing: the algorithm is the type's default. */
void dn_warn_idle_library(DnRunResult *result, const char *name, const DnProgram *program,
                          const DnConfigNode *workload);
/* Warns that the iterations of job @name overlap: in some collectives a rank need not wait for all
 * others, and goes on with its next iteration. */
void dn_warn_overlap(DnRunResult *result, const char *name, const DnProgram *program);
/* Warns that the messages of job @name, which has no channels, go by @fits in place of @named. */
void dn_warn_no_channels(DnRunResult *result, const char *name, const DnConfigNode *named,
                         const DnConfigNode *fits, const DnProgram *program);
/* Warns where @mechanism, all of whose rules are there, is for programs with channels. */
void dn_warn_channel_rates(DnRunResult *result, const char *name, const DnMechanism *mechanism,
                           const DnProgram *program);
/* Warns that a reducing collective of MPI has costs of messages, but none of reductions. */
void dn_warn_free_reductions(DnRunResult *result, const char *name, const DnMechanism *mechanism,
                             const DnProgram *program);
/* Warns that rings and trees of job @name, one of NCCL's, go in the order of ranks, where these do
 * not follow one another in each node. */
void dn_warn_rank_order(DnRunResult *result, const char *name, const DnProgram *program,
                        const DnCollMachine *machine);
/* Warns that those of job @name leave a node by one adapter of several, as nothing is known of the
 * library's rings: the machine has no `nccl:`. */
void dn_warn_one_adapter(DnRunResult *result, const char *name, const DnProgram *program,
                         const DnCollMachine *machine, const DnPlacement *placement);
/* Warns where several equal switches of a node join two endpoints: messages take one of them. */
void dn_warn_parallel_switches(DnRunResult *result);
