/* version.h - The version of Darner; the number lives in the root meson.build. */
#pragma once

extern const char dn_version[]; /* "0.1.0" */
