/* questions.h - The kinds of questions that cases ask: `questions.csv` of the folder of cases has
 * the beginnings of their names (the first that fits counts), the question, and whose numbers they
 * hold. Messages are two questions, latency below 64 KiB and bandwidth from there on. */
#pragma once
#include "validation/agreement.h"
#include "validation/validation_case.h"

/* Fills @agreement->questions from the points of @cases (DnCase*). A case under no question is left
 * out. Without the file there are no
 * questions. FALSE + error: the file is wrong. */
gboolean dn_questions_add(DnAgreement *agreement, const char *folder, const GPtrArray *cases,
                          GError **error);
