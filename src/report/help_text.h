/* help_text.h - a topic as text for a terminal, or as a table of Markdown for a README. */
#pragma once
#include "report/help_topics.h"

/* All (transfer full). */
char *dn_help_overview(const GPtrArray *topics);
char *dn_help_text(const GPtrArray *topics, const DnTopic *topic);
char *dn_help_markdown(const GPtrArray *topics, const DnTopic *topic);
