// SPDX-License-Identifier: MIT
/*
 * Accounts are in a hash table by the text of their key. To export, a heap selects the few heaviest
 * of tens of thousands: sorting all of them would delay the collector, which waits for the lock.
 */
#include "core/output/export_counters.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void export_counters_sums_add(struct export_counters_sums *sums, size_t event, uint64_t count)
{
	if (event >= sums->n) {
		size_t n = event + 1;

		sums->counts = xreallocarray(sums->counts, n, sizeof(*sums->counts));
		sums->known = xreallocarray(sums->known, n, sizeof(*sums->known));
		memset(sums->counts + sums->n, 0, (n - sums->n) * sizeof(*sums->counts));
		memset(sums->known + sums->n, 0, (n - sums->n) * sizeof(*sums->known));
		sums->n = n;
	}
	sums->counts[event] += count;
	sums->known[event] = true;
}

void export_counters_sums_fini(struct export_counters_sums *sums)
{
	free(sums->counts);
	free(sums->known);
	*sums = (struct export_counters_sums){0};
}

static void account_free(struct account *account)
{
	export_counters_sums_fini(&account->sums);
	free(account->key);
	free(account->labels);
	free(account);
}

void export_counters_init(struct export_counters *counters, size_t most)
{
	*counters = (struct export_counters){.most = most};
	hash_table_init(&counters->table, 0);
}

void export_counters_fini(struct export_counters *counters)
{
	for (size_t i = 0; i < counters->table.n_slots; i++)
		if (counters->table.slots[i].item)
			account_free(counters->table.slots[i].item);
	hash_table_fini(&counters->table);
	*counters = (struct export_counters){0};
}

static struct account **list_accounts(const struct export_counters *counters, size_t *n)
{
	struct account **items = xcalloc(counters->table.n, sizeof(struct account *));

	*n = 0;
	for (size_t i = 0; i < counters->table.n_slots; i++)
		if (counters->table.slots[i].item)
			items[(*n)++] = counters->table.slots[i].item;
	return items;
}

static bool has_lingered(const struct account *account, uint64_t now_ns)
{
	return account->ended_ns &&
	       u64_growth(account->ended_ns, now_ns) > EXPORT_COUNTERS_LINGER_NS;
}

/* Order of removal: ended accounts, then accounts that ran longest ago. */
static int compare_age(const void *a, const void *b)
{
	const struct account *left = *(struct account *const *)a;
	const struct account *right = *(struct account *const *)b;

	if (!left->ended_ns != !right->ended_ns)
		return left->ended_ns ? -1 : 1;
	if (left->ran_ns != right->ran_ns)
		return left->ran_ns < right->ran_ns ? -1 : 1;
	return strcmp(left->key, right->key);
}

/* Removes an eighth more than necessary, so that the next new accounts need no removal. */
static void remove_oldest(struct export_counters *counters)
{
	size_t n, keep = counters->most - counters->most / 8;
	struct account **items = list_accounts(counters, &n);

	qsort(items, n, sizeof(struct account *), compare_age);
	for (size_t i = 0; i + keep < n; i++) {
		hash_table_remove_item(&counters->table, hash_text(items[i]->key), items[i]);
		account_free(items[i]);
	}
	free(items);
}

static void remove_ended(struct export_counters *counters, uint64_t now_ns)
{
	for (size_t i = 0; i < counters->table.n_slots;) {
		struct account *account = counters->table.slots[i].item;

		if (!account || !has_lingered(account, now_ns)) {
			i++;
			continue;
		}
		hash_table_remove(&counters->table, &counters->table.slots[i]);
		account_free(account);
	}
}

void export_counters_pass(struct export_counters *counters, uint64_t now_ns, uint64_t interval_ns)
{
	double less = exp2(-(double)interval_ns / (double)EXPORT_COUNTERS_HALF_NS);

	remove_ended(counters, now_ns);
	if (counters->table.n > counters->most)
		remove_oldest(counters);
	for (size_t i = 0; i < counters->table.n_slots; i++) {
		struct account *account = counters->table.slots[i].item;

		if (account)
			account->weight *= less;
	}
}

static bool is_new_owner(const struct account *account, uint64_t start_ns)
{
	if (!start_ns)
		return false;
	if (account->start_ns)
		return account->start_ns != start_ns;
	return account->ended_ns != 0;
}

/* The account of the key, created if there is none. */
static struct account *open_account(struct export_counters *counters, const char *key)
{
	uint64_t hash = hash_text(key);
	struct hash_slot *slot = hash_table_slot(&counters->table, hash);

	while (slot->item && strcmp(((struct account *)slot->item)->key, key) != 0)
		slot = hash_table_next(&counters->table, slot);
	if (slot->item)
		return slot->item;
	struct account *account = xcalloc(1, sizeof(*account));
	account->key = xstrdup(key);
	hash_table_add(&counters->table, hash)->item = account;
	return account;
}

struct account *export_counters_run(struct export_counters *counters, const char *key,
				    uint64_t start_ns, const char *labels, uint64_t now_ns,
				    uint64_t cpu_ns)
{
	struct account *account = open_account(counters, key);

	if (is_new_owner(account, start_ns)) {
		export_counters_sums_fini(&account->sums);
		account->start_ns = account->ended_ns = 0;
		account->weight = 0;
	}
	if (!account->labels || strcmp(account->labels, labels) != 0) {
		free(account->labels);
		account->labels = xstrdup(labels);
	}
	account->start_ns = start_ns ? start_ns : account->start_ns;
	account->ran_ns = now_ns;
	account->weight += (double)cpu_ns;
	return account;
}

static int compare_weight(const void *a, const void *b)
{
	const struct account *left = *(struct account *const *)a;
	const struct account *right = *(struct account *const *)b;

	if (left->weight != right->weight)
		return left->weight > right->weight ? -1 : 1;
	return strcmp(left->key, right->key);
}

/* Restores the heap of selected accounts. Its top is the lightest. */
static void sift_down(struct account **heap, size_t n, size_t at)
{
	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		struct account *moved = heap[at];

		if (child + 1 < n && compare_weight(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (compare_weight(&heap[child], &heap[at]) <= 0)
			return;
		heap[at] = heap[child];
		heap[child] = moved;
		at = child;
	}
}

size_t export_counters_choose(const struct export_counters *counters, size_t top, uint64_t now_ns,
			      struct account ***items, size_t *left_out)
{
	size_t n, n_current = 0, n_chosen;

	*items = list_accounts(counters, &n);
	for (size_t i = 0; i < n; i++)
		if (u64_growth((*items)[i]->ran_ns, now_ns) <= EXPORT_COUNTERS_CURRENT_NS)
			(*items)[n_current++] = (*items)[i];
	/* Only the selected accounts are sorted: the collector waits meanwhile. */
	n_chosen = size_min(top, n_current);
	for (size_t i = n_chosen / 2; i-- > 0;)
		sift_down(*items, n_chosen, i);
	for (size_t i = n_chosen; n_chosen > 0 && i < n_current; i++) {
		if (compare_weight(&(*items)[i], &(*items)[0]) >= 0)
			continue;
		(*items)[0] = (*items)[i];
		sift_down(*items, n_chosen, 0);
	}
	qsort(*items, n_chosen, sizeof(struct account *), compare_weight);
	*left_out = n_current - n_chosen;
	return n_chosen;
}
