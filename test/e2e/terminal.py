"""Runs a command on a pseudo-terminal and plays a person: argv[1] is JSON {command, cwd, env, steps: [[wait for, type]]}.
Prints JSON {screen, code}."""
import json, os, pty, select, sys, time

job = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["cwd"])
    os.execvpe(job["command"][0], job["command"], job["env"])

screen, seen, steps, deadline = "", 0, list(job["steps"]), time.time() + 20
while time.time() < deadline:
    readable, _, _ = select.select([terminal], [], [], 0.1)
    if readable:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        screen += data.decode("utf-8", "replace")
    if steps and steps[0][0] in screen[seen:]:
        seen = len(screen)
        os.write(terminal, steps.pop(0)[1].encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({"screen": screen, "code": os.waitstatus_to_exitcode(status)}))
