// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_MARKUP_H
#define PMCTOP_TESTS_MARKUP_H

/*
 * Strict readers of what pmctop prints for other programs, independent of core/base/text.c. They
 * return the fault, or NULL.
 */

/*
 * A document of elements, attributes and text (XML 1.0): one root, nested tags, quoted attributes
 * with different names, characters that XML allows. Comments, CDATA and declarations are faults.
 */
const char *xml_fault(const char *text);

/* Lines of UTF-8 without control characters, except "\033[N;N...m". */
const char *sgr_fault(const char *text);

#endif
