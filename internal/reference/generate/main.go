// Command generate writes the reference pages in docs.
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
	if err := run(filepath.Join(root, "docs")); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run writes the pages to a directory, which has one for the reference.
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
	pages := map[string]string{
		"reference/flags.md": reference.Flags(program), "reference/metrics.md": metrics, "reference/logs.md": logs, "googlesql.md": reference.GoogleSQL(),
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(page), 0o644); err != nil { //nolint:gosec // Pages are for everybody.
			return err
		}
	}
	return nil
}
