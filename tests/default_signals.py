# SPDX-License-Identifier: MIT
"""Default signal handling for the programs that a test starts.

A shell starts a background job with SIGINT ignored, and the job's children inherit that."""
import signal


def pass_default_signals():
    """Programs that this process starts from now on have default signal handling and no blocked
    signal. The process itself continues to ignore an ignored signal: exec() passes SIG_IGN on, but
    resets a handler, even one that does nothing."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals():
        # Python ignores these two, and resets them in its children.
        if (signal.getsignal(number) == signal.SIG_IGN
                and number not in (signal.SIGPIPE, signal.SIGXFSZ)):
            signal.signal(number, lambda *_: None)
