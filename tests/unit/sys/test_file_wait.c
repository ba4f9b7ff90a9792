// SPDX-License-Identifier: MIT
/* A thread that opens or reads a FIFO without a writer, or waits for something else. */
#include "core/sys/file_wait.h"

#include "core/base/util.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 10000 };

struct scene {
	char folder[64], fifo[128];
	int folder_fd;
};

static void open_path(struct scene *scene)
{
	close(open(scene->fifo, O_RDONLY | O_CLOEXEC));
}

static void open_in_folder(struct scene *scene)
{
	close(openat(scene->folder_fd, "fifo", O_RDONLY | O_CLOEXEC));
}

static void read_file(struct scene *scene)
{
	char byte;
	int fd = open(scene->fifo, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int writer = open(scene->fifo, O_WRONLY | O_CLOEXEC);

	fcntl(fd, F_SETFL, 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(writer);
	close(fd);
}

static const struct row {
	const char *name;
	void (*stand)(struct scene *scene);
} rows[] = {
	{"a path", open_path},
	{"a path below a folder", open_in_folder},
	{"a descriptor", read_file},
};

struct standing {
	const struct row *row;
	struct scene *scene;
};

static void *stand(void *arg)
{
	const struct standing *standing = arg;

	standing->row->stand(standing->scene);
	return NULL;
}

static void test_file_wait(void **state)
{
	struct scene scene = {.folder = "/tmp/pmctop-file-wait-XXXXXX"};
	char name[PATH_MAX];

	(void)state;
	assert_non_null(mkdtemp(scene.folder));
	snprintf(scene.fifo, sizeof(scene.fifo), "%s/fifo", scene.folder);
	assert_int_equal(mkfifo(scene.fifo, 0600), 0);
	scene.folder_fd = open(scene.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct standing standing = {&rows[i], &scene};
		pthread_t thread;
		bool found = false;

		print_message("%s\n", rows[i].name);
		assert_false(file_wait_find(name, sizeof(name)));
		assert_string_equal(name, "");
		assert_int_equal(pthread_create(&thread, NULL, stand, &standing), 0);
		for (int ms = 0; ms < PATIENCE_MS && !(found && !strcmp(name, scene.fifo)); ms++) {
			nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
			found = file_wait_find(name, sizeof(name));
		}
		assert_true(found);
		assert_string_equal(name, scene.fifo);
		int fd = open(scene.fifo, O_RDWR | O_CLOEXEC);
		assert_int_equal(write(fd, "x", 1), 1);
		pthread_join(thread, NULL);
		close(fd);
	}
	close(scene.folder_fd);
	unlink(scene.fifo);
	rmdir(scene.folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {cmocka_unit_test(test_file_wait)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
