// Command generate writes the reference pages in docs/reference.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"savedq/internal/cli"
	"savedq/internal/reference"
)

//go:generate go run .

// root is the root of the repository, from the directory of this package.
const root = "../../.."

func main() {
	if err := run(filepath.Join(root, "docs", "reference")); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the pages to a directory.
func run(directory string) error {
	program, err := cli.Model()
	if err != nil {
		return err
	}
	metrics, err := reference.MetricsPage()
	if err != nil {
		return err
	}
	logs, err := reference.LogsPage(filepath.Join(root, "internal"), filepath.Join(root, "sqlq"))
	if err != nil {
		return err
	}
	for name, page := range map[string]string{"flags.md": reference.Flags(program), "metrics.md": metrics, "logs.md": logs} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(page), 0o644); err != nil { //nolint:gosec // Pages are for everybody.
			return err
		}
	}
	return nil
}
