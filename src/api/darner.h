/* darner.h - the public interface of Darner, a simulator of the interconnects of HPC machines.
 *
 * A run takes three steps: read a run file into a specification, run it, read tables of the result.
 *
 *     darner_error *error = NULL;
 *     darner_spec *spec = darner_spec_load("run.yaml", NULL, &error);
 *     darner_result *result = spec != NULL ? darner_run(spec, NULL, &error) : NULL;
 *     if (result == NULL)
 *         fprintf(stderr, "%s\n", darner_error_message(error));
 *
 * Objects are opaque. Every pointer that a function returns as "new" belongs to the caller, who
 * releases it with the `_free` function of its type; all `_free` functions accept NULL. Strings and
 * objects returned as "borrowed" live as long as the object they come from. A function that takes
 * `darner_error **error` returns NULL (or a status other than 0) on failure and then sets *error to
 * a new error; error may be NULL where the reason does not matter. Strings are UTF-8.
 *
 * The same specification, seed and version give the same result, byte for byte, on any machine and
 * any number of threads. Objects are not locked: use one object in one thread at a time. Different
 * objects may be used in different threads at the same time.
 *
 * Versions: functions are added, never changed or removed, as long as DARNER_API_VERSION stays. */
#ifndef DARNER_H
#define DARNER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DARNER_API_VERSION 0

#if defined(__GNUC__)
#define DARNER_API __attribute__((visibility("default")))
#else
#define DARNER_API
#endif

typedef struct darner_error darner_error;
typedef struct darner_machine darner_machine;
typedef struct darner_spec darner_spec;
typedef struct darner_result darner_result;
typedef struct darner_table darner_table;

/* ---- version ---- */

/* Version of the library, "MAJOR.MINOR.PATCH"; borrowed, never freed. */
DARNER_API const char *darner_version(void);

/* ---- errors ---- */

/* The kinds of errors. */
typedef enum {
    DARNER_ERROR_INPUT = 1,       /* a file, key, value or name is wrong; the message says where */
    DARNER_ERROR_FILE = 2,        /* a file cannot be read or written */
    DARNER_ERROR_MEMORY = 3,      /* the run would need more memory than it may take */
    DARNER_ERROR_STALLED = 4,     /* nothing in the simulation can move any more */
    DARNER_ERROR_INTERRUPTED = 5, /* the progress callback asked to stop */
} darner_error_code;

/* The whole message in one line, with its position where there is one:
 * "run.yaml:4:12: unknown key 'byts'; did you mean 'bytes'? ..."; borrowed. */
DARNER_API const char *darner_error_message(const darner_error *error);
DARNER_API darner_error_code darner_error_get_code(const darner_error *error);
/* The file in which the mistake stands, borrowed; NULL when it stands in none. */
DARNER_API const char *darner_error_file(const darner_error *error);
/* Line and column of the mistake, counted from 1; 0 when it stands in no file. */
DARNER_API unsigned darner_error_line(const darner_error *error);
DARNER_API unsigned darner_error_column(const darner_error *error);
DARNER_API void darner_error_free(darner_error *error);

/* ---- machines ---- */

/* Reads and builds a machine (new).
 * name: a name in topologies/ ("lumi"), or the path of a machine file.
 * nodes: build only that many nodes, with all switches; 0 builds the whole machine.
 * Errors: INPUT, FILE, MEMORY. */
DARNER_API darner_machine *darner_machine_load(const char *name, unsigned nodes,
                                               darner_error **error);
DARNER_API void darner_machine_free(darner_machine *machine);
/* Name and one-line description, borrowed; the description may be "". */
DARNER_API const char *darner_machine_name(const darner_machine *machine);
DARNER_API const char *darner_machine_description(const darner_machine *machine);

/* The things that darner_machine_count() counts. */
typedef enum {
    DARNER_COUNT_NODES = 1,
    DARNER_COUNT_ENDPOINTS = 2, /* GPUs, GPU dies or processes' memories: where ranks are placed */
    DARNER_COUNT_SWITCHES = 3,
    DARNER_COUNT_LINKS = 4, /* directions of physical links count apart */
} darner_count;
/* A count of the machine as built; 0 for a kind that does not exist. */
DARNER_API uint64_t darner_machine_count(const darner_machine *machine, darner_count what);
/* The links as a table (new): a row a link, columns link, from, to, class, bandwidth_bps (bit/s),
 * latency_s (s). */
DARNER_API darner_table *darner_machine_links(const darner_machine *machine);

/* ---- run specifications ---- */

/* Reads a run file and checks its keys and values (new). It is read once: later changes of the file
 * do not matter.
 * path: a run file in YAML.
 * set: NULL, or overrides "key.path=value" as of `darner run --set`, ended by NULL.
 * Errors: INPUT, FILE. */
DARNER_API darner_spec *darner_spec_load(const char *path, const char *const *set,
                                         darner_error **error);
/* Does what darner_spec_load() does, from a text instead of a file. Relative paths in it are
 * relative to the working folder; name takes the place of the file's name in messages and in
 * results. */
DARNER_API darner_spec *darner_spec_parse(const char *yaml, const char *name,
                                          const char *const *set, darner_error **error);
/* Points of its sweep; 1 without `sweep:`. */
DARNER_API size_t darner_spec_points(const darner_spec *spec);
/* Number of swept keys, and the name of one of them (borrowed; NULL beyond the last). */
DARNER_API size_t darner_spec_swept_keys(const darner_spec *spec);
DARNER_API const char *darner_spec_swept_key(const darner_spec *spec, size_t key);
/* The value of a swept key at a point, as written in the run file; borrowed, NULL out of range. */
DARNER_API const char *darner_spec_swept_value(const darner_spec *spec, size_t point, size_t key);
/* Builds everything that each point needs, without simulating. 0, or -1 with the first mistake.
 * Errors: INPUT, FILE, MEMORY. */
DARNER_API int darner_spec_check(const darner_spec *spec, darner_error **error);
DARNER_API void darner_spec_free(darner_spec *spec);

/* ---- runs ---- */

/* Called several times a second during a run.
 * point, points: the point under way, counted from 0, and how many there are.
 * simulated_s: simulated time of that point (s). data: as given in the options.
 * Return 0 to go on; any other value stops the run with DARNER_ERROR_INTERRUPTED. */
typedef int (*darner_progress_callback)(void *data, size_t point, size_t points,
                                        double simulated_s);

/* Options of a run; all zeros are the defaults. Set size to sizeof(darner_options), so that later
 * versions can add members at the end. */
typedef struct {
    size_t size;
    const char *engine; /* "packet", "flow" or "bound"; NULL: the specification's */
    unsigned threads;   /* of the engine, at most 256; results do not depend on it; 0: the
                         * specification's */
    unsigned links;     /* busiest links a point in table "links"; 0: 256 */
    darner_progress_callback progress; /* NULL: none */
    void *progress_data;
} darner_options;

/* Simulates all points of a specification, one after another (new). options: NULL for defaults.
 * Errors: INPUT, FILE, MEMORY, STALLED, INTERRUPTED; no partial result is returned. */
DARNER_API darner_result *darner_run(const darner_spec *spec, const darner_options *options,
                                     darner_error **error);
/* A table of the result (borrowed), or NULL for an unknown name:
 *   "jobs"   a row a point and job: swept keys, then the columns of results.csv
 *   "links"  a row a point and busy link: the columns of links.csv
 *   "nics"   a row a point and NIC that sent something: the columns of nics.csv
 * `darner help metrics` explains the columns. Units are SI, as the column names say. */
DARNER_API const darner_table *darner_result_table(const darner_result *result, const char *name);
/* All of summary.json as text (borrowed): resolved parameters, statistics and warnings. */
DARNER_API const char *darner_result_summary(const darner_result *result);
DARNER_API void darner_result_free(darner_result *result);

/* ---- tables ---- */

DARNER_API size_t darner_table_rows(const darner_table *table);
DARNER_API size_t darner_table_columns(const darner_table *table);
/* Name of a column (borrowed); NULL out of range. */
DARNER_API const char *darner_table_name(const darner_table *table, size_t column);
/* Index of the column with that name; -1 when there is none. */
DARNER_API ptrdiff_t darner_table_find(const darner_table *table, const char *name);
/* 1: every cell of the column is a number or empty; 0: it holds text. */
DARNER_API int darner_table_is_number(const darner_table *table, size_t column);
/* A cell as a number: NAN when it is empty, no number, or out of range. */
DARNER_API double darner_table_number(const darner_table *table, size_t row, size_t column);
/* A cell as text (borrowed), "" when empty; NULL out of range. */
DARNER_API const char *darner_table_text(const darner_table *table, size_t row, size_t column);
/* Frees a table that was returned as new; tables of a result are freed with it. */
DARNER_API void darner_table_free(darner_table *table);

#ifdef __cplusplus
}
#endif
#endif
