package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"savedq/internal/logs/logstore"
)

// version is what the Go toolchain knows of the build, on one line: the module's
// version, or the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "savedq (unknown build)"
	}
	parts := []string{"savedq", info.Main.Version}
	if commit := setting(info, "vcs.revision"); commit != "" {
		parts = append(parts, commit)
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}

// versionCommand is "savedq version".
type versionCommand struct{}

// Run prints what the program was built from: what to say when something is
// reported. DuckDB is asked itself, since it is linked in from a library that has
// releases of its own.
func (*versionCommand) Run(ctx context.Context, term *terminal) error {
	duckDB, err := duckDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("ask DuckDB for its version: %w", err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	const columnGap = 2
	out := tabwriter.NewWriter(term.stdout, 0, 0, columnGap, ' ', 0)
	for _, line := range versionLines(info, duckDB) {
		_, _ = fmt.Fprintf(out, "%s\t%s\n", line.name, line.version)
	}
	return out.Flush()
}

// versionLine says which version of a part is in the program.
type versionLine struct{ name, version string }

// versionLines lists the parts whose versions change answers.
func versionLines(info *debug.BuildInfo, duckDB string) []versionLine {
	return []versionLine{
		{"savedq", orUnknown(info.Main.Version)},
		{"commit", commitOf(info)},
		{"Go", orUnknown(info.GoVersion)},
		{"DuckDB", duckDB},
		{"BigQuery client", moduleVersion(info, "cloud.google.com/go/bigquery")},
	}
}

// commitOf is the commit that the program was built from. It is not known where the
// build saw no repository.
func commitOf(info *debug.BuildInfo) string {
	commit := orUnknown(setting(info, "vcs.revision"))
	if setting(info, "vcs.modified") == "true" {
		commit += " (modified)"
	}
	return commit
}

// moduleVersion is the version of a module that is linked in.
func moduleVersion(info *debug.BuildInfo, path string) string {
	for _, module := range info.Deps {
		if module.Path != path {
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		return orUnknown(module.Version)
	}
	return orUnknown("")
}

// setting is a setting of the build; empty where it was not recorded.
func setting(info *debug.BuildInfo, key string) string {
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
}

func orUnknown(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}

// duckDBVersion asks the linked library for its version.
func duckDBVersion(ctx context.Context) (version string, err error) {
	store, err := logstore.OpenEmpty(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	err = store.DB().QueryRowContext(ctx, "SELECT version()").Scan(&version)
	return version, err
}
