"""
A program of a framework that people run, for the part `frameworks`: what its argument says, one line for each result.

  has                       the frameworks that this Python has: "torch cupy jax"
  torch, torch-expandable, torch-async, cupy, cupy-async, cupy-managed, jax
                            takes memory in pieces of 256 MiB until there is no more, and computes afterwards:
                            "filled <MiB> free <MiB before> total <MiB> then <computes, or the error>: <what it said>"
  infer:<ms>, train:<ms>    prints "ready", waits for a line on its input, and works for that time: a small network in
                            half precision by a CUDA graph, "infer p50 <ms> p99 <ms>"; or products of 8192 in bfloat16,
                            "train <TFLOP/s>"
Then it holds what it got until it is killed.
"""
import importlib.util
import os
import sys
import time

PIECE = 256 << 20


def report(got, before, error, compute):
    try:
        compute()
        then = "computes"
    except Exception as e:
        then = type(e).__name__
    said = "%s %s" % (type(error).__name__, " ".join(str(error).split())[:120])
    print("filled %d free %d total %d then %s: %s" % (got >> 20, before[0] >> 20, before[1] >> 20, then, said), flush=True)


def fill(take, before, compute):
    kept, error = [], None
    while error is None:
        try:
            kept.append(take())
        except Exception as e:
            error = e
    got = len(kept) * PIECE
    del kept[-1:]
    report(got, before, error, compute)
    return kept


def with_torch(kind):
    settings = {"torch-expandable": "expandable_segments:True", "torch-async": "backend:cudaMallocAsync"}
    if kind in settings:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings[kind]
    import torch

    torch.zeros(1, device="cuda")
    return fill(
        lambda: torch.empty(PIECE, dtype=torch.uint8, device="cuda"),
        torch.cuda.mem_get_info(),
        lambda: float((torch.ones(512, 512, device="cuda") @ torch.ones(512, 512, device="cuda")).sum()),
    )


def with_cupy(kind):
    import cupy

    if kind == "cupy-async":
        cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)
    if kind == "cupy-managed":
        cupy.cuda.set_allocator(cupy.cuda.malloc_managed)
    cupy.zeros(1)

    def take():
        piece = cupy.empty(PIECE, dtype=cupy.uint8)
        piece.fill(1)  # managed memory counts when it is touched
        cupy.cuda.Device().synchronize()
        return piece

    return fill(take, cupy.cuda.runtime.memGetInfo(), lambda: float(cupy.ones(1024).sum()))


def with_jax(kind):
    import jax

    stats = jax.devices()[0].memory_stats() or {}
    limit = stats.get("bytes_limit", 0)

    def take():
        return jax.device_put(jax.numpy.zeros(PIECE, dtype=jax.numpy.uint8)).block_until_ready()

    return fill(take, (limit, limit), lambda: float(jax.numpy.ones((512, 512)).sum()))


def wait():
    print("ready", flush=True)
    sys.stdin.readline()


def infer(milliseconds):
    import torch

    layers = [torch.nn.Conv2d(3, 64, 7, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1)]
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for i in range(4):
            before = layers[-2].out_channels if i else (64 if width == 64 else width // 2)
            layers += [torch.nn.Conv2d(before, width, 3, stride if i == 0 else 1, 1), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers).cuda().half().eval()
    image = torch.randn(4, 3, 224, 224, device="cuda", dtype=torch.half)
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                net(image)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            net(image)
    graph.replay()
    torch.cuda.synchronize()
    wait()
    times, end = [], time.monotonic() + milliseconds / 1000
    while time.monotonic() < end or not times:
        start = time.monotonic()
        graph.replay()
        torch.cuda.synchronize()
        times.append((time.monotonic() - start) * 1000)
    times.sort()
    print("infer p50 %.2f p99 %.2f" % (times[len(times) // 2], times[len(times) * 99 // 100]), flush=True)


def train(milliseconds):
    import torch

    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    a @ b
    torch.cuda.synchronize()
    wait()
    start, count = time.monotonic(), 0
    while time.monotonic() < start + milliseconds / 1000:
        for _ in range(4):
            a @ b
        torch.cuda.synchronize()
        count += 4
    print("train %.1f" % (count * 2 * 8192**3 / (time.monotonic() - start) / 1e12), flush=True)


what, _, amount = sys.argv[1].partition(":")
if what == "has":
    print(" ".join(name for name in ("torch", "cupy", "jax") if importlib.util.find_spec(name)), flush=True)
    sys.exit()
if what in ("infer", "train"):
    {"infer": infer, "train": train}[what](int(amount))
else:
    held = {"torch": with_torch, "cupy": with_cupy, "jax": with_jax}[what.partition("-")[0]](what)
time.sleep(600)
