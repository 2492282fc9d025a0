/* result_folder.h - The folder of a run's results holds those of a complete run only: until a run
 * is complete its files are in a folder below.
 *
 *   out/x/results.csv, ...         of the last run that was complete
 *   out/x/unfinished/              of the run in progress, or of one that was cut
 *   out/x/unfinished/lock          the process that works on it, and on which computer
 *   out/x/unfinished/points        its finished points (point_store.h)
 *   out/x/unfinished/repetitions.N the finished repetitions of point N (repetition_store.h)
 *   out/x/unfinished/slurm*        of a run on a cluster (cluster_job.h)
 *
 * So a rerun that fails or is interrupted leaves the earlier results, and an interrupted run can be
 * continued. */
#pragma once
#include "base/error.h"

#define DN_RESULT_UNFINISHED "unfinished"

typedef struct DnResultFolder DnResultFolder;

/* Returns (transfer full) the folder @dir, locked until the process ends. Makes @dir and the
 * folder `unfinished` where they are missing, and removes temporary files that a killed run left.
 * @lock: "lock", or another name for a process that shares the folder with others.
 * NULL + DN_ERROR_FILE: a file operation failed; DN_ERROR_RANGE: another process has the lock, with
 * its process id and computer. */
DnResultFolder *dn_result_folder_open(const char *dir, const char *lock,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Releases the lock, and removes those folders that dn_result_folder_open() made and that are
 * empty. */
void dn_result_folder_free(DnResultFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnResultFolder, dn_result_folder_free)

const char *dn_result_folder_dir(const DnResultFolder *folder);
/* Returns the path of the folder `unfinished`. */
const char *dn_result_folder_work(const DnResultFolder *folder);
/* Returns (transfer full) the path of file @name in it. */
char *dn_result_folder_file(const DnResultFolder *folder, const char *name);
/* Checks that no folder has the name of a result file; @names: NULL-terminated. FALSE +
 * DN_ERROR_FILE. */
gboolean dn_result_folder_check(const DnResultFolder *folder, const char *const *names,
                                GError **error);
/* Checks that no other process works in the folder. FALSE + DN_ERROR_RANGE: one has the lock
 * "lock" or, with @parts, any lock; without @parts other parts of a run may work there. */
gboolean dn_result_folder_alone(const DnResultFolder *folder, gboolean parts, GError **error);
/* Returns TRUE when another process holds the lock file @path. */
gboolean dn_result_lock_held(const char *path);
/* Removes the files of `unfinished`, except locks that another process holds. */
void dn_result_folder_drop(DnResultFolder *folder);
/* Publishes a complete run: the result files of `unfinished` replace those of the same name in the
 * folder, @last after all others. All are synced before the first is replaced; if the process ends
 * in between, the next process that opens the folder replaces the rest. @stale returns TRUE for a
 * file of the folder that belonged to the earlier results and is removed unless it was replaced;
 * NULL: none. FALSE + error: `unfinished` is still complete, and the call may be repeated. */
gboolean dn_result_folder_publish(DnResultFolder *folder, const char *last,
                                  gboolean (*stale)(const char *name), GError **error);
