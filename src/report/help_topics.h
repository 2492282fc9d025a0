/* help_topics.h - The documentation of keys, types and results, as a tree of topics.
 *
 * A topic is named by words ("run jobs", "workload halo"); it has the keys of one mapping of a run
 * or machine file, or it lists the topics below it. All of it comes from the tables that read the
 * files (DnParamSpec, the registered types), so that help, the schema and the tables of the READMEs
 * (help_text.h, help_schema.h) cannot differ from them.
 *
 * A key whose value has a structure of its own has a form, a word of a small grammar:
 *   @run jobs    a mapping with the keys of that topic
 *   [X], {X}     a list of X; a mapping of any names to X, {#X}: of whole numbers
 *   name         text that names something;  'word': that word;  choice: one of .choices
 *   int real time any
 *   A | B        one of them */
#pragma once
#include "config/params.h"

typedef struct {
    const char *key, *form;     /* a NULL key ends a table */
    const char *const *choices; /* of the word `choice` in the form; or NULL */
} DnHelpForm;

typedef enum {
    DN_TOPIC_NOTES = 1,  /* its mapping may have `source` or `assumed` */
    DN_TOPIC_PROSE = 2,  /* and `description` */
    DN_TOPIC_TYPED = 4,  /* .selector chooses one of the topics below, whose keys stand there too */
    DN_TOPIC_PATHS = 16, /* its mapping may have paths of keys: "node.links.xgmi.efficiency" */
    DN_TOPIC_NO_PARENT = 8 /* of a topic below a typed one: does not have that one's keys */
} DnTopicFlags;

typedef struct {
    char *name;                            /* "workload halo" */
    const char *help;                      /* a phrase */
    const char *about;                     /* where its mapping stands, or more about it; or NULL */
    const char *source, *limits, *goodput; /* or NULL */
    const DnParamSpec *keys;               /* or NULL */
    const DnHelpForm *forms;               /* of its keys; or NULL */
    const char *selector;                  /* DN_TOPIC_TYPED: "type", "algorithm" */
    const char *fallback;                  /* its default without that key; or NULL */
    const char *const *choices; /* fixed names of a mapping's members (link classes); or NULL */
    const char *value;          /* below a typed topic: the selector's kind */
    guint flags;                /* DnTopicFlags */
    /* Writes the content of a topic that is no table of keys; Markdown or plain text. */
    void (*body)(GString *out, gboolean markdown);
} DnTopic;

/* (transfer full): DnTopic*, in the order in which they are listed; parents before children. */
GPtrArray *dn_topics_new(void);
/* One more, after all others. @name is copied. */
void dn_topics_add(GPtrArray *topics, const DnTopic *topic);
/* NULL: there is none of that name. */
const DnTopic *dn_topic_find(const GPtrArray *topics, const char *name);
gboolean dn_topic_is_below(const DnTopic *topic, const DnTopic *parent); /* directly */
/* The form of @spec in @topic, or NULL where its type says all. */
const DnHelpForm *dn_topic_form(const DnTopic *topic, const DnParamSpec *spec);
