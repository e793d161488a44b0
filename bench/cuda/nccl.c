#include "bench/cuda/nccl.h"

#define REQUIRED(member, name) DYNAMIC_REQUIRED(nccl, member, name)

static const struct dynamic_symbol symbols[] = {
	REQUIRED(get_version, "ncclGetVersion"),
	REQUIRED(error_text, "ncclGetErrorString"),
	REQUIRED(init_all, "ncclCommInitAll"),
	REQUIRED(destroy, "ncclCommDestroy"),
	REQUIRED(abort, "ncclCommAbort"),
	REQUIRED(async_error, "ncclCommGetAsyncError"),
	REQUIRED(group_start, "ncclGroupStart"),
	REQUIRED(group_end, "ncclGroupEnd"),
	REQUIRED(all_reduce, "ncclAllReduce"),
};

static const char *const sonames[] = {"libnccl.so.2", NULL};

static const struct dynamic_library library = {
	.what = "libnccl.so.2 (NCCL)",
	.advice = "use the image tag -cuda, or set FLEETPLAN_BENCH_LIB_DIR to its folder",
	.sonames = sonames,
	.folders = dynamic_nvidia_folders,
	.symbols = symbols,
	.symbol_count = COUNT_OF(symbols),
};

enum bench_outcome nccl_open(struct nccl *nccl, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	int code;

	(void)setenv("NCCL_SOCKET_IFNAME", "lo", 0);
	*nccl = (struct nccl){.library = NULL};
	outcome = dynamic_library_open(&library, nccl, &nccl->library, nccl->path, reason);
	if (outcome != BENCH_OK)
		return outcome;
	code = nccl->get_version(&nccl->version);
	if (code == NCCL_OK)
		return BENCH_OK;
	bench_refuse(reason, BENCH_UNSUPPORTED, "NCCL does not start: %s (%d)", nccl->error_text(code), code);
	dynamic_library_close(&nccl->library);
	return BENCH_UNSUPPORTED;
}
