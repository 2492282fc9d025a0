/* agreement_writer.c - see agreement_writer.h. */
#include "validation/agreement_writer.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

void dn_agreement_text(DnAgreementWriter *p, const char *words)
{
    if (p->html) {
        g_autofree char *safe = g_markup_escape_text(words, -1);
        g_string_append(p->out, safe);
        return;
    }
    for (; *words != '\0'; words++) {
        if (strchr("|*_<[`\\", *words) != NULL)
            g_string_append_c(p->out, '\\');
        g_string_append_c(p->out, *words == '\n' ? ' ' : *words);
    }
}

void dn_agreement_heading(DnAgreementWriter *p, guint level, const char *words)
{
    if (p->html && level == 2)
        g_string_append_printf(p->out, "<h2 id=\"part-%u\">", p->parts++);
    else if (p->html)
        g_string_append_printf(p->out, "<h%u>", level);
    else
        g_string_append_printf(p->out, "\n%.*s ", (int)level, "####");
    dn_agreement_text(p, words);
    if (p->html)
        g_string_append_printf(p->out, "</h%u>\n", level);
    else
        g_string_append(p->out, "\n\n");
}

void dn_agreement_paragraph(DnAgreementWriter *p, const char *words)
{
    g_string_append(p->out, p->html ? "<p>" : "");
    dn_agreement_text(p, words);
    g_string_append(p->out, p->html ? "</p>\n" : "\n\n");
}

void dn_agreement_open_table(DnAgreementWriter *p, const char *const *heads)
{
    p->columns = 0;
    g_string_append(p->out,
                    p->html ? "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>" : "|");
    for (; heads[p->columns] != NULL; p->columns++) {
        g_string_append(p->out, p->html ? "<th scope=\"col\" class=\"text\">" : " ");
        dn_agreement_text(p, heads[p->columns]);
        g_string_append(p->out, p->html ? "</th>" : " |");
    }
    g_string_append(p->out, p->html ? "</tr></thead>\n<tbody>\n" : "\n|");
    for (guint i = 0; !p->html && i < p->columns; i++)
        g_string_append(p->out, "---|");
    g_string_append(p->out, p->html ? "" : "\n");
}

void dn_agreement_close_table(DnAgreementWriter *p)
{
    g_string_append(p->out, p->html ? "</tbody></table></div>\n" : "\n");
}

void dn_agreement_row(DnAgreementWriter *p, const char *const *cells)
{
    g_string_append(p->out, p->html ? "<tr>" : "|");
    for (guint i = 0; i < p->columns; i++) {
        const char *open = i == 0 ? "<th scope=\"row\">" : "<td class=\"text\">";
        g_string_append(p->out, p->html ? open : " ");
        dn_agreement_text(p, cells[i]);
        g_string_append(p->out, !p->html ? " |" : i == 0 ? "</th>" : "</td>");
    }
    g_string_append(p->out, p->html ? "</tr>\n" : "\n");
}

char *dn_agreement_percent(double value)
{
    char digits[DN_NUMBER_BUF];
    return isnan(value) ? g_strdup("") : g_strdup(dn_format_digits(value, 3, digits));
}
