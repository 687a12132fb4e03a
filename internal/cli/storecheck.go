package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// storeCheckCommand is "savedq store check".
type storeCheckCommand struct {
	storeFlags
}

// Run checks the files of a store, which a server may have open.
func (c *storeCheckCommand) Run(ctx context.Context, term *terminal) error {
	if err := checkStore(ctx, c.Data, term.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintf(term.stdout, "%s: no file is damaged or missing\n", c.Data)
	return err
}

// checkStore verifies the files of a store, and prints a line for each that is damaged or missing. Then it returns a
// [damageError].
func checkStore(ctx context.Context, directory string, out io.Writer) error {
	if info, err := os.Stat(directory); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file; name the --data directory of a server, or a backup, whose files are all checked", directory)
	}
	if !logstore.Exists(directory) {
		return fmt.Errorf("there is no store in %s; name the --data directory of a server, or a backup", directory)
	}
	count := 0
	err := logstore.Check(ctx, directory, func(damaged logstore.DamagedPart) {
		count++
		_, _ = fmt.Fprintln(out, damaged)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the store in %s is of release 0.1.0, whose files have no checksums; start a server on it once, which converts it", directory)
	case err != nil:
		return err
	case count > 0:
		return &damageError{filepath.Join(directory, parts.Directory), count}
	}
	return nil
}

// damageError is the error for files that are damaged or missing.
type damageError struct {
	directory string
	files     int
}

func (e *damageError) Error() string {
	if e.files == 1 {
		return fmt.Sprintf("1 file in %s is damaged or missing; restore it from a backup", e.directory)
	}
	return fmt.Sprintf("%d files in %s are damaged or missing; restore them from a backup", e.files, e.directory)
}
