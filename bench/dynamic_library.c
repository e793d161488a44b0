#include "bench/dynamic_library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <unistd.h>

const char *const dynamic_nvidia_folders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
	"$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib", "$CONDA_PREFIX/lib", "$CONDA_PREFIX/lib/python3*/site-packages/nvidia/*/lib",
	"/usr/local/lib/python3*/dist-packages/nvidia/*/lib", "/usr/local/lib/python3*/site-packages/nvidia/*/lib",
	"/usr/lib/python3*/dist-packages/nvidia/*/lib", "/opt/*/lib/python3*/site-packages/nvidia/*/lib",
	"$HOME/.local/lib/python3*/site-packages/nvidia/*/lib", NULL};

const char *const dynamic_driver_folders[] = {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", NULL};

/* Replaces the variable in "$HOME/x" with its value; false if it is unset or empty. */
static bool expand(const char *pattern, char *out, size_t size)
{
	char name[32];
	const char *value, *slash;

	if (*pattern != '$')
		return snprintf(out, size, "%s", pattern) < (int)size;
	slash = strchr(pattern, '/');
	if (!slash || snprintf(name, sizeof(name), "%.*s", (int)(slash - pattern - 1), pattern + 1) >= (int)sizeof(name))
		return false;
	value = getenv(name);
	return value && *value && snprintf(out, size, "%s%s", value, slash) < (int)size;
}

/* Binds the functions. Returns the first missing required function; NULL if all are bound. */
static const char *bind(const struct dynamic_library *library, void *handle, void *api)
{
	const char *missing = NULL;

	for (size_t i = 0; i < library->symbol_count; i++) {
		const struct dynamic_symbol *symbol = &library->symbols[i];
		void *function = dlsym(handle, symbol->name);

		/* Copies an object pointer into a function pointer: POSIX guarantees that this works, ISO C has no cast for
		 * it. */
		memcpy((char *)api + symbol->offset, &function, sizeof(function));
		if (!function && symbol->required && !missing)
			missing = symbol->name;
	}
	return missing;
}

struct attempt {
	const struct dynamic_library *library;
	void *api, *handle;
	char *path;
	struct bench_reason *reason;
};

static bool try_file(struct attempt *attempt, const char *file)
{
	const char *missing;

	attempt->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!attempt->handle) {
		/* Report why an existing file cannot be loaded. A missing file is the normal case. */
		if (strchr(file, '/') && access(file, F_OK) == 0)
			bench_refuse(attempt->reason, BENCH_UNSUPPORTED, "%s: %.160s", attempt->library->what, dlerror());
		return false;
	}
	missing = bind(attempt->library, attempt->handle, attempt->api);
	if (!missing) {
		snprintf(attempt->path, DEVICE_TEXT_MAX, "%s", file);
		return true;
	}
	bench_refuse(attempt->reason, BENCH_UNSUPPORTED, "%s: %.80s has no %s: it is too old; %s", attempt->library->what, file, missing,
		attempt->library->advice);
	dynamic_library_close(&attempt->handle);
	return false;
}

static bool try_folder(struct attempt *attempt, const char *pattern)
{
	char folder[PATH_MAX], file[PATH_MAX];
	glob_t found;
	bool opened = false;

	if (!expand(pattern, folder, sizeof(folder)))
		return false;
	for (const char *const *soname = attempt->library->sonames; *soname && !opened; soname++) {
		if (snprintf(file, sizeof(file), "%s/%s", folder, *soname) >= (int)sizeof(file) || glob(file, 0, NULL, &found) != 0)
			continue;
		for (size_t i = found.gl_pathc; i > 0 && !opened; i--) /* the last match has the newest Python */
			opened = try_file(attempt, found.gl_pathv[i - 1]);
		globfree(&found);
	}
	return opened;
}

enum bench_outcome dynamic_library_open(
	const struct dynamic_library *library, void *api, void **handle, char path[DEVICE_TEXT_MAX], struct bench_reason *reason)
{
	struct attempt attempt = {.library = library, .api = api, .path = path, .reason = reason};
	const char *own = getenv("FLEETPLAN_BENCH_LIB_DIR");
	bool opened = false;

	bench_refuse(reason, BENCH_UNSUPPORTED, "%s not found: %s", library->what, library->advice);
	if (own && *own)
		opened = try_folder(&attempt, own);
	for (const char *const *soname = library->sonames; *soname && !opened; soname++)
		opened = try_file(&attempt, *soname);
	for (const char *const *folder = library->folders; *folder && !opened; folder++)
		opened = try_folder(&attempt, *folder);
	*handle = opened ? attempt.handle : NULL;
	return opened ? BENCH_OK : BENCH_UNSUPPORTED;
}

void dynamic_library_close(void **handle)
{
	if (*handle)
		dlclose(*handle);
	*handle = NULL;
}
