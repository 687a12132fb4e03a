package cli

import (
	"runtime/debug"
	"strings"
)

// version is what the Go toolchain knows of the build: the module's version, or
// the commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "savedq (unknown build)"
	}
	parts := []string{"savedq", info.Main.Version}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			parts = append(parts, setting.Value)
		}
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}
