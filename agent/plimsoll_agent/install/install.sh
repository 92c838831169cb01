#!/bin/sh
# Installs, upgrades or removes the Plimsoll disk agent.
#
#   curl -fsS @URL@/agent/install.sh | sudo PLIMSOLL_KEY=... sh
#   ... | sudo sh -s -- --uninstall
#
# It needs Python 3.9 or newer and nothing else. It fetches one file from the server, whose SHA-256 stands below, and puts
#   /opt/plimsoll-agent          the program
#   /usr/local/bin/plimsoll-agent
#   /etc/plimsoll/agent.conf     settings and, beside them, the enrolment key
#   /var/lib/plimsoll-agent      its token and what waits to be sent
# and a service of a user of its own, plimsoll-agent (systemd or OpenRC). Run again, it upgrades and keeps the settings.
set -eu

URL='@URL@'
SHA256='@SHA256@'
VERSION='@VERSION@'
KEY=${PLIMSOLL_KEY:-}
ROOT=
INIT=
EBPF=no
START=yes
ACTION=install
NAME=plimsoll-agent

say() { printf '%s\n' "$NAME: $*"; }
fail() { printf '%s\n' "$NAME: $*" >&2; exit 1; }

usage() {
	cat <<-END
	Options:
	  --key KEY        enrolment key (or PLIMSOLL_KEY in the environment)
	  --url URL        the server ($URL)
	  --ebpf           let the agent time each I/O in the kernel (two capabilities; systemd only)
	  --no-start       install, but do not start
	  --init NAME      systemd, openrc or none; found by itself
	  --root DIR       install below DIR: no user is made and nothing is started
	  --uninstall      remove the program and its service; settings and spool stay
	  --purge          remove those too
	END
}

arguments() {
	while [ $# -gt 0 ]; do
		case $1 in
		--key | --url | --root | --init)
			[ $# -ge 2 ] || fail "$1 needs a value"
			case $1 in
			--key) KEY=$2 ;;
			--url) URL=${2%/} ;;
			--root) ROOT=${2%/} ;;
			--init) INIT=$2 ;;
			esac
			shift
			;;
		--ebpf) EBPF=yes ;;
		--no-start) START=no ;;
		--uninstall) ACTION=uninstall ;;
		--purge) ACTION=purge ;;
		--help | -h) usage; exit 0 ;;
		*) usage >&2; fail "unknown option $1" ;;
		esac
		shift
	done
	if [ -n "$ROOT" ]; then START=no; fi
	if [ -z "$ROOT" ] && [ "$(id -u)" != 0 ]; then fail "run this as root, for instance with sudo"; fi
	if [ -z "$INIT" ]; then
		INIT=none
		if [ -d /run/systemd/system ]; then INIT=systemd; elif command -v rc-service >/dev/null 2>&1; then INIT=openrc; fi
	fi
	case $INIT in systemd | openrc | none) ;; *) fail "--init must be systemd, openrc or none, not $INIT" ;; esac
	LIB=$ROOT/opt/$NAME/lib
	ETC=$ROOT/etc/plimsoll
	STATE=$ROOT/var/lib/$NAME
	BIN=$ROOT/usr/local/bin/$NAME
	UNIT=$ROOT/etc/systemd/system/$NAME.service
	RC=$ROOT/etc/init.d/$NAME
}

find_python() {
	for PYTHON in python3 python3.13 python3.12 python3.11 python3.10 python3.9; do
		PYTHON=$(command -v "$PYTHON" 2>/dev/null) || continue
		if "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then return 0; fi
	done
	fail "Python 3.9 or newer is needed: apt-get install python3, dnf install python3.11, apk add python3"
}

fetch() {
	say "fetching version $VERSION from $URL"
	if command -v curl >/dev/null 2>&1; then
		curl -fsS --max-time 120 -o "$2" "$1" || fail "cannot fetch $1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -T 120 -O "$2" "$1" || fail "cannot fetch $1"
	else
		fail "neither curl nor wget is here"
	fi
}

verify() {
	found=$("$PYTHON" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$1")
	[ "$found" = "$SHA256" ] || fail "what came has SHA-256 $found, not $SHA256: nothing is installed"
}

make_user() {
	if [ -n "$ROOT" ] || id "$NAME" >/dev/null 2>&1; then return 0; fi
	if command -v useradd >/dev/null 2>&1; then
		useradd --system --user-group --home-dir "/var/lib/$NAME" --no-create-home --shell /sbin/nologin "$NAME"
	else
		addgroup -S "$NAME"
		adduser -S -D -H -h "/var/lib/$NAME" -s /sbin/nologin -G "$NAME" "$NAME"
	fi
	say "user $NAME is made"
}

own() { if [ -z "$ROOT" ]; then chown "$@"; fi; }

put_program() {
	mkdir -p "${LIB%/lib}" "${BIN%/*}"
	rm -rf "$LIB.new" "$LIB.old"
	"$PYTHON" -m zipfile -e "$1" "$LIB.new"
	"$PYTHON" -m compileall -q "$LIB.new/plimsoll_agent" >/dev/null
	chmod -R u=rwX,go=rX "$LIB.new"
	if [ -d "$LIB" ]; then mv "$LIB" "$LIB.old"; fi
	mv "$LIB.new" "$LIB"
	rm -rf "$LIB.old"
	printf '#!/bin/sh\nexec %s /opt/%s/lib "$@"\n' "$PYTHON" "$NAME" >"$BIN.new"
	chmod 755 "$BIN.new"
	mv "$BIN.new" "$BIN"
}

put_settings() {
	mkdir -p "$ETC" "$STATE"
	chmod 700 "$STATE"
	own "$NAME:$NAME" "$STATE"
	if [ -n "$KEY" ]; then
		(umask 077 && printf '%s\n' "$KEY" >"$ETC/key.new")
		own "root:$NAME" "$ETC/key.new"
		chmod 640 "$ETC/key.new"
		mv "$ETC/key.new" "$ETC/key"
	fi
	if [ ! -e "$ETC/agent.conf" ]; then
		printf '# Settings of the Plimsoll agent; plimsoll-agent --help names them all.\nurl = %s\nkey_file = /etc/plimsoll/key\n' \
			"$URL" >"$ETC/agent.conf"
		chmod 644 "$ETC/agent.conf"
	fi
	if [ ! -e "$ETC/key" ] && [ ! -e "$STATE/token" ]; then
		say "no enrolment key was given: write one into /etc/plimsoll/key"
	fi
}

put_service() {
	files=$LIB/plimsoll_agent/install
	case $INIT in
	systemd)
		mkdir -p "${UNIT%/*}"
		cp "$files/$NAME.service" "$UNIT"
		if [ "$EBPF" = yes ]; then
			mkdir -p "$UNIT.d"
			cp "$files/ebpf.conf" "$UNIT.d/ebpf.conf"
		fi
		;;
	openrc)
		mkdir -p "${RC%/*}"
		cp "$files/$NAME.openrc" "$RC"
		chmod 755 "$RC"
		if [ "$EBPF" = yes ]; then say "--ebpf is for systemd: this service gets no capabilities"; fi
		;;
	none) say "no service manager is known here: start '$NAME run' yourself" ;;
	esac
}

start() {
	if [ "$START" = no ]; then return 0; fi
	case $INIT in
	systemd)
		systemctl daemon-reload
		systemctl enable --quiet "$NAME"
		systemctl restart "$NAME"
		say "started; 'journalctl -u $NAME' shows its log"
		;;
	openrc)
		rc-update add "$NAME" default >/dev/null
		rc-service "$NAME" restart
		;;
	esac
}

install() {
	find_python
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	fetch "$URL/agent/plimsoll-agent.pyz" "$scratch/plimsoll-agent.pyz"
	verify "$scratch/plimsoll-agent.pyz"
	make_user
	put_program "$scratch/plimsoll-agent.pyz"
	put_settings
	put_service
	start
	say "version $VERSION is installed; '$NAME doctor' says how it is"
}

uninstall() {
	if [ -z "$ROOT" ]; then
		case $INIT in
		systemd) systemctl disable --now --quiet "$NAME" 2>/dev/null || true ;;
		openrc)
			rc-service "$NAME" stop 2>/dev/null || true
			rc-update del "$NAME" default >/dev/null 2>&1 || true
			;;
		esac
	fi
	rm -rf "${LIB%/lib}" "$UNIT.d"
	rm -f "$BIN" "$UNIT" "$RC"
	if [ -z "$ROOT" ] && [ "$INIT" = systemd ]; then systemctl daemon-reload; fi
	if [ "$ACTION" = purge ]; then
		rm -rf "$STATE"
		rm -f "$ETC/agent.conf" "$ETC/key"
		rmdir "$ETC" 2>/dev/null || true
		if [ -z "$ROOT" ]; then userdel "$NAME" 2>/dev/null || deluser "$NAME" 2>/dev/null || true; fi
		say "removed, settings and spool too"
	else
		say "removed; settings in /etc/plimsoll and the spool in /var/lib/$NAME stay (--purge removes them)"
	fi
}

main() {
	arguments "$@"
	case $ACTION in install) install ;; *) uninstall ;; esac
}

# The last line: a download that was cut short does nothing.
main "$@"
