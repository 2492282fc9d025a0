/* page_style.h - the style of pages, light and dark: scripts/page.css. */
#pragma once

extern const char dn_page_style[];
