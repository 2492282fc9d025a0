/* work_fit.c - see work_fit.h. */
#include "report/work_fit.h"

#include <glib.h>

void dn_work_fit_add(DnWorkFit *fit, double work, double seconds)
{
    fit->n += 1.0;
    fit->w += work;
    fit->t += seconds;
    fit->ww += work * work;
    fit->wt += work * seconds;
    fit->most = MAX(fit->most, work);
}

double dn_work_fit_seconds(const DnWorkFit *fit, double work)
{
    double spread = fit->n * fit->ww - fit->w * fit->w;
    double a = fit->t / fit->n, b = 0.0;
    if (spread > 1e-9 * fit->n * fit->ww) {
        b = (fit->n * fit->wt - fit->w * fit->t) / spread;
        a = (fit->t - b * fit->w) / fit->n;
        if (b < 0.0) {
            b = 0.0;
            a = fit->t / fit->n;
        } else if (a < 0.0) {
            a = 0.0;
            b = fit->wt / fit->ww;
        }
    }
    return a + b * work;
}
