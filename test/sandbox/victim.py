"""A bystander on the host. It holds the secret in its environment, behind sockets and in shared memory. argv: FACTS, as JSON."""
import ctypes, json, os, signal, socket, sys, threading

FACTS = json.loads(sys.argv[1])
SECRET = os.environ["SECRET"].encode()

libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
number = libc.shmget(FACTS["key"], 64, 0o1666)
ctypes.memmove(libc.shmat(number, 0, 0), SECRET, len(SECRET))

queue = libc.msgget(FACTS["key"], 0o1666)
libc.msgsnd(queue, ctypes.create_string_buffer((1).to_bytes(8, "little") + SECRET), len(SECRET), 0)
librt = ctypes.CDLL("librt.so.1")
posix = librt.mq_open(b"/" + FACTS["marker"].encode(), 0o102, 0o666, None)
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind(FACTS["datagrams"])
os.chmod(FACTS["datagrams"], 0o777)


def serve(kind, address):
    server = socket.socket(kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(address)
    if kind == socket.AF_UNIX and address[0] != "\0":
        os.chmod(address, 0o777)
    server.listen(8)

    def answer():
        while True:
            one, _ = server.accept()
            try:
                one.sendall(SECRET)
            except OSError:
                pass
            one.close()

    threading.Thread(target=answer, daemon=True).start()
    return server


first = serve(socket.AF_INET, ("127.0.0.1", 0))
port = first.getsockname()[1]
try:
    serve(socket.AF_INET6, ("::1", port))
except OSError:
    pass
serve(socket.AF_UNIX, FACTS["socket"])
serve(socket.AF_UNIX, "\0" + FACTS["marker"])
signal.signal(signal.SIGURG, lambda *_: open(FACTS["marker"], "w").close())
print(port, flush=True)
try:
    sys.stdin.read()
finally:
    libc.shmctl(number, 0, 0)
    libc.msgctl(queue, 0, 0)
    librt.mq_unlink(b"/" + FACTS["marker"].encode())
