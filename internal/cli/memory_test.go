package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/operations/memory"
)

// mib returns n mebibytes in bytes.
func mib(n int64) int64 { return n << 20 }

// The parts fit into the total, and the cache fits into Go's part. Chosen parts do not change.
func TestSplitMemory(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		total        int64
		chosen, want memorySplit
	}{
		"the minimum":             {mib(176), memorySplit{unchosen, unchosen, unchosen, 0}, memorySplit{0, mib(48), mib(64), 0}},
		"256 MiB container":       {mib(204), memorySplit{unchosen, unchosen, unchosen, 0}, memorySplit{mib(28) * 4 / 5, mib(76), mib(64), 0}},
		"512 MiB container":       {mib(408), memorySplit{unchosen, unchosen, unchosen, 0}, memorySplit{mib(102), mib(204), mib(140), 0}},
		"4 GiB machine":           {mib(3200), memorySplit{unchosen, unchosen, unchosen, 0}, memorySplit{mib(800), mib(1600), mib(1200), 0}},
		"24 GiB machine":          {mib(19200), memorySplit{unchosen, unchosen, unchosen, 0}, memorySplit{mib(1024), mib(4800), mib(13376), 0}},
		"a chosen cache":          {mib(1600), memorySplit{mib(800), unchosen, unchosen, 0}, memorySplit{mib(800), mib(1048), mib(352), 0}},
		"a small cache":           {mib(1600), memorySplit{mib(8), unchosen, unchosen, 0}, memorySplit{mib(8), mib(400), mib(1000), 0}},
		"no cache":                {mib(408), memorySplit{0, unchosen, unchosen, 0}, memorySplit{0, mib(102), mib(242), 0}},
		"DuckDB's part is chosen": {mib(1600), memorySplit{unchosen, unchosen, mib(256), 0}, memorySplit{mib(572), mib(1144), mib(256), 0}},
		"both are chosen":         {mib(1600), memorySplit{mib(100), unchosen, mib(256), 0}, memorySplit{mib(100), mib(1144), mib(256), 0}},
		"no DuckDB":               {mib(800), memorySplit{unchosen, unchosen, 0, 0}, memorySplit{mib(350), mib(700), 0, 0}},
		"GOMEMLIMIT is set":       {mib(800), memorySplit{unchosen, mib(300), unchosen, 0}, memorySplit{mib(150), mib(300), mib(400), 0}},
		"ingest is chosen":        {mib(1600), memorySplit{unchosen, unchosen, unchosen, mib(900)}, memorySplit{mib(0), mib(948), mib(452), mib(900)}},
		"GOMEMLIMIT, and a cache": {mib(800), memorySplit{mib(200), mib(300), unchosen, 0}, memorySplit{mib(200), mib(300), mib(400), 0}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.chosen.split(test.total)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

// The chosen parts fit for any total.
func TestSplitMemoryFits(t *testing.T) {
	t.Parallel()
	for total := mib(176); total < mib(100_000); total += total / 7 {
		got, err := memorySplit{unchosen, unchosen, unchosen, 0}.split(total)
		require.NoError(t, err)
		assert.Equal(t, total, got.goLimit+got.duckDB+reserved(total))
		assert.GreaterOrEqual(t, got.duckDB, int64(minDuckDBMemory))
		assert.GreaterOrEqual(t, got.goLimit, goMemory(got.cache))
		assert.GreaterOrEqual(t, got.cache, int64(0))
	}
}

// testTerminal returns a terminal in a container of 512 MiB that records Go's memory limit.
func testTerminal(environment map[string]string, limited *int64) *terminal {
	return &terminal{
		getenv: func(name string) string { return environment[name] },
		memory: func() (memory.Available, error) { return memory.Available{Bytes: mib(512), Of: "container"}, nil },
		limitGo: func(bytes int64) int64 {
			if bytes >= 0 {
				*limited = bytes
			}
			return mib(100) // the limit of the variable
		},
	}
}

func parseServe(t *testing.T, flags string) *serveCommand {
	t.Helper()
	var parsed struct { // a parser of all commands takes several times as long
		Serve serveCommand `cmd:""`
	}
	parser, err := newParser(&parsed, newEnvironment(func(string) string { return "" }))
	require.NoError(t, err)
	_, err = parser.Parse(append([]string{"serve"}, strings.Fields(flags)...))
	require.NoError(t, err)
	return &parsed.Serve
}

// Parts that do not fit are rejected before anything is opened, with advice in the error.
func TestMemoryFlagsThatDoNotFit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags, variable, want string
	}{
		"too little":              {"--memory=170MiB", "", "--memory: 170 MiB is too little; Go with the cache needs 48 MiB, DuckDB 64 MiB, and 64 MiB stay in reserve, which makes 176 MiB: raise --memory"},
		"too little for a part":   {"--memory=170MiB --cache-bytes=1MiB", "", "which makes 177.3 MiB: raise --memory, or lower --cache-bytes"},
		"more than available":     {"--memory=1GiB", "", "--memory: 1 GiB is more than the 512 MiB that the container has"},
		"cache too large":         {"--cache-bytes=1TiB", "", "--memory: 409.6 MiB is too little; Go with the cache needs 1.3 TiB, DuckDB 64 MiB, and 64 MiB stay in reserve, which makes 1.3 TiB: raise --memory, or lower --cache-bytes"},
		"DuckDB's part too large": {"--duckdb-memory=1TiB", "", "raise --memory, or lower --duckdb-memory"},
		"ingest beside a cache":   {"--memory=500MiB --cache-bytes=100MiB --ingest-memory=2GiB", "", "raise --memory, or lower --cache-bytes or --ingest-memory"},
		"GOMEMLIMIT and cache":    {"--cache-bytes=100MiB", "100MiB", "the variable GOMEMLIMIT: 100 MiB is too little for Go with the cache, which needs 173 MiB: raise or unset it, or lower --cache-bytes"},
		"GOMEMLIMIT and DuckDB":   {"--duckdb-memory=300MiB", "100MiB", "raise --memory, or lower --duckdb-memory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limited := int64(-1)
			err := parseServe(t, test.flags).allocateMemory(t.Context(), testTerminal(map[string]string{"GOMEMLIMIT": test.variable}, &limited), slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, test.want)
			assert.EqualValues(t, -1, limited)
		})
	}
	for _, command := range []string{"query logs.all project=acme", "load --source=edge_logs memory.go", "store stats"} {
		var stdout, stderr strings.Builder
		assert.Equal(t, statusFailed, Run(t.Context(), append(strings.Fields(command), "--memory=1MiB", "--data="+t.TempDir()), &stdout, &stderr))
		assert.Contains(t, stderr.String(), "which makes 176 MiB: raise --memory\n", command)
	}
}

// The split is logged, and each part is applied.
func TestServeSplitsMemory(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags, variable string
		cache, duckDB   *byteSize
		limited         int64
		log             string
	}{
		"container": {"", "", new(byteSize(107374182)), new(byteSize(147639500)), 214748364, "memory_bytes=429496728 of=container cache_bytes=107374182 go_bytes=214748364 duckdb_bytes=147639500"},
		"flag":      {"--memory=408MiB", "", new(byteSize(mib(102))), new(byteSize(mib(140))), mib(204), "of=flag"},
		"variable":  {"--memory=408MiB", "100MiB", new(byteSize((mib(52)) * 4 / 5)), new(byteSize(mib(244))), -1, "go_bytes=104857600"},
		"off":       {"--memory=408MiB", "off", new(byteSize(mib(102))), new(byteSize(mib(140))), -1, "go_bytes=213909504"},
		"BigQuery":  {"--engine=bigquery --bigquery-project=p --bigquery-dataset=d --memory=408MiB", "", new(byteSize(mib(172))), nil, mib(344), "duckdb_bytes=0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limited := int64(-1)
			var log strings.Builder
			command := parseServe(t, test.flags)
			require.NoError(t, command.allocateMemory(t.Context(), testTerminal(map[string]string{"GOMEMLIMIT": test.variable}, &limited), slog.New(slog.NewTextHandler(&log, nil))))
			assert.Contains(t, log.String(), "memory is split")
			assert.Contains(t, log.String(), test.log)
			assert.Equal(t, test.cache, command.CacheBytes)
			assert.Equal(t, test.duckDB, command.DuckDBMemory)
			assert.Equal(t, test.limited, limited)
		})
	}
}

// The demo takes a modest share of a large machine, unless flags or GOMEMLIMIT choose more.
func TestMemoryOfDemo(t *testing.T) {
	t.Parallel()
	for flags, test := range map[string]struct {
		variable string
		want     int64
	}{
		"":                              {"", mib(19200)},
		"--demo":                        {"", mib(1024)},
		"--demo --memory=2GiB":          {"", mib(2048)},
		"--demo --cache-bytes=1GiB":     {"", mib(19200)},
		"--demo --duckdb-memory=4GiB":   {"", mib(19200)},
		"--demo --queue-target=1s":      {"2GiB", mib(19200)},
		"--demo --ingest-memory=100MiB": {"", mib(19200)},
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			term := testTerminal(map[string]string{"GOMEMLIMIT": test.variable}, new(int64))
			term.memory = func() (memory.Available, error) { return memory.Available{Bytes: mib(24000), Of: "machine"}, nil }
			var log strings.Builder
			require.NoError(t, parseServe(t, flags).allocateMemory(t.Context(), term, slog.New(slog.NewTextHandler(&log, nil))))
			assert.Contains(t, log.String(), fmt.Sprintf("memory_bytes=%d ", test.want))
		})
	}
}

// If the available memory is unknown, the command returns an error.
func TestUnknownMemory(t *testing.T) {
	t.Parallel()
	term := testTerminal(nil, new(int64))
	term.memory = func() (memory.Available, error) { return memory.Available{}, errors.New("no /proc") }
	require.ErrorContains(t, parseServe(t, "").allocateMemory(t.Context(), term, slog.New(slog.DiscardHandler)), "no /proc")
}
