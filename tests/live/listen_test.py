#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pmctop --listen: the texts and addresses that are served. No client can stop serving or counting.

Prints TAP. BUILD is the build directory.
"""
import asyncio
import http.client
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skip_reason  # noqa: E402
from frames import check, finish, skip  # noqa: E402
from programs import PMCTOP  # noqa: E402
from ptys import OnPty, is_sanitized  # noqa: E402
from served import OPENMETRICS, Served, free_port, until  # noqa: E402

COMMAND = (PMCTOP, "-b", "-S", "software", "0.1")
CLIENTS = 1000
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


def refused(*arguments):
    run = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60,
                         stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout, run.stderr


def answers(served):
    status, headers, text = served.get()
    check("/metrics is Prometheus' text by default",
          status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
          and "# EOF" not in text and "pmctop_build_info{" in text, (status, headers, text[:200]))
    status, headers, text = served.get(accept=OPENMETRICS)
    check("and OpenMetrics if a client accepts it",
          status == 200 and text.endswith("# EOF\n")
          and headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0"),
          (status, headers, text[-200:]))
    status, headers, text = served.get(method="HEAD")
    check("HEAD returns the same headers without the text",
          status == 200 and text == "" and int(headers["Content-Length"]) > 100, headers)
    for name, answer, wanted in (
            ("/ has the path of the metrics", served.get("/")[0::2],
             (200, "pmctop: hardware performance counters, for Prometheus.\n"
                   "They are at /metrics.\n")),
            ("another path is not found", served.get("/metrics/")[0], 404),
            ("DELETE is not allowed", served.get(method="DELETE")[0], 405)):
        check(name, answer == wanted, answer)
    check("refreshes are counted", served.goes_on())


def check_addresses(served):
    for where in ("127.0.0.1", "0.0.0.0"):
        status, printed, stderr = refused("--listen", f"{where}:{served.port}")
        check(f"a used port is reported in one sentence ({where})", status == 1 and not printed
              and f"Another program listens on {where}:{served.port}." in stderr
              and stderr.count("\n") == 1, (status, stderr))
    status, printed, stderr = refused("--listen", "192.0.2.1:9105")
    check("so is an address of another machine",
          status == 1 and "not an address of this machine" in stderr and stderr.count("\n") == 1, stderr)
    status, printed, stderr = refused("--listen", "box:9105")
    check("and a name, which is not resolved",
          status == 2 and "names are not resolved" in stderr and stderr.count("\n") == 1, stderr)
    check("without an address only this machine is served", served.host == "127.0.0.1",
          served.host)
    if not os.path.exists("/proc/net/if_inet6"):
        return
    six = Served(*COMMAND, listen="[::1]:0")
    check("IPv6", six.host == "::1" and six.get()[0] == 200, six.stderr)
    six.stop()


async def slow_client(port, begin):
    """Sends a byte now and then until the server closes the connection."""
    await begin.wait()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return "refused"
    try:
        for byte in REQUEST[:-2] + b"X: " + b"y" * 4000:
            writer.write(bytes([byte]))
            await writer.drain()
            try:
                if not await asyncio.wait_for(reader.read(100), 0.25):
                    return "closed"
            except asyncio.TimeoutError:
                pass
        return "kept"
    except OSError:
        return "closed"
    finally:
        writer.close()


def scrape(served):
    """(status, text) of a request. A scraper that is so slow that hundreds of clients come
    meanwhile is disconnected like them, and tries again."""
    for _ in range(10):
        try:
            status, _, text = served.get()
            return status, text
        except (OSError, http.client.HTTPException):
            pass
    return 0, ""


async def slow_clients(served, seen):
    begin = asyncio.Event()
    tasks = [asyncio.create_task(slow_client(served.port, begin)) for _ in range(CLIENTS)]
    begin.set()
    loop = asyncio.get_running_loop()
    while len(seen["scraped"]) < 20:
        status, text = await loop.run_in_executor(None, scrape, served)
        seen["scraped"].append(status == 200 and "pmctop_snapshots_total" in text)
        seen["descriptors"] = max(seen["descriptors"], served.descriptors())
        await asyncio.sleep(0.05)
    done, still = await asyncio.wait(tasks, timeout=60)
    for task in still:
        task.cancel()
    await asyncio.gather(*still, return_exceptions=True)
    seen["ends"] = [task.result() for task in done]
    seen["still"] = len(still)


def crowd(served):
    """A thousand slow clients, while pmctop refreshes and serves others."""
    before = served.snapshots()
    kib, descriptors = served.kib(), served.descriptors()
    seen = {"scraped": [], "descriptors": 0}
    asyncio.run(slow_clients(served, seen))
    check("1000 slow clients keep no scraper out", all(seen["scraped"]), seen["scraped"])
    check("none of them stays connected", seen["still"] == 0 and "kept" not in seen["ends"],
          (seen["still"], {end: seen["ends"].count(end) for end in set(seen["ends"])}))
    check("they cost few descriptors", seen["descriptors"] <= descriptors + 40,
          (descriptors, seen["descriptors"]))
    check("and return them", until(lambda: served.descriptors() <= descriptors + 2),
          (descriptors, served.descriptors()))
    most = kib + (65536 if is_sanitized(PMCTOP) else 16384)
    check("and little memory", served.kib() <= most, (kib, served.kib()))
    check("refreshes go on meanwhile", served.snapshots() > before)
    check("their CPU time is reported", (served.value("pmctop_own_cpu_seconds_total") or 0) > 0)


def connect(served):
    return socket.create_connection((served.host, served.port), timeout=60)


def is_closed(connection):
    """Reads the connection to its end. Returns whether the server closed it."""
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionError:
        pass
    except TimeoutError:
        return False
    return True


def statuses(served, request):
    """The status of each answer to requests that are sent at once, until the end."""
    text = b""
    with connect(served) as connection:
        connection.sendall(request)
        try:
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(1 << 16):
                text += chunk
        except OSError:
            pass  # the server did not read all
    return re.findall(r"^HTTP/1\.1 (\d+)", text.decode(), re.M)


def rude(served):
    """Everything that a client should not do, at once. Others are served meanwhile."""
    kib, descriptors = served.kib(), served.descriptors()
    silent = [connect(served) for _ in range(5)]
    half = connect(served)
    half.sendall(REQUEST[:20])
    half.shutdown(socket.SHUT_WR)
    reads_nothing = connect(served)
    try:
        reads_nothing.settimeout(0.2)
        reads_nothing.sendall(REQUEST * 20000)  # until its buffers are full
    except OSError:
        pass
    for rubbish in (os.urandom(4096), b"\0" * 4096, b"GET " + b"/" * 100000,
                    b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 10000,
                    b"GET /metrics HTTP/9.9\r\n\r\n", b"\r\n" * 5000, b"PRI * HTTP/2.0\r\n\r\n"):
        with connect(served) as connection:
            try:
                connection.sendall(rubbish)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # the server closed it before
            is_closed(connection)
    with connect(served) as connection:
        connection.sendall(REQUEST * 50 + REQUEST.replace(b"\r\n\r\n",
                                                          b"\r\nConnection: close\r\n\r\n"))
        text = b""
        while chunk := connection.recv(1 << 16):
            text += chunk
    for path in "/%00x", "/metrics%00", "/%6detrics", "/%2e/metrics":
        status = served.get(path)[0]
        check(f"{path} is not another path", status == 404, status)
    for headers in (b"Content-Length: 5", b"Content-Length: 0\r\nContent-Length: 5",
                    b"Content-Length: 5\r\nContent-Length: 0", b"Transfer-Encoding: chunked",
                    b"Content-Length: 0\r\nTransfer-Encoding: chunked"):
        answers = statuses(served, REQUEST[:-2] + headers + b"\r\n\r\n" + REQUEST)
        check(f"a request with a body is refused, and the rest not read: {headers}",
              answers in (["413"], ["400"]),
              answers)
    check("51 requests at once get 51 answers", text.count(b"HTTP/1.1 200 OK") == 51,
          text.count(b"HTTP/1.1 200 OK"))
    check("invalid requests do not stop the server", served.get()[0] == 200 and served.goes_on())
    check("a client that sends nothing is disconnected after a while",
          all(is_closed(one) for one in silent))
    check("so is a client that sends half a request", is_closed(half))
    # This side does not read either: else the server would continue to write.
    # With counters by thread, tasks that come and go open and close descriptors.
    if why := skip_reason.system_wide(PMCTOP):
        skip("and a client that sends many requests and reads nothing", why)
    else:
        check("and a client that sends many requests and reads nothing",
              until(lambda: served.descriptors() <= descriptors), served.descriptors())
    for connection in (*silent, half, reads_nothing):
        connection.close()
    check("their memory is freed", served.kib() <= kib + 32768, (kib, served.kib()))


def stopped(served):
    """SIGTERM while ten clients send requests without a pause."""
    done, problems = threading.Event(), []

    def request_until_done():
        while not done.is_set():
            try:
                status, _, text = served.get(accept=OPENMETRICS)
                if status != 200 or not text.endswith("# EOF\n"):
                    problems.append((status, text[-100:]))
            except (OSError, ConnectionError):
                pass
            except Exception as problem:  # the end may cut an answer short
                if not done.is_set() and served.process.poll() is None:
                    problems.append(problem)

    threads = [threading.Thread(target=request_until_done) for _ in range(10)]
    for thread in threads:
        thread.start()
    going = served.goes_on()
    status, printed = served.stop()
    done.set()
    for thread in threads:
        thread.join()
    check("ten clients without a pause get whole answers", going and not problems, problems[:3])
    check("SIGTERM ends it", status == 0, status)
    check("the only line printed is the address",
          not printed and served.stderr.count("\n") == 1, (printed, served.stderr))


def hosts():
    """A page of another site whose name resolves to 127.0.0.1 cannot read the counters."""
    served = Served(*COMMAND, "--listen-name", "one.example", "--listen-name", "two.example")
    ours = [served.get(host=host)[0] for host in
            (f"localhost:{served.port}", socket.gethostname(), "One.Example.", "two.example:80")]
    check("the host's names and those of --listen-name are accepted", ours == [200] * 4, ours)
    status, _, text = served.get(host="evil.example")
    check("another name is refused in one sentence",
          status == 421 and "--listen-name" in text and text.count("\n") == 1, (status, text))
    served.stop()
    everywhere = Served(*COMMAND, listen="0.0.0.0:0")
    everywhere.host = "127.0.0.1"
    check("any name is accepted on addresses other than loopback",
          everywhere.get(host="any.example")[0] == 200)
    everywhere.stop()


def printed_too():
    """Output besides serving, and a command that is counted."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "out.json")
        served = Served(*COMMAND, "--format", "json", "-o", path)
        good = until(lambda: os.path.exists(path) and os.path.getsize(path)) and served.goes_on()
        status, printed = served.stop()
        with open(path, encoding="utf-8") as lines:
            check("-o is written too", good and status == 0 and not printed
                  and lines.readline().startswith('{"schema":"pmctop/1"'), (good, status, printed))
    status, printed, stderr = refused("--listen", ":0", "--", "sh", "-c", "exit 7")
    check("for a command only the summary is printed", status == 7 and "sh" in printed,
          (status, printed, stderr))


def on_a_screen():
    """The title has the address. A terminal that is not read does not delay the counts."""
    port = free_port()
    screen = OnPty([PMCTOP, "-S", "software", "--listen", f":{port}", "0.1"], 120, 30)
    try:
        mark = f"listening on 127.0.0.1:{port}".encode()
        # The colour may change between the words.
        check("the screen has the address",
              screen.read_until(lambda: b"127.0.0.1:%d" % port in screen.output), mark)
        served = Served.__new__(Served)
        served.host, served.port, served.process = "127.0.0.1", port, screen.process
        check("refreshes continue behind a terminal that is not read", served.goes_on(30))
        screen.write(b"q")
        status = screen.wait()
        check("and q ends it", status == 0, status)
    finally:
        screen.close()


def main():
    version = subprocess.run([PMCTOP, "--version"], capture_output=True, text=True,
                             check=True).stdout
    if "without HTTP" in version:
        print("listen_test.py: this pmctop was built without HTTP; skipped", file=sys.stderr)
        sys.exit(77)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY or hard > 2 * CLIENTS:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2 * CLIENTS), hard))
    served = Served(*COMMAND)
    answers(served)
    check_addresses(served)
    crowd(served)
    rude(served)
    stopped(served)
    hosts()
    printed_too()
    on_a_screen()
    finish()


main()
