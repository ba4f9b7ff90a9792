# SPDX-License-Identifier: MIT
"""A shell starts a background job with SIGINT ignored, and whatever the job starts ignores it too."""
import signal


def pass_default_signals():
    """What this process starts from now on has default signal handling, and no blocked signal. An
    ignored signal stays ignored here: exec() hands SIG_IGN down, but resets a handler, even one that
    does nothing."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals():
        # Python itself ignores these, and restores them where it starts a program.
        if (signal.getsignal(number) == signal.SIG_IGN
                and number not in (signal.SIGPIPE, signal.SIGXFSZ)):
            signal.signal(number, lambda *_: None)
