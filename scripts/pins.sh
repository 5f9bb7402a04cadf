#!/usr/bin/env bash
# Compile requirements/*.txt from pyproject.toml: every version and hash, and no address of any host or folder.
# Without arguments the pins stay as they are where they still fit; `scripts/pins.sh --upgrade` renews them.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.venv/bin/uv
[ -x "$uv" ] || uv=uv

export UV_CUSTOM_COMPILE_COMMAND="make pins"

compile() {
  "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-emit-index-url --no-emit-find-links --no-annotate pyproject.toml "$@"
}

compile --all-extras --group dev --output-file requirements/dev.txt "$@"
"$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-annotate \
  --group bootstrap --constraint requirements/dev.txt --output-file requirements/uv.txt
