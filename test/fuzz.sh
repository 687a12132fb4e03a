#!/usr/bin/env bash
# fuzz.sh DIRECTORY PACKAGE runs each fuzz test of a package, if it has any. The environment has FUZZ_TIME and
# FUZZ_BUILD, the flags of "go test -c".
set -euo pipefail
mapfile -t names < <(cat "$1"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p')
[ ${#names[@]} -gt 0 ] || exit 0
binary=$(mktemp -d)/fuzz.test
trap 'rm -rf "${binary%/*}"' EXIT
eval "go test -c $FUZZ_BUILD -o $binary $2"
cd "$1"
for name in "${names[@]}"; do
	"$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$FUZZ_TIME" -test.parallel 1 \
		-test.fuzzminimizetime 100x -test.fuzzcachedir "$(go env GOCACHE)/fuzz/$2" </dev/null 2>&1 |
		sed "s|^|${2#savedq/} $name: |"
done
