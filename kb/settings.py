"""The one settings file. What an operator may change comes from the environment, see :data:`kb.env.VARIABLES`."""

from __future__ import annotations

import logging
import mimetypes
import re
import secrets
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from kb.env import EnvironmentReader, ImproperEnvironment, asset_root, is_read_only

env = EnvironmentReader()
ASSETS = asset_root()

# --- Where things are ------------------------------------------------------------------------------------------------
KB_DATA_DIR: Path = env.path("KB_DATA_DIR", default=Path("var"))
KB_INDEX_DIR: Path = env.path("KB_INDEX_DIR", default=KB_DATA_DIR / "index")
KB_BASE_URL: str = env.base_url("KB_BASE_URL")
KB_REPORT_URL: str = env.report_url("KB_REPORT_URL")
KB_SERVER: str = env.base_url("KB_SERVER")
KB_WORKERS: int = env.number("KB_WORKERS", default=2, least=1, most=64)
KB_THREADS: int = env.number("KB_THREADS", default=2, least=1, most=64)
KB_TRUSTED_PROXIES: int = env.number("KB_TRUSTED_PROXIES", default=0, least=0, most=8)
KB_RATE_LIMIT: int = env.number("KB_RATE_LIMIT", default=600, least=0, most=1_000_000)
KB_KEEP_RELEASES: int = env.number("KB_KEEP_RELEASES", default=0, least=0, most=1_000_000)
KB_EXPORT_STREAMS: int = env.number("KB_EXPORT_STREAMS", default=1, least=0, most=1_000)
KB_CACHE_MIB: int = env.number("KB_CACHE_MIB", default=256, least=1, most=65_536)
KB_UPLOAD_MIB: int = env.number("KB_UPLOAD_MIB", default=4_096, least=1, most=1_048_576)
KB_FETCH_HTTP: bool = env.flag("KB_FETCH_HTTP", default=False)
KB_FETCH_PRIVATE: bool = env.flag("KB_FETCH_PRIVATE", default=False)
KB_FETCH_PROXY: str = env.base_url("KB_FETCH_PROXY")
KB_FETCH_CONNECTIONS: int = env.number("KB_FETCH_CONNECTIONS", default=4, least=1, most=32)
KB_FETCH_IDLE_SECONDS: int = env.number("KB_FETCH_IDLE_SECONDS", default=30, least=1, most=3_600)
KB_FETCH_MINUTES: int = env.number("KB_FETCH_MINUTES", default=240, least=1, most=100_000)
KB_FETCH_GIB: int = env.number("KB_FETCH_GIB", default=64, least=1, most=100_000)

# --- Safety ----------------------------------------------------------------------------------------------------------
DEBUG = env.flag("KB_DEBUG", default=False)


def _secret_key() -> str:
    """The configured key, else one made once and kept in the data directory, readable by its owner alone."""
    key = env.text("KB_SECRET_KEY")
    if key:
        return key
    kept = KB_DATA_DIR / "secret-key"
    try:
        if not kept.exists() and is_read_only():
            return secrets.token_urlsafe(64)
        if not kept.exists():
            KB_DATA_DIR.mkdir(parents=True, exist_ok=True)
            new = kept.with_name(f".secret-key-{secrets.token_hex(8)}")
            new.touch(mode=0o600)
            new.write_text(secrets.token_urlsafe(64), encoding="ascii")
            try:
                kept.hardlink_to(new)  # the first process to come wins, the others read its key
            except FileExistsError:
                pass
            finally:
                new.unlink()
        return kept.read_text(encoding="ascii").strip()
    except OSError as error:
        message = f"No KB_SECRET_KEY is set and none can be kept in {KB_DATA_DIR}: {error}."
        raise ImproperEnvironment(message) from error


SECRET_KEY = _secret_key()
_base_host = KB_BASE_URL.split("://", 1)[-1].split("/", 1)[0].rsplit(":", 1)[0] if KB_BASE_URL else ""
ALLOWED_HOSTS = [
    *env.names("KB_ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]")),
    *([_base_host] if _base_host else []),
]
CSRF_TRUSTED_ORIGINS = [KB_BASE_URL] if KB_BASE_URL.startswith("https://") else []
_https = KB_BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if KB_TRUSTED_PROXIES else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # decisions 17
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200

CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "img-src": [SELF, "data:"],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# --- Applications ----------------------------------------------------------------------------------------------------
ROOT_URLCONF = "kb.urls"
WSGI_APPLICATION = "kb.wsgi.application"
# Without rest_framework: the API needs none of its templates, tables and static files.
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "django_tasks",
    "django_tasks_db",
    "kb",
    "kb.catalog",
    "kb.web",
    "kb.api",
    "kb.cli",
]
MIDDLEWARE = [
    "kb.web.middleware.HeadMiddleware",  # first, so that no answer passes by
    "kb.web.middleware.HealthMiddleware",  # before the host check: probes come by address
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "kb.api.middleware.ApiMiddleware",  # outside of all that can refuse: its answers are problem documents
    "kb.web.middleware.EdgeMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "kb.web.middleware.AnonymousMiddleware",  # before all that reads a cookie
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database --------------------------------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # a release that was reported is still there after a power loss; commits are few
    "PRAGMA secure_delete=OFF",  # Debian's SQLite overwrites what it deletes, as much work as writing it
    "PRAGMA foreign_keys=ON",
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA mmap_size=268435456",
    "PRAGMA cache_size=-16384",
    "PRAGMA temp_store=MEMORY",
)


def _database() -> dict[str, Any]:
    """Django's connection settings for ``KB_DATABASE_URL``. Raises ``ImproperEnvironment`` for any third kind."""
    address = env.text("KB_DATABASE_URL") or f"sqlite:///{KB_DATA_DIR / 'catalog.sqlite3'}"
    scheme = address.split(":", 1)[0]
    if scheme not in {"sqlite", "postgresql", "postgres"}:
        message = "KB_DATABASE_URL must begin with postgresql:// or sqlite:///."
        raise ImproperEnvironment(message)
    parsed: dict[str, Any] = dict(dj_database_url.parse(address))
    options = parsed.setdefault("OPTIONS", {})
    if scheme == "sqlite":
        options.update(transaction_mode="IMMEDIATE", timeout=20, init_command=";".join(_SQLITE_PRAGMAS))
    else:
        options.setdefault("pool", {"min_size": 1, "max_size": KB_THREADS + 2, "timeout": 5})
    # Without the check every pooled connection fails one request after the server was restarted.
    parsed.update(CONN_MAX_AGE=0, CONN_HEALTH_CHECKS=True, ATOMIC_REQUESTS=False)
    return parsed


DATABASES = {"default": _database()}
if DATABASES["default"]["ENGINE"].endswith("sqlite3") and not is_read_only():
    try:
        Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"The directory of the database cannot be made: {error}."
        raise ImproperEnvironment(message) from error

# --- Static files ----------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = KB_DATA_DIR / "static"
STATICFILES_DIRS = [ASSETS / "static"]
STATICFILES_FINDERS = [
    "kb.web.stylesheet.StylesheetFinder",
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_MAX_AGE = 3600
WHITENOISE_MIMETYPES = {".speculationrules": "application/speculationrules+json"}
mimetypes.add_type("application/speculationrules+json", ".speculationrules")  # for Django's own servers

# --- Language and time -----------------------------------------------------------------------------------------------
# Pages speak KB_LANGUAGE where they ask for it (kb.present.language), and nothing else does: programs read English.
LOCALE_PATHS = [KB_DATA_DIR / "locale"]  # languages that an operator brings along
KB_LANGUAGE: str = env.language("KB_LANGUAGE", catalogs=[Path(__file__).with_name("locale"), *LOCALE_PATHS])
LANGUAGE_CODE = "en"
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True
APPEND_SLASH = True

# --- Caching: one small cache a process, for rate limits -------------------------------------------------------------
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 20_000}}}

# --- Queued imports, run by "faultbook worker" ------------------------------------------------------------------------
TASKS: dict[str, Any] = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["imports"]}}

# --- Logging: standard error, no request bodies, no query strings ----------------------------------------------------


def _without_traceback(record: logging.LogRecord) -> bool:
    """A request that is refused, for a foreign host name say, is the client's doing: one line tells it."""
    record.exc_info = None
    return True


def _without_query(record: logging.LogRecord) -> bool:
    """The development server logs the line of a request; what was asked may be a pasted text, so it is left out."""
    if isinstance(record.args, tuple):
        record.args = tuple(re.sub(r"\?\S*", "?…", entry) if isinstance(entry, str) else entry for entry in record.args)
    return True


def _without_arguments(record: logging.LogRecord) -> bool:
    """The library of MCP gives handlers what a tool was asked, which may be a pasted text, and the request with it."""
    for name in ("arguments", "request"):
        record.__dict__.pop(name, None)
    return True


LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {
        "without-traceback": {"()": "django.utils.log.CallbackFilter", "callback": _without_traceback},
        "without-arguments": {"()": "django.utils.log.CallbackFilter", "callback": _without_arguments},
        "without-query": {"()": "django.utils.log.CallbackFilter", "callback": _without_query},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
        "refusals": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["without-traceback"]},
    },
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("KB_LOG_LEVEL", default="INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR")),
    },
    "loggers": {
        "django.server": {"handlers": ["stderr"], "filters": ["without-query"], "propagate": False},
        "django.request": {"level": "ERROR"},
        "django_mcpz.calls": {"filters": ["without-arguments"]},
        "psycopg": {"level": "ERROR"},  # what fails reaches us as an exception
        "django.security": {"handlers": ["refusals"], "propagate": False},
    },
}

# --- REST ------------------------------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "kb.api.problems.exception_handler",
    "NUM_PROXIES": KB_TRUSTED_PROXIES,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Faultbook API",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["kb.api.schema.complete"],
}
