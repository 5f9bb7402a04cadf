#!/usr/bin/env bash
# Bring .venv to what requirements/dev.txt pins, with Seihon itself installed in place.
# Returns at once when nothing has changed since the last time. PYTHON=... names the interpreter to use.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
stamp=$venv/.ready

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

fits() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

find_python() {
  local candidate
  for candidate in ${PYTHON:-python3 python3.11 python3.12 python3.13 python3.14}; do
    if fits "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  fail "Python 3.11 or newer is needed; name one with PYTHON=/path/to/python make setup."
}

# The folder is part of the state: a virtual environment that was moved does not work.
state() {
  pwd
  cksum requirements/dev.txt requirements/uv.txt pyproject.toml scripts/setup.sh
}

is_ready() {
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(state)" ] && "$venv/bin/python" -c '' 2> /dev/null
}

create_venv() {
  local python
  python=$(find_python)
  if "$python" -c 'import ensurepip, venv' 2> /dev/null; then
    "$python" -m venv --clear "$venv"
  elif command -v uv > /dev/null; then
    uv venv --quiet --clear --seed --python "$python" "$venv"
  else
    fail "this Python has no venv module with pip; on Debian and Ubuntu: apt-get install python3-venv."
  fi
}

install_pins() {
  local python=$venv/bin/python
  if ! [ -x "$venv/bin/uv" ]; then
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
  fi
  # An address that only pip was told of is unknown to uv; pip takes the same pins, only more slowly.
  "$venv/bin/uv" pip install --quiet --python "$python" --require-hashes -r requirements/dev.txt ||
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
  "$venv/bin/uv" pip install --quiet --python "$python" --offline --no-deps --no-build-isolation --editable .
}

if ! is_ready; then
  echo "setup: installing the pinned packages into $venv"
  rm -f "$stamp"
  fits "$venv/bin/python" && "$venv/bin/python" -m pip --version > /dev/null 2>&1 || create_venv
  install_pins
  state > "$stamp"
fi
