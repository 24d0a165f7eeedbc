#!/bin/sh
# Runs a program of this project, as `sh src/cli/node.sh src/cli/ingest.ts FILE`: installs the packages where they are missing or outdated,
# then becomes the Node that can run TypeScript, so that signals reach the program itself.
root=$(CDPATH= cd "$(dirname "$0")/../.." && pwd) || exit
node=$(node "$root/src/cli/install.mjs" "$1") || exit
program=$root/$1
shift
export PATH="${node%/*}:$root/node_modules/.bin:$PATH"
# Compiled code is kept across processes: a program of some hundred TypeScript modules then loads in a third of the time.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/node_modules/.cache/node}"
exec "$node" --disable-warning=ExperimentalWarning "$program" "$@"
