"""Settings: read from the environment, secrets also from files named by *_FILE, odd values refused at start."""

from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from sla.schedule import SCHEDULE

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()
# `make run` leaves what it chose here, so that a bare `python manage.py …` in a checkout finds the same database.
if (BASE_DIR / "var" / "env").is_file():
    env.read_env(BASE_DIR / "var" / "env")

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="").strip()  # files end with a newline
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set: put 50 random characters in SECRET_KEY, or a file in SECRET_KEY_FILE"
    )
# After a new SECRET_KEY: the old ones, which still open what was sealed and check what was signed with them.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
BASE_URL = env.str("BASE_URL", default="http://127.0.0.1:8000").rstrip("/")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[BASE_URL])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "sla.web.collected.StaticFiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "ninja",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "sla.accounts",
    "sla.fleet",
    "sla.contracts",
    "sla.telemetry",
    "sla.probes",
    "sla.scoring",
    "sla.neighbours",
    "sla.incidents",
    "sla.notifications",
    "sla.reports",
    "sla.demo",
    "sla.api",
    "sla.web",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "sla.web.csp.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # a list of disks shrinks to a seventh; pads against BREACH
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "sla.web.reader_language.ReaderLanguage",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "sla.web.unavailable.DatabaseAway",
]
ROOT_URLCONF = "sla.urls"
WSGI_APPLICATION = "sla.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "sla.web.context.page",
            ]
        },
    }
]

DATABASE_URL = env.str("DATABASE_URL", default="postgres://postgres@127.0.0.1:5432/plimsoll").strip()
DATABASES = {"default": env.db_url_config(DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = 600  # a connection costs PostgreSQL a process: keep it for ten minutes
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"].setdefault("OPTIONS", {})["connect_timeout"] = (
    5  # a database that is away becomes a 503, not a hang
)
if test_name := env.str("TEST_DATABASE_NAME", default=""):
    DATABASES["default"]["TEST"] = {"NAME": test_name}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0").strip()
CACHES = {
    "default": {
        "BACKEND": "sla.accounts.cache.ForgivingRedis",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "plimsoll",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},  # a login waits no longer for a count
    }
}
CELERY_BROKER_URL = env.str("BROKER_URL", default=REDIS_URL.replace("unix://", "redis+socket://"))
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = SCHEDULE
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

# Mail: EMAIL_URL (smtp+tls://user:password@host:587, smtp+ssl://…:465, smtp://…) or the variables one by one.
EMAIL_HOST = env.str("EMAIL_HOST", default="")
EMAIL_PORT = env.int("EMAIL_PORT", default=587)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", default="").rstrip("\n")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)  # STARTTLS
EMAIL_USE_SSL = env.bool("EMAIL_USE_SSL", default=False)  # TLS from the first byte
if email_url := env.str("EMAIL_URL", default="").strip():
    globals().update(env.email_url_config(email_url))
if EMAIL_USE_TLS and EMAIL_USE_SSL:
    raise ImproperlyConfigured("EMAIL_USE_TLS (STARTTLS) and EMAIL_USE_SSL are both set: one of them")
EMAIL_CA_FILE = env.str("EMAIL_CA_FILE", default="")  # of a mail server with a private authority
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'dummy'}.EmailBackend"
# Of each answer: a server that takes longer is down for us; with ten steps a mail it never keeps a worker for minutes.
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT", default=10)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str("MAIL_FROM", default=f"Plimsoll <plimsoll@{urlsplit(BASE_URL).hostname}>")
# HTML and chart of a sent mail are 40 KB: a year of a busy house would be gigabytes that nobody opens.
LETTERS_KEEP_DAYS = env.int("LETTERS_KEEP_DAYS", default=90)
# Webhooks reach public addresses only, and these networks.
WEBHOOK_NETWORKS = env.list("WEBHOOK_NETWORKS", default=[])
# Message services that people may name beside the well-known ones, by Apprise's schema (matrixs, mmosts, …).
APPRISE_SERVICES = env.list("APPRISE_SERVICES", default=[])

AUTH_USER_MODEL = "accounts.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
ACCOUNT_ADAPTER = "sla.web.people.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_EMAIL_VERIFICATION = "none"  # an address is proved by the invitation that came to it
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Plimsoll: "
ACCOUNT_SESSION_REMEMBER = True
# Only failures are throttled, by `sla.accounts.throttle`. `login_failed` is left for codes of second factors: five
# wrong ones in five minutes are 1,440 a day, of a million.
ACCOUNT_RATE_LIMITS = {"login": None, "login_failed": "5/5m/key"}
MFA_ADAPTER = "sla.web.people.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody can sign up by themselves
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BASE_URL.startswith("https://")
SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=0)
SECURE_REFERRER_POLICY = "same-origin"
BEHIND_TLS_PROXY = env.bool("BEHIND_TLS_PROXY", default=False)
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# How many proxies of ours add to X-Forwarded-For: what stands further left in it was written by whoever asked.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=int(BEHIND_TLS_PROXY))

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français"), ("ja", "日本語"), ("ru", "Русский")]
TIME_ZONE = "UTC"
USE_I18N = USE_TZ = True
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "sla.web.static.UsedNodeFiles",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "sla.web.static.HashedFiles"},
}
NODE_PACKAGE_JSON = BASE_DIR / "package.json"
NODE_MODULES_ROOT = BASE_DIR / "node_modules"

# 4 MiB is about 500 minutes as JSON and 3,000 packed: an agent that comes back after a day needs a handful of turns.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20
INGEST_MAX_BYTES = 4 * 2**20
INGEST_MAX_FRAMES = 1_000
INGEST_MAX_FUTURE_S = 120
# Never under 10: a spool may be a week late and a period closes 72 h after its end.
FRAMES_KEEP_DAYS = env.int("FRAMES_KEEP_DAYS", default=35)
SLOTS_KEEP_DAYS = env.int("SLOTS_KEEP_DAYS", default=400)
HOURS_KEEP_DAYS = env.int("HOURS_KEEP_DAYS", default=5 * 366)
# A PEM file with the Ed25519 key that signs statements; without one keys lie in the database, encrypted by SECRET_KEY.
STATEMENT_KEY_FILE = env.str("STATEMENT_KEY_FILE", default="").strip()
if FRAMES_KEEP_DAYS < 10:
    raise ImproperlyConfigured(
        f"FRAMES_KEEP_DAYS is {FRAMES_KEEP_DAYS}: it must be 10 or more, a spool may be a week late"
    )

# Asked every half minute as long as all is well, so that somebody outside notices when we are not.
HEARTBEAT_URL = env.str("HEARTBEAT_URL", default="").strip()
if HEARTBEAT_URL and not (urlsplit(HEARTBEAT_URL).scheme in ("http", "https") and urlsplit(HEARTBEAT_URL).hostname):
    raise ImproperlyConfigured(
        f"HEARTBEAT_URL begins with {HEARTBEAT_URL.partition(':')[0][:20]!r}: it must be https://… or http://…"
    )

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
}
