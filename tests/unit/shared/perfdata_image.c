// SPDX-License-Identifier: MIT
#include "tests/unit/shared/perfdata_image.h"

#include <zstd.h>

void image_fini(struct image *image)
{
	free(image->bytes);
	*image = (struct image){0};
}

void image_bytes(struct image *image, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	image->bytes = array_reserve(image->bytes, &image->capacity, image->n + n, 1);
	memcpy(image->bytes + image->n, bytes, n);
	image->n += n;
}

static void image_write_number(const struct image *image, unsigned char *to, uint64_t value,
			       size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[image->swapped ? n - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static void image_number(struct image *image, uint64_t value, size_t n)
{
	unsigned char bytes[8];

	image_write_number(image, bytes, value, n);
	image_bytes(image, bytes, n);
}

void image_u16(struct image *image, uint64_t value)
{
	image_number(image, value, 2);
}

void image_u32(struct image *image, uint64_t value)
{
	image_number(image, value, 4);
}

void image_u64(struct image *image, uint64_t value)
{
	image_number(image, value, 8);
}

void image_set(struct image *image, size_t at, uint64_t value, size_t n)
{
	image_write_number(image, image->bytes + at, value, n);
}

void image_text(struct image *image, const char *text, size_t size)
{
	size_t length = strlen(text);

	image_bytes(image, text, length);
	for (; length < size; length++)
		image_bytes(image, "", 1);
}

void image_string(struct image *image, const char *text)
{
	size_t size = strlen(text) / 64 * 64 + 64;

	image_u32(image, size);
	image_text(image, text, size);
}

size_t image_begin(struct image *image, uint32_t type, uint16_t misc)
{
	size_t begin = image->n;

	image_u32(image, type);
	image_u16(image, misc);
	image_u16(image, 0);
	return begin;
}

void image_end(struct image *image, size_t begin)
{
	image_set(image, begin + 6, image->n - begin, 2);
}

/* In the other byte order the bits are reversed, too. */
static uint64_t image_bits(const struct image *image, uint64_t flags)
{
	uint64_t reversed = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		reversed |= (flags >> bit & 1) << (63 - bit);
	return image->swapped ? reversed : flags;
}

void image_attr(struct image *image, const struct image_attr *attr)
{
	size_t size = attr->size ? attr->size : 136, begin = image->n;

	image_u32(image, attr->type);
	image_u32(image, size);
	image_u64(image, attr->config);
	image_u64(image, attr->period);
	image_u64(image, attr->sample_type);
	image_u64(image, attr->read_format);
	image_u64(image, image_bits(image, attr->flags));
	image_u32(image, 1); /* wakeup_events */
	image_u32(image, 0);
	while (image->n - begin < size)
		image_u64(image, 0);
}

void image_pack(struct image *image, const unsigned char *bytes, size_t n, size_t piece, bool two)
{
	enum { OUT = (1 << 16) - 24 };
	unsigned char *out = xmalloc(OUT);
	ZSTD_CStream *stream = ZSTD_createCStream();

	ZSTD_initCStream(stream, 1);
	for (size_t done = 0, some; done < n; done += some) {
		some = size_min(n - done, piece);
		ZSTD_inBuffer from = {.src = bytes + done, .size = some};
		ZSTD_outBuffer to = {.dst = out, .size = OUT};
		ZSTD_compressStream(stream, &to, &from);
		if (ZSTD_flushStream(stream, &to) > 0 || from.pos < from.size)
			abort(); /* a piece does not fit a record */
		size_t begin = image_begin(image, two ? 83 : 81, 0);
		if (two)
			image_u64(image, to.pos);
		image_bytes(image, out, to.pos);
		while (two && image->n % 8)
			image_bytes(image, "", 1);
		image_end(image, begin);
	}
	ZSTD_freeCStream(stream);
	free(out);
}
