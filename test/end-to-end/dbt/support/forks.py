"""Runs Python programs in forks of one process that has dbt ready: in half of the time, and no fork knows of another.

Called with a folder, it is that process, until its standard input ends. With a program too, it has that process run it.
"""

import gc
import json
import os
import runpy
import select
import shutil
import socket
import sys
import time

folder, *program = sys.argv[1:]
server = socket.socket(socket.AF_UNIX)
if program:
    until = time.monotonic() + 20  # It may be starting.
    while server.connect_ex(f"{folder}/socket") and time.monotonic() < until:
        time.sleep(0.05)
    socket.send_fds(server, [b"-"], [0, 1, 2])
    server.sendall(json.dumps([program, os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(3) or 1))
server.bind(f"{folder}/socket")
server.listen()

import dbt.deprecations
from dbt.cli.main import dbtRunner

# Parses the package, since dbt makes codecs and schemas when it first needs them. No fork has another thread, and to
# import duckdb starts one, so the folder's profile is of PostgreSQL.
places = [f"--{place}={folder}" for place in ("profiles-dir", "target-path", "log-path")]
parsed = dbtRunner().invoke(["--quiet", "parse", f"--project-dir={os.path.dirname(__file__)}/../../../../dbt", *places])
assert parsed.success and len(os.listdir("/proc/self/task")) == 1, parsed.exception
dbt.deprecations.reset_deprecations()  # so that each fork warns again
gc.freeze()
gc.disable()

while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
    with server.accept()[0] as caller:
        files = socket.recv_fds(caller, 1, 3)[1]
        program, place, environment = json.load(caller.makefile())
        child = os.fork()
        if child == 0:
            for number, file in enumerate(files):
                os.dup2(file, number)
            os.chdir(place)
            os.environ.update(environment)
            sys.argv = program
            runpy.run_path(program[0], run_name="__main__")
            sys.exit()
        for file in files:
            os.close(file)
        caller.send(b"%d" % (os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255))
shutil.rmtree(folder)
