"""Writes traces like those of PyTorch's profiler (Kineto) for a CUDA training: the documented categories, names and
arguments.

usage: cuda_trace.py STEPS LAYERS >trace.json   (expected() returns the known times)"""
import json
import sys

STEP_US, LAYER_US = 10000, 100


def started(call, kernel, call_start, correlation, **call_args):
    """Yields a launch call of 10 us and the event that it starts, linked by correlation (None: the trace has none)."""
    args = {} if correlation is None else {"correlation": correlation}
    yield {"ph": "X", "cat": "cuda_runtime", "name": call, "pid": 100, "tid": 100, "ts": call_start, "dur": 10,
           "args": {"cbid": 211} | call_args | args}
    yield kernel | {"args": kernel["args"] | args}


def step_events(number, start, layers, correlated=True):
    """Yields the events of a step of 10 ms: the loader takes 1 ms, a pageable copy 0.5 ms, and each layer 100 us (issue
    20, product 50, element-wise 20). An all-reduce of 2 ms begins 1 ms before the last layer ends. An update is issued
    during the all-reduce and begins 0.3 ms after it."""
    on_host, on_device = {"pid": 100, "tid": 100}, {"pid": 0, "tid": 7}
    end = start + 1500 + layers * LAYER_US
    ids = iter(range(number * 10000000 + 1, (number + 1) * 10000000)) if correlated else iter(lambda: None, 0)
    yield {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", **on_host, "ts": start, "dur": STEP_US,
           "args": {"External id": number, "Ev Idx": number}}
    yield {"ph": "X", "cat": "user_annotation", "name": "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", **on_host,
           "ts": start, "dur": 1000, "args": {}}
    copy = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", **on_device, "ts": start + 1000, "dur": 500,
            "args": {"device": 0, "context": 1, "stream": 7, "bytes": 5000000, "memory bandwidth (GB/s)": 10}}
    yield from started("cudaMemcpyAsync", copy, start + 985, next(ids))
    # written before the kernels that it overlaps: events of traces are not sorted
    reduced = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
               "pid": 0, "tid": 20, "ts": end - 1000, "dur": 2000, "args": {"device": 0, "stream": 20, "Collective name": "allreduce"}}
    yield from started("cudaLaunchKernelExC", reduced, end - 1010, next(ids))
    update = {"ph": "X", "cat": "kernel", "name": "void at::native::multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor>",
              **on_device, "ts": end + 1300, "dur": 100, "args": {"device": 0, "context": 1, "stream": 7}}
    yield from started("cudaLaunchKernel", update, end - 500, next(ids))
    for layer in range(layers):
        at = start + 1500 + layer * LAYER_US
        yield {"ph": "X", "cat": "cpu_op", "name": "aten::mm", **on_host, "ts": at, "dur": 22.5, "args": {"External id": layer}}
        product = {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas",
                   **on_device, "ts": at + 20, "dur": 50, "args": {"device": 0, "context": 1, "stream": 7, "grid": [8, 8, 1]}}
        yield from started("cudaLaunchKernel", product, at + 10, next(ids), **{"External id": layer})
        yield {"ph": "s", "id": layer, **on_host, "ts": at + 10, "cat": "ac2g", "name": "ac2g"}
        gelu = {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>",
                **on_device, "ts": at + 70, "dur": 20, "args": {"device": 0, "context": 1, "stream": 7}}
        yield from started("cudaLaunchKernel", gelu, at + 12, next(ids), **{"External id": layer})


EVENTS_OF_STEP, EVENTS_OF_LAYER, KERNELS_OF_LAYER = 8, 5, 2  # complete events


def expected(layers, correlated=True):
    """Returns the milliseconds of each part of a step, by arithmetic. Launch gaps are the 20 us before each product that
    is not beside the all-reduce. The host's pauses of 77.5 us are too long for an interpreter, so 10 us at each layer's
    end are idle. If the launches are known, nothing is queued in these 10 us, and the host is late. The update waits for
    the device; without the launches this wait is idle."""
    compute = 0.07 * layers + 0.1
    alone = layers - 10  # layers before the all-reduce begins
    exposed = 2.0 - 10 * 0.07
    gaps = 0.03 * alone if correlated else 0.02 * alone + 0.01  # the all-reduce is issued in such a pause
    parts = {"step_time_ms": 10.0, "compute_ms": compute, "memory_bandwidth_ms": 0.02 * layers + 0.1, "communication_ms": 2.0,
             "exposed_communication_ms": exposed, "host_to_device_ms": 0.5, "exposed_host_to_device_ms": 0.5, "data_wait_ms": 1.0,
             "launch_gap_ms": gaps} | ({"device_wait_ms": 0.3} if correlated else {})
    return parts | {"idle_ms": 10.0 - compute - exposed - 0.5 - 1.0 - gaps - (0.3 if correlated else 0)}


def write(out, steps, layers, correlated=True):
    out.write('{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85000000000}],\n'
              '"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 16},\n"traceEvents": [\n')
    out.write('{"ph": "M", "ts": 0, "name": "process_name", "pid": 100, "args": {"name": "python"}}')
    for number in range(steps):
        for event in step_events(number, 1.7e15 + number * STEP_US, layers, correlated):
            out.write(",\n" + json.dumps(event))
    out.write('\n],\n"traceName": "trace.json"}\n')


if __name__ == "__main__":
    write(sys.stdout, int(sys.argv[1]), int(sys.argv[2]))
