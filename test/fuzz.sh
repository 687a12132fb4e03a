#!/usr/bin/env bash
# fuzz.sh TIME FLAGS... DIRECTORY PACKAGE runs each fuzz test of a package, if it has any. FLAGS are for "go test -c".
set -euo pipefail
time=$1 flags=("${@:2:$#-3}") directory=${*: -2:1} package=${*: -1}
mapfile -t names < <(cat "$directory"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p')
[ ${#names[@]} -gt 0 ] || exit 0
binary=$(mktemp -d)/fuzz.test
trap 'rm -rf "${binary%/*}"' EXIT
go test -c "${flags[@]}" -o "$binary" "$package"
cd "$directory"
for name in "${names[@]}"; do
	"$binary" -test.run '^$' -test.fuzz "^$name\$" -test.fuzztime "$time" -test.parallel 1 \
		-test.fuzzminimizetime 100x -test.fuzzcachedir "$(go env GOCACHE)/fuzz/$package" </dev/null 2>&1 |
		sed "s|^|${package#savedq/} $name: |"
done
