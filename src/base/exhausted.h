/* exhausted.h - What happens when the system refuses memory or a thread that GLib cannot do
 * without: GLib alone says so and ends the process by SIGTRAP. */
#pragma once

/* From now on the process ends with exit status @status and one line on standard error. Nothing is
 * cleaned up, as after SIGKILL: results that were complete stay, and the next run goes on from the
 * unfinished ones. For programs; one that uses the library keeps its own handler. */
void dn_exhausted_install(int status);
