"""The C library as ctypes sees it: where it is, its functions, its errors."""

import ctypes
import os

_NAME = "libdarner.so.0"


class Error(Exception):
    """A mistake in the input, or a run that could not end.

    kind     "input", "file", "memory", "stalled" or "interrupted"
    file     where the mistake stands; None when it stands in no file
    line, column   counted from 1; 0 without a file
    """

    def __init__(self, message, kind="input", file=None, line=0, column=0):
        super().__init__(message)
        self.kind, self.file, self.line, self.column = kind, file, line, column


KINDS = {1: "input", 2: "file", 3: "memory", 4: "stalled", 5: "interrupted"}
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t,
                            ctypes.c_double)


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("engine", ctypes.c_char_p),
                ("threads", ctypes.c_uint), ("links", ctypes.c_uint), ("progress", PROGRESS),
                ("progress_data", ctypes.c_void_p)]


_POINTER, _TEXT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_ERROR = ctypes.POINTER(_POINTER)
_TEXTS = ctypes.POINTER(_TEXT)
_FUNCTIONS = {  # name: what it returns, what it takes
    "version": (_TEXT, []),
    "error_message": (_TEXT, [_POINTER]),
    "error_get_code": (ctypes.c_int, [_POINTER]),
    "error_file": (_TEXT, [_POINTER]),
    "error_line": (ctypes.c_uint, [_POINTER]),
    "error_column": (ctypes.c_uint, [_POINTER]),
    "error_free": (None, [_POINTER]),
    "machine_load": (_POINTER, [_TEXT, ctypes.c_uint, _ERROR]),
    "machine_free": (None, [_POINTER]),
    "machine_name": (_TEXT, [_POINTER]),
    "machine_description": (_TEXT, [_POINTER]),
    "machine_count": (ctypes.c_uint64, [_POINTER, ctypes.c_int]),
    "machine_links": (_POINTER, [_POINTER]),
    "spec_load": (_POINTER, [_TEXT, _TEXTS, _ERROR]),
    "spec_parse": (_POINTER, [_TEXT, _TEXT, _TEXTS, _ERROR]),
    "spec_points": (_SIZE, [_POINTER]),
    "spec_swept_keys": (_SIZE, [_POINTER]),
    "spec_swept_key": (_TEXT, [_POINTER, _SIZE]),
    "spec_free": (None, [_POINTER]),
    "run": (_POINTER, [_POINTER, ctypes.POINTER(Options), _ERROR]),
    "result_table": (_POINTER, [_POINTER, _TEXT]),
    "result_summary": (_TEXT, [_POINTER]),
    "result_free": (None, [_POINTER]),
    "table_rows": (_SIZE, [_POINTER]),
    "table_columns": (_SIZE, [_POINTER]),
    "table_name": (_TEXT, [_POINTER, _SIZE]),
    "table_is_number": (ctypes.c_int, [_POINTER, _SIZE]),
    "table_number": (ctypes.c_double, [_POINTER, _SIZE, _SIZE]),
    "table_text": (_TEXT, [_POINTER, _SIZE, _SIZE]),
    "table_free": (None, [_POINTER]),
}


def _load():
    path = os.environ.get("DARNER_LIBRARY", _NAME)
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(f"cannot load {path}: {problem}; install Darner, or set DARNER_LIBRARY "
                          f"to the path of {_NAME}") from None
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "darner_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def call(name, *arguments):
    return getattr(_library, "darner_" + name)(*arguments)


def call_checked(name, *arguments):
    """Calls a function whose last argument is the error; raises Error where it returns NULL."""
    error = _POINTER()
    result = call(name, *arguments, ctypes.byref(error))
    if result is not None:
        return result
    file = call("error_file", error)
    problem = Error(call("error_message", error).decode(errors="backslashreplace"),
                    KINDS.get(call("error_get_code", error), "input"),
                    os.fsdecode(file) if file is not None else None, call("error_line", error),
                    call("error_column", error))
    call("error_free", error)
    raise problem


def text(value):
    """UTF-8 of a string. To C it would end at a NUL, so that what follows would be lost."""
    if "\0" in value:
        raise ValueError(f"a NUL character in {value[:60]!r}")
    return value.encode()


def texts(values):
    """A list of strings, ended by NULL, as the library takes them."""
    return (_TEXT * (len(values) + 1))(*map(text, values), None)


def count(name, value, most=2**32 - 1):
    """A whole number that C takes as it is: ctypes would cut off its upper bits."""
    if not 0 <= value <= most:
        raise ValueError(f"{name} {value}; allowed: 0 to {most}")
    return value


def version():
    """Version of the library, "MAJOR.MINOR.PATCH"."""
    return call("version").decode()
