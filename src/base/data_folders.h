/* data_folders.h - The data folders are searched for machines, workloads and validation cases.
 *
 * They stand in folders `topologies`, `workloads` and `validation`. One order holds for all: such a
 * folder beside the file that names them and above it, in the working folder and above it, in
 * $DARNER_ROOT, in the checkout that the program was built in, in the installed data folder. The
 * first folder that has what is wanted counts; so a user's own machine of the same name comes
 * before one that is shipped. */
#pragma once
#include <glib.h>

/* The folders where @folder is looked for, as messages list them. */
#define DN_DATA_PLACES                                                                             \
    "beside or above the file or the working folder, in $DARNER_ROOT, in the program's checkout "  \
    "or in " DN_DATA_DIR

/* (transfer full): char*, the places of @folder that may exist, first come first. @file: which
 * names what is looked for; NULL: the user did. */
GPtrArray *dn_data_folders(const char *folder, const char *file);
/* (transfer full): the file @name.yaml in the first of the folders that has it; or NULL. */
char *dn_data_file(const char *folder, const char *file, const char *name);
/* (transfer full): names of all YAML files in the folders, each once, sorted, NULL-terminated. */
GPtrArray *dn_data_names(const char *folder, const char *file);
