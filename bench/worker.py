"""One contestant in a process of its own: loads a table once, then answers requests.

    worker.py RIVAL DATA THREADS     started by harness.py, spoken to in lines of JSON
"""
import gc
import importlib
import importlib.util
import json
import os
import pathlib
import sys
import time
import warnings

PROC = pathlib.Path("/proc/self")


def memory(field):
    """VmRSS or VmHWM (its peak), in MB."""
    return int((PROC / "status").read_text().split(field + ":")[1].split()[0]) / 1024


def forget_peak():
    try:
        (PROC / "clear_refs").write_text("5")
    except OSError:
        pass  # then the peak is that of the whole life of the process


def read(path):
    import numpy as np
    if path.endswith(".npy"):
        return np.load(path)
    if path.endswith(".json"):
        return json.loads(pathlib.Path(path).read_text())
    import scipy.sparse
    return scipy.sparse.load_npz(path)


def write_and_read():
    """What NumPy imports for that is no rival's memory."""
    import io

    import numpy as np
    file = io.BytesIO()
    np.savez(file, x=np.zeros(1))
    file.seek(0)
    dict(np.load(file))


def load_rival(name):
    if not name.endswith(".py"):
        return importlib.import_module("rivals." + name)
    spec = importlib.util.spec_from_file_location("rivals." + pathlib.Path(name).stem, name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pools():
    """The threads of the BLAS and OpenMP libraries of this process."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return {}
    return {pathlib.Path(p["filepath"]).name: p["num_threads"] for p in threadpool_info()}


def greet(rival, threads):
    reported = rival.threads()
    if reported not in (None, threads):
        raise RuntimeError(f"it uses {reported} threads, not {threads}")
    found = pools()
    if wrong := {name: n for name, n in found.items() if n > threads}:
        raise RuntimeError(f"its pools have {wrong} threads, more than {threads}")
    return dict(threads=reported, pools=found)


def answer(rival, x, loaded, request):
    """`loaded`: the memory with the table and the tools of this script, before anything was asked."""
    import numpy as np
    if request["task"] == "product":  # the machine's own rate: it takes its times itself
        return rival.product()
    ask = getattr(rival, request["task"], None)
    if ask is None:
        from rivals import Unsupported
        raise Unsupported(f"it has no {request['task']}")
    arrays = dict(np.load(request["arrays"])) if request["arrays"] else {}
    options = request["options"] | arrays
    given = sum(array.nbytes for array in arrays.values()) / 2**20  # a part of the table
    gc.collect()
    forget_peak()
    cpu, start = time.process_time(), time.perf_counter()
    result = ask(x, **options)
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = memory("VmHWM")
    if callable(result):  # to read a model for the judge is no part of the fit
        result = result()
    more_wall, more_cpu = result.get("more", (0, 0))  # of what was done on a sample
    np.savez(request["result"],
             **{k: v for k, v in result.items() if k not in ("iterations", "more")})
    return dict(wall=wall + more_wall, cpu=cpu + more_cpu, spent=wall, peak_mb=peak,
                above_load_mb=peak - loaded - given, iterations=int(result["iterations"]))


def main():
    name, data, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    warnings.filterwarnings("ignore")  # not converged: asked for

    def reply(work):
        from rivals import Unsupported
        try:
            result = work()
        except Unsupported as error:
            result = dict(unsupported=str(error))
        except ImportError as error:
            result = dict(error=f"cannot be imported: {error}")
        except Exception as error:  # a rival may fail as it likes
            result = dict(error=f"{type(error).__name__}: {error}".split("\n")[0])
        print(json.dumps(result), file=out, flush=True)
        return result

    rival = x = loaded = None

    def prepare():
        nonlocal rival, x, loaded
        rival = load_rival(name)
        told = rival.version(threads)
        x = read(data)
        about = greet(rival, threads)
        write_and_read()
        loaded = memory("VmRSS")
        return dict(version=told, loaded_mb=loaded) | about

    if "error" in reply(prepare):
        return
    for line in sys.stdin:
        reply(lambda: answer(rival, x, loaded, json.loads(line)))


if __name__ == "__main__":
    main()
