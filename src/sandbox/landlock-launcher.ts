/**
 * The program that confines itself and then becomes the code: Python, since that is there anyway. A parent stays outside
 * to collect what the code leaves behind: without a namespace of processes nobody else would.
 *
 * Exit code 125: it cannot be done. Descriptor 3 has the JSON of a `LandlockPlan`.
 */
export const LANDLOCK_LAUNCHER = `
import ctypes, json, os, resource, signal, struct, sys, time

with os.fdopen(3) as file:
    plan = json.load(file)
libc = ctypes.CDLL(None, use_errno=True)
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
SECCOMP = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
SET_PDEATHSIG, SET_NO_NEW_PRIVS, SET_CHILD_SUBREAPER = 1, 38, 36

READ_FILE, READ_DIR, EXECUTE, WRITE_FILE, TRUNCATE = 1 << 2, 1 << 3, 1 << 0, 1 << 1, 1 << 14
LOOK = EXECUTE | READ_FILE | READ_DIR
REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, MAKE_SYM, REFER = 1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 12, 1 << 13
CHANGE = LOOK | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | REFER
OF_FILES = EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE
KINDS = {"list": READ_DIR, "look": LOOK, "change": CHANGE, "device": READ_FILE | WRITE_FILE}

def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def prctl(option, value):
    if libc.prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")

def confine_files():
    version = libc.syscall(CREATE_RULESET, None, 0, 1)
    if version < 1:
        sys.exit(125)
    handled = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        if version >= since:
            handled |= 1 << bit
    sockets = 3 if version >= 4 else 0
    scopes = 3 if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("<QQQ", handled, sockets, scopes), 24)
    ruleset = call(CREATE_RULESET, attributes, size, 0)
    for kind, path in plan["paths"]:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        access = KINDS[kind] & handled
        if not os.path.isdir(path):
            access &= OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("<Qi", access, place), 12)
        call(ADD_RULE, ruleset, 1, rule, 0)
        os.close(place)
    call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)

def confine_calls():
    program = bytes.fromhex(plan["filter"])
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]
    steps = ctypes.create_string_buffer(program, len(program))
    call(SECCOMP, 1, 0, ctypes.byref(Program(len(program) // 8, ctypes.addressof(steps))))

def become():
    prctl(SET_PDEATHSIG, signal.SIGKILL)
    for name, value in plan["limits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    if plan["uid"] is not None:
        os.setgroups([])
        os.setresgid(plan["uid"], plan["uid"], plan["uid"])
        os.setresuid(plan["uid"], plan["uid"], plan["uid"])
        prctl(SET_PDEATHSIG, signal.SIGKILL)
    prctl(SET_NO_NEW_PRIVS, 1)
    os.chdir(plan["cwd"])
    confine_files()
    confine_calls()
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_DFL)
        except (OSError, ValueError):
            pass
    os.execve(plan["command"], [plan["command"], *plan["args"]], plan["env"])

def collect(until):
    "Ends whatever is left: all of it hangs on this process."
    while time.monotonic() < until:
        for task in os.listdir("/proc/self/task"):
            try:
                with open("/proc/self/task/%s/children" % task) as file:
                    children = file.read().split()
            except OSError:
                children = []
            for child in children:
                try:
                    os.kill(int(child), signal.SIGKILL)
                except OSError:
                    pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)

prctl(SET_CHILD_SUBREAPER, 1)
child = os.fork()
if child == 0:
    try:
        become()
    except SystemExit:
        raise
    except BaseException as error:
        sys.stderr.write("The sandbox could not be set up: %s\\n" % error)
    finally:
        os._exit(125)

def hang_up(number, frame):
    "The caller is gone."
    collect(time.monotonic() + 2)
    os._exit(128 + number)

prctl(SET_PDEATHSIG, signal.SIGHUP)
signal.signal(signal.SIGHUP, hang_up)
status = None
while status is None:
    done, result = os.waitpid(-1, 0)
    if done == child:
        status = result
collect(time.monotonic() + 2)
if os.WIFSIGNALED(status):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
`;
