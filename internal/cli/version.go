package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"savedq/internal/http/outgoing"
	"savedq/internal/logs/logstore"
)

// release is the number of this release.
const release = outgoing.Release

// unknown is what is shown of a build that was not recorded.
const unknown = "unknown"

// version returns the release, the commit and the version of Go on one line.
func version() string {
	info := buildInfo()
	return strings.Join([]string{"savedq", release, commitOf(info), cmp.Or(info.GoVersion, unknown)}, " ")
}

// buildInfo returns the build information of the Go toolchain, or an empty one.
func buildInfo() *debug.BuildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return &debug.BuildInfo{}
	}
	return info
}

// versionCommand is "savedq version".
type versionCommand struct{}

// Run prints the versions to include in a bug report. The version of DuckDB comes from
// DuckDB itself, because the linked library has its own releases.
func (*versionCommand) Run(ctx context.Context, term *terminal) error {
	duckDB, err := duckDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask DuckDB for its version: %w", err)
	}
	const columnGap = 2
	out := tabwriter.NewWriter(term.stdout, 0, 0, columnGap, ' ', 0)
	for _, line := range versionLines(buildInfo(), duckDB) {
		_, _ = fmt.Fprintf(out, "%s\t%s\n", line.name, line.version)
	}
	return out.Flush()
}

// versionLine is the version of one component.
type versionLine struct{ name, version string }

// versionLines returns the components whose versions can change results.
func versionLines(info *debug.BuildInfo, duckDB string) []versionLine {
	return []versionLine{
		{"savedq", release},
		{"commit", commitOf(info)},
		{"Go", cmp.Or(info.GoVersion, unknown)},
		{"DuckDB", duckDB},
		{"BigQuery client", moduleVersion(info, "cloud.google.com/go/bigquery")},
		{"ClickHouse client", moduleVersion(info, "github.com/ClickHouse/clickhouse-go/v2")},
	}
}

// commitOf returns the commit of the build, or "unknown" if it was built outside of a
// repository.
func commitOf(info *debug.BuildInfo) string {
	commit := cmp.Or(setting(info, "vcs.revision"), unknown)
	if setting(info, "vcs.modified") == "true" {
		commit += " (modified)"
	}
	return commit
}

// moduleVersion returns the version of a linked module.
func moduleVersion(info *debug.BuildInfo, path string) string {
	for _, module := range info.Deps {
		if module.Path != path {
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		return cmp.Or(module.Version, unknown)
	}
	return unknown
}

// setting returns a build setting, or an empty string if it was not recorded.
func setting(info *debug.BuildInfo, key string) string {
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
}

// duckDBVersion returns the version of the linked library.
func duckDBVersion(ctx context.Context) (version string, err error) {
	store, err := logstore.OpenEmpty(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = store.DB().QueryRowContext(ctx, "SELECT version()").Scan(&version)
	return version, err
}
