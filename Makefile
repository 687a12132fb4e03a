# "make run" and "make test" need Go, g++ and make. "make lint" builds its linter on first use.

GOLANGCI_LINT_VERSION := v2.12.2
GOLANGCI_LINT := bin/golangci-lint-$(GOLANGCI_LINT_VERSION)

VICTORIA_LOGS_VERSION := v1.52.1
VICTORIA_LOGS := bin/compare/victoria-logs-$(VICTORIA_LOGS_VERSION)

# The embedded engine is linked in through cgo.
export CGO_ENABLED := 1

.DEFAULT_GOAL := help
.PHONY: help toolchain run build test test-fast test-race test-plain test-deploy test-compare test-emulator test-clickhouse release bench bench-clickhouse compare soak fuzz lint format generate web pictures clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## Serve demo logs on 127.0.0.1:8080 from ./data, with the flags in ARGS.
	./bin/savedq serve --demo $(ARGS)

build: toolchain ## Build bin/savedq.
	@[ -e bin/savedq ] || echo 'Building bin/savedq: the first build compiles for some minutes without further output.'
	go build -o bin/savedq .

release: toolchain ## Build archives of this commit in dist, with checksums and lists of what is linked in.
	deploy/release.sh

# DuckDB is C++, so linking needs the library that comes with g++, not only a C compiler.
toolchain:
	@command -v go >/dev/null || { echo 'Go is not installed: install Go 1.26 or later from https://go.dev/dl' >&2; exit 1; }
	@echo 'int main(void) { return 0; }' | $$(go env CC) -x c - -lstdc++ -o /dev/null || \
		{ echo 'g++ is not installed, which the embedded DuckDB needs: "apt install g++", "dnf install gcc-c++" or "apk add g++"' >&2; exit 1; }

# Eighty test programs link DuckDB, which takes half of the time with gold and without debug information.
# Tests that build the program do the same.
GOLD := $(if $(shell command -v ld.gold),-extldflags=-fuse-ld=gold)
LINK := '-ldflags=-s -w $(GOLD)'
TEST := go test -vet=off $(LINK) -timeout 30m
test test-fast test-race test-plain test-emulator test-clickhouse: export GOFLAGS := $(GOFLAGS) $(LINK)

# The race detector takes up to eight times as long, so it is left out where tests read much data in one goroutine,
# or run a browser, other programs or whole commands. The packages that they use are tested with it. The
# longest come first.
PLAIN := internal/web test/live sqlq/duckdb internal/cli internal/api/ingesthttp internal/logs/demo internal/logs/logbody \
	sqlq/sqlqtest test/memory test/random

# The tests of the pages and of the emulator wait a lot, so all run at the same time.
test: ## Run every test. "make lint" has the checks of "go vet".
	$(MAKE) --jobs=3 test-race test-plain test-emulator test-clickhouse test-deploy test-compare

test-fast: ## Run every test except those on the BigQuery emulator and on ClickHouse.
	$(MAKE) --jobs=2 test-race test-plain

# A test program with the race detector sleeps for a second before it exits, unless it is told not to.
test-race: toolchain ## Run the tests that need the race detector, with it.
	GORACE=atexit_sleep_ms=0 $(TEST) -race $$(go list ./... | grep -vxF $(PLAIN:%=-e savedq/%))

test-plain: toolchain ## Run the other tests.
	$(TEST) $(PLAIN:%=./%)

test-deploy: ## Lint the Dockerfile and the PromQL of deploy.
	cd deploy/lint && go test ./...

# A separate module that does not link DuckDB, so its tests take seconds. None starts a server.
test-compare: ## Test the comparison with other programs.
	cd test/compare && go vet ./... && go test ./...

# A separate module, because the emulator takes minutes to build once. The tests can take
# longer than the default limit of ten minutes. -count disables Go's cache of test results,
# which does not notice that a test builds the program.
test-emulator: ## Run the conformance suite on the BigQuery engine, with an emulator.
	cd sqlq/bigquery/emulatortest && $(TEST) -count 1 ./...

# A separate module, because ClickHouse comes as a library of 560 MB, which there is for Linux on x86-64 with glibc.
# CHDB_LIB_PATH names one that is elsewhere. SAVEDQ_CLICKHOUSE names the address of a server to test on instead.
CHDB := sqlq/clickhouse/chdbtest/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so
ifeq ($(shell uname -sm),Linux x86_64)
test-clickhouse: $(if $(CHDB_LIB_PATH)$(SAVEDQ_CLICKHOUSE),,$(CHDB)) ## Run the tests of the ClickHouse engine, with ClickHouse as a library. Needs npm.
	cd sqlq/clickhouse/chdbtest && $(TEST) -count 1 ./...
else
test-clickhouse:
	@echo 'SKIPPED: tests on ClickHouse, whose library there is for Linux on x86-64 only'
endif

$(CHDB): sqlq/clickhouse/chdbtest/package-lock.json
	npm --prefix sqlq/clickhouse/chdbtest ci --ignore-scripts --no-audit --no-fund
	touch $@

BENCH_RUNS ?= 20
bench: ## Measure response times, each compared with a minimal implementation.
	go test -tags duckdb_arrow -run '^$$' -bench . -benchtime $(BENCH_RUNS)x -timeout 30m ./test/bench | awk -f test/bench/table.awk

bench-clickhouse: $(if $(CHDB_LIB_PATH)$(SAVEDQ_CLICKHOUSE),,$(CHDB)) ## Measure saved queries on ClickHouse, each compared with SQL written by hand. ARGS name another number of -events.
	cd sqlq/clickhouse/chdbtest && go test -vet=off -run '^$$' -bench ShippedQueries -benchtime $(BENCH_RUNS)x -timeout 60m . $(ARGS) | awk -f $(CURDIR)/test/bench/table.awk

YOGA := test/compare/yoga/node_modules/.package-lock.json
compare: build $(VICTORIA_LOGS) $(YOGA) ## Measure savedq beside VictoriaLogs, or what ARGS name, such as -events 200000 -steps postgres,responses.
	cd test/compare && go build -o $(CURDIR)/bin/compare/compare .
	bin/compare/compare -savedq bin/savedq -victoria-logs $(VICTORIA_LOGS) $(ARGS)

$(YOGA): test/compare/yoga/package-lock.json
	npm --prefix test/compare/yoga ci --ignore-scripts --no-audit --no-fund

$(VICTORIA_LOGS):
	GOBIN=$(CURDIR)/bin/build go install github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs@$(VICTORIA_LOGS_VERSION)
	mkdir -p bin/compare
	mv bin/build/victoria-logs $@

SOAK_SECONDS ?= 60
soak: ## Overload the real server, kill loads, and truncate the store's log, each for SOAK_SECONDS.
	SOAK_SECONDS=$(SOAK_SECONDS) go test -run TestSoak -v -count 1 -timeout 60m ./test/soak

FUZZ_TIME ?= 10s
# With -fuzz, Go builds everything once more, to count which code an input reaches. A few hundred inputs gain nothing from that.
FUZZ_FLAGS ?= -fuzz .
fuzz: ## Run each fuzz test for FUZZ_TIME, a duration or a number of inputs such as 10000x.
	@go list -f '{{.Dir}} {{.ImportPath}}' ./... | xargs -P $$(getconf _NPROCESSORS_ONLN) -L 1 \
		test/fuzz.sh $(FUZZ_TIME) $(FUZZ_FLAGS) -vet=off $(LINK)

# The linter's cache stores paths. A cache per checkout never reports paths of another one,
# which the exclusions of .golangci.yml would not match.
lint: export GOLANGCI_LINT_CACHE := $(CURDIR)/bin/golangci-lint-cache
lint: $(GOLANGCI_LINT) ## Run the linters.
	$(GOLANGCI_LINT) run --allow-parallel-runners
	cd test/compare && $(CURDIR)/$(GOLANGCI_LINT) run --allow-parallel-runners

format: $(GOLANGCI_LINT) ## Format the code.
	$(GOLANGCI_LINT) fmt

$(GOLANGCI_LINT):
	GOBIN=$(CURDIR)/bin/build CGO_ENABLED=0 go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv bin/build/golangci-lint $@

generate: ## Regenerate the GraphQL code and the reference pages.
	go generate ./...

web: ## Check and build the pages. Needs node, and "npm ci --ignore-scripts" in web.
	cd web && npm run codegen && npm run check && npm run lint && npm run test && npm run build

pictures: ## Take pictures of every page, wide and narrow, light and dark, in bin/pictures. Needs Chromium.
	rm -rf bin/pictures && mkdir -p bin/pictures
	SAVEDQ_SCREENSHOTS=$(CURDIR)/bin/pictures go test -count=1 -timeout 30m -run TestBrowser ./internal/web

clean: ## Remove build results.
	rm -rf bin
