/* version.h - which Darner this is; the number lives in the root meson.build. */
#pragma once

extern const char dn_version[]; /* "0.1.0" */
