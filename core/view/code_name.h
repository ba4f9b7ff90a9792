// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_NAME_H
#define PMCTOP_CODE_NAME_H

#include <stddef.h>

/*
 * Writes the name of a function, which has hostile bytes, as printable text of at most `width`
 * columns. What is least needed goes first: the parameters ("f(int, char*)": "f()"), the arguments
 * of templates ("map<int, char>::at()": "map<..>::at()"), then the front ("..::at()"), because the
 * end of a C++ or Rust name says what the function does. A name without "::" loses its end, an
 * address in a file its middle ("libfo..+0x1234"). ASCII, unless the name is not.
 * Returns the bytes written, without the NUL.
 */
size_t code_name(const char *name, unsigned width, char *text, size_t size);
/*
 * Writes the name of a module as printable text. One of more than `width` columns loses the version
 * behind ".so", then ".so" too. It may still be wider. Returns the bytes written.
 */
size_t code_module(const char *module, unsigned width, char *text, size_t size);

#endif
