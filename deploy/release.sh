#!/usr/bin/env bash
# Builds the archives of a release in dist: for each target one with the program, its licence, the list of what is linked in
# (an SBOM of CycloneDX) and the files of deploy, and checksums.txt of all. The same commit, built with the same
# compilers, gives the same bytes.
#
#   deploy/release.sh [linux/amd64] [linux/arm64] …
#
# Without targets it builds all for which there is a C++ compiler. DuckDB is C++, so programs for macOS are built on a Mac.
set -euo pipefail
cd "$(dirname "$0")/.."

SBOM=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0

fail() {
	echo "release: $*" >&2
	exit 1
}

test -z "$(git status --porcelain)" || fail "the checkout has changes; commit them, so that the program names what it was built from"
version=$(sed -n 's/^const Release = "\(.*\)"$/\1/p' internal/http/outgoing/outgoing.go)
test -n "$version" || fail "the number of the release is not in internal/http/outgoing/outgoing.go"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)

# prefix prints what the names of the compilers for a target begin with: nothing for this machine.
prefix() {
	case $1 in
	"$host") ;;
	linux/amd64) echo x86_64-linux-gnu- ;;
	linux/arm64) echo aarch64-linux-gnu- ;;
	*) fail "$1 cannot be built here; the targets are linux/amd64, linux/arm64 and that of this machine" ;;
	esac
}

# build builds the archive of a target.
build() {
	local compilers name
	compilers=$(prefix "$1")
	name=savedq-$version-${1/\//-}
	mkdir -p "dist/$name" "dist/libraries"
	# The libraries of C++ are linked in: the program needs those of C only, from the system that it was built on or later.
	# cgo names -lstdc++ itself, so the linker finds a directory first that has no other one.
	ln -sf "$("${compilers}g++" -print-file-name=libstdc++.a)" dist/libraries/libstdc++.a
	GOOS=${1%/*} GOARCH=${1#*/} CGO_ENABLED=1 CC=${compilers:+${compilers}gcc} CXX=${compilers:+${compilers}g++} \
		go build -trimpath -buildvcs=true -ldflags="-s -w -extldflags '-L$PWD/dist/libraries -static-libgcc'" -o "dist/$name/savedq" .
	go run "$SBOM" bin -json -noserial -version "v$version" -output "dist/$name/sbom.cdx.json" "dist/$name/savedq"
	sed -i.bak "s/^\( *\"timestamp\": \)\".*\"/\1\"$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)\"/" "dist/$name/sbom.cdx.json"
	rm "dist/$name/sbom.cdx.json.bak"
	cp LICENSE CHANGELOG.md deploy/savedq.service deploy/prometheus-alerts.yaml deploy/grafana-dashboard.json "dist/$name"
	tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode='u=rwX,go=rX' \
		--directory dist "$name" | gzip --no-name --best >"dist/$name.tar.gz"
	rm -r "dist/$name" dist/libraries
	echo "dist/$name.tar.gz"
}

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
	for target in linux/amd64 linux/arm64; do
		compiler=$(prefix $target)g++
		if command -v "$compiler" >/dev/null; then
			targets+=("$target")
		else
			echo "release: $target is left out, because there is no $compiler" >&2
		fi
	done
fi
rm -rf dist
mkdir dist
for target in "${targets[@]}"; do
	build "$target"
done
(cd dist && sha256sum -- *.tar.gz >checksums.txt)
echo dist/checksums.txt
