/* result_folder.h - The folder of a run's results holds those of complete runs only: what a run
 * makes stands in a folder below it until it is complete.
 *
 *   out/x/results.csv, ...         of the last run that was complete
 *   out/x/unfinished/              of the run in progress, or of one that was cut
 *   out/x/unfinished/lock          the process that works on it, and on which computer
 *   out/x/unfinished/points        its finished points (point_store.h)
 *   out/x/unfinished/repetitions.N the finished repetitions of point N (repetition_store.h)
 *   out/x/unfinished/slurm*        of a run on a cluster (cluster_job.h)
 *
 * So a rerun that fails or is interrupted leaves the earlier results, and a run that was cut is
 * there to go on with. */
#pragma once
#include "base/error.h"

#define DN_RESULT_UNFINISHED "unfinished"

typedef struct DnResultFolder DnResultFolder;

/* (transfer full). Makes @dir where needed, and the folder of what is unfinished; removes temporary
 * files that a killed run left in either; takes the lock, which ends with the process.
 * @lock: "lock", or another name for a process that shares the folder with others.
 * DN_ERROR_FILE: that cannot be done; DN_ERROR_RANGE: another process has the lock, with its number
 * and computer. */
DnResultFolder *dn_result_folder_open(const char *dir, const char *lock,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Gives the lock back, and removes folders that it made if they are empty. */
void dn_result_folder_free(DnResultFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnResultFolder, dn_result_folder_free)

const char *dn_result_folder_dir(const DnResultFolder *folder);
/* The folder of what is unfinished. */
const char *dn_result_folder_work(const DnResultFolder *folder);
/* (transfer full): the path of @name there. */
char *dn_result_folder_file(const DnResultFolder *folder, const char *name);
/* FALSE + DN_ERROR_FILE where a folder has a name that a result has: NULL-terminated @names. */
gboolean dn_result_folder_check(const DnResultFolder *folder, const char *const *names,
                                GError **error);
/* FALSE + DN_ERROR_RANGE when another process has the lock "lock" there, or with @parts any lock:
 * only the parts of a run may be at work at the same time. */
gboolean dn_result_folder_alone(const DnResultFolder *folder, gboolean parts, GError **error);
/* Another process has the lock that is the file @path. */
gboolean dn_result_lock_held(const char *path);
/* Removes all that is unfinished, but for locks that someone has. */
void dn_result_folder_drop(DnResultFolder *folder);
/* What is unfinished is complete: its files but for those of points and the lock replace those of
 * the same name in @dir, @last after all others. Files are on the disk before the first is
 * replaced; if the process ends before the last one is, whoever opens the folder next replaces the
 * rest. @stale: says of a file of @dir that it belonged to the earlier results and goes. After
 * an error what was unfinished is still there, and the same call may be made again. */
gboolean dn_result_folder_publish(DnResultFolder *folder, const char *last,
                                  gboolean (*stale)(const char *name), GError **error);
