/* dumpi_layout.c - The layout of the record of each of DUMPI's functions, in order of number.
 *
 * From dumpi/common/funclabels.h and dumpiio.c of sst-dumpi. i: 32 bits (R: that names a root), h:
 * 16, b: 8, q: 64; I, H, B: a count of 32 bits and so many of these; M: lists of I; s: count and
 * characters; S, T: lists of s, of S; t: statuses; (...): only where the first number, the rank, is
 * the root. Older versions differ: Z (argv of init; before 0.6.2 its count twice), V (list; before
 * 0.6.9 one number), W (list; before 0.6.8 one number). */
#include "trace/dumpi.h"

/* clang-format off */
const char *const dn_dumpi_layouts[DN_DUMPI_FUNCTIONS] = {
    "ihiih", "ihiiht", "thi", "ihiih", "ihiih", "ihiih", "i", "i", "ihiihi", "ihiihi", "ihiihi",
    "ihiihi", "ihiihi", "it", "iit", "i", "iIit", "iIiit", "iIt", "iIit", "iIiIt", "iIiIt",
    "iihit", "iiht", "i", "ti", "ihiihi", "ihiihi", "ihiihi", "ihiihi", "ihiihi", "i", "iI",
    "ihiiihiiht", "ihiiiiht", "ihh", "iiihh", "iiihh", "iIIhh", "iIIhh", "iIVHh", "i", "hi",
    "hi", "hi", "hi", "h", "h", "thi", "ihiiih", "iiiihh", "ihhi", "h", "ihih", "iihRh(ih)",
    "iiihRh(II)h", "iihRh(ih)", "iihihRh(II)", "ihihh", "iihIIhh", "ihihh", "iIIhIIhh", "ihbih",
    "ib", "b", "ihbh", "iIhbh", "ihbh", "hi", "hi", "hiIhI", "hhb", "hh", "hhh", "hhh", "hhh",
    "hiIh", "hiIh", "hiMh", "hiMh", "h", "hi", "hi", "hhb", "hh", "hhh", "hiih", "h", "hi", "hi",
    "hh", "hihiih", "hih", "h", "h", "hi", "hii", "hi", "hb", "hiIIih", "iiII", "ihiIIih", "hii",
    "iihiiII", "hi", "ihiIIW", "ihIi", "ihiiI", "hii", "ihiiI", "hiiii", "ihIh", "hiIIi",
    "ihiIIi", "si", "ii", "h", "hh", "hh", "h", "isi", "ii", "", "", "Z", "", "i", "hi", "",
    "s", "shihh", "shihh", "h", "h", "ih", "iRhh(sSihI)", "iiRhh(iSTIHI)", "shs", "hs", "shs",
    "shs", "ihiiihbh", "ihiiihh", "ihiiihh", "h", "iihhh", "bh", "h", "hh", "bibh", "hbh", "hbh",
    "hi", "ih", "h", "iIIHIIHh", "ihbh", "i", "ii", "is", "hi", "h", "hh", "h", "hhi", "hsi",
    "hh", "hs", "hi", "i", "i", "Sbb", "i", "b", "ti", "thi", "h", "hh", "hh", "h", "hhi",
    "iiihiiiIIH", "hiiib", "hsi", "hh", "hs", "bih", "hi", "h", "hh", "h", "hhi", "hsi", "hh",
    "hs", "ih", "h", "hh", "hh", "h", "hh", "hh", "i", "", "i", "h", "hs", "hh", "h", "hsisi",
    "hi", "his", "hsii", "hss", "sihiii", "sihi", "iit", "iiiIBIIbhh", "iIIhh", "iiihh", "iiIhh",
    "hiih", "iIIHh", "iIIIbhh", "hii", "hii", "siiiih", "h", "hh", "hh", "hsbhh", "h", "sh",
    "hq", "hq", "hq", "hh", "hb", "hh", "hh", "hqhhsh", "hqhhs", "hqiht", "hqiht", "hqiht",
    "hqiht", "hqihi", "hqihi", "hiht", "hiht", "hiht", "hiht", "hihi", "hihi", "hqb", "hq",
    "hqq", "hiht", "hiht", "hihi", "hihi", "hiht", "hiht", "hqb", "hq", "hqih", "ht", "hqih",
    "ht", "hih", "ht", "hih", "ht", "hih", "ht", "hih", "ht", "hhi", "s", "hi", "hi", "h", "iit",
    "it", "iIit", "iIt", "iIiit", "iIit", "iIiIt", "iIiIt", "", "q", "q",
};
/* clang-format on */
