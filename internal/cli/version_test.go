package cli

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Versions other than the release come from the build information, and are "unknown" if it lacks them.
func TestVersionLines(t *testing.T) {
	t.Parallel()
	bigQuery := &debug.Module{Path: "cloud.google.com/go/bigquery", Version: "v1.2.3"}
	clickHouse := &debug.Module{Path: "github.com/ClickHouse/clickhouse-go/v2", Version: "v2.0.1"}
	full := debug.BuildInfo{
		GoVersion: "go1.26.0",
		Deps:      []*debug.Module{{Path: "cloud.google.com/go", Version: "v0.1.0"}, bigQuery, clickHouse},
		Settings:  []debug.BuildSetting{{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.modified", Value: "false"}},
	}
	modified := full
	modified.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.modified", Value: "true"}}
	replaced := full
	replaced.Deps = []*debug.Module{{Path: bigQuery.Path, Version: "v1.2.3", Replace: &debug.Module{Path: bigQuery.Path, Version: "v1.2.4"}}, clickHouse}
	local := full
	local.Deps = []*debug.Module{{Path: bigQuery.Path, Version: "v1.2.3", Replace: &debug.Module{Path: "./bigquery"}}, clickHouse}
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want []string
	}{
		"a release":            {&full, []string{release, "abc123", "go1.26.0", "v9", "v1.2.3", "v2.0.1"}},
		"changed files":        {&modified, []string{release, "abc123 (modified)", "go1.26.0", "v9", "v1.2.3", "v2.0.1"}},
		"another client":       {&replaced, []string{release, "abc123", "go1.26.0", "v9", "v1.2.4", "v2.0.1"}},
		"a client of a folder": {&local, []string{release, "abc123", "go1.26.0", "v9", "unknown", "v2.0.1"}},
		"no build information": {&debug.BuildInfo{}, []string{release, "unknown", "unknown", "v9", "unknown", "unknown"}},
		"no repository":        {&debug.BuildInfo{GoVersion: "go1.26.0"}, []string{release, "unknown", "go1.26.0", "v9", "unknown", "unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var names, versions []string
			for _, line := range versionLines(test.info, "v9") {
				names, versions = append(names, line.name), append(versions, line.version)
			}
			assert.Equal(t, []string{"savedq", "commit", "Go", "DuckDB", "BigQuery client", "ClickHouse client"}, names)
			assert.Equal(t, test.want, versions)
		})
	}
}

// The newest heading of the changelog names this release.
func TestReleaseHasAChangelog(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	heading := regexp.MustCompile(`(?m)^## (.+)$`).FindSubmatch(text)
	require.NotNil(t, heading)
	assert.Equal(t, release, string(heading[1]))
}

// The version of DuckDB comes from DuckDB itself.
func TestVersionCommand(t *testing.T) {
	t.Parallel()
	var stdout strings.Builder
	require.NoError(t, new(versionCommand).Run(t.Context(), &terminal{stdout: &stdout}))
	assert.Regexp(t, `(?m)\Asavedq +0\.1\.0\ncommit +\S.*\nGo +go1\.\d+.*\nDuckDB +v\d+\.\d+\.\d+\nBigQuery client +\S+\nClickHouse client  \S+\n\z`, stdout.String())
}
