package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

// storeExportCommand is "savedq store export".
type storeExportCommand struct {
	Directory string   `arg:"" name:"dir" help:"Directory for the files."`
	Source    []string `sep:"," placeholder:"NAME" help:"Only events of these sources, by either of their names. Default: all."`
	From      string   `placeholder:"DAY" help:"First day in UTC, such as 2026-01-31 or now-7d. Default: the first one that has events."`
	Through   string   `placeholder:"DAY" help:"Last day in UTC, in the same form. Default: the last one that has events."`
	Overwrite bool     `help:"Replace files that exist."`
	localFlags
}

func (c *storeExportCommand) Validate() error {
	from, err := dayOf("--from", c.From, parsingTime())
	if err != nil {
		return err
	}
	through, err := dayOf("--through", c.Through, parsingTime())
	if err != nil {
		return err
	}
	if !from.IsZero() && !through.IsZero() && through.Before(from) {
		return fmt.Errorf("--through: %s is before --from, %s", c.Through, c.From)
	}
	if info, err := os.Stat(c.Directory); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file; choose a directory", c.Directory)
	}
	return nil
}

// dayOf parses a day of a flag. It returns the zero time for a flag that is not set.
func dayOf(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := sqlq.ParseDateAt(text, now)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s: %w", flag, err)
	}
	return day, nil
}

// Run writes the files of a store, which a server may have open.
func (c *storeExportCommand) Run(ctx context.Context, term *terminal) (err error) {
	directory, err := filepath.Abs(c.Directory)
	if err != nil {
		return err
	}
	memory, err := c.budget(memorySplit{duckDB: unchosen}, term)
	if err != nil {
		return err
	}
	follower, err := logstore.Follow(ctx, c.Data, fmt.Sprintf("%dB", memory.duckDB), logstore.WithReadableDirectories(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, follower.Close()) }()
	export := logstore.Export{Directory: directory, Overwrite: c.Overwrite}
	if export.Sources, err = sourceNames(follower.Tables(), c.Source); err != nil {
		return err
	}
	export.From, _ = dayOf("--from", c.From, term.clock()) // Validate has read them
	export.Through, _ = dayOf("--through", c.Through, term.clock())
	files, events := 0, int64(0)
	err = follower.Export(ctx, export, func(file logstore.ExportedFile) error {
		files, events = files+1, events+file.Events
		_, err := fmt.Fprintf(term.stdout, "%s: %s\n", file.Path, countEvents(file.Events))
		return err
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w; nothing was written; choose another directory, or add --overwrite", err)
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(term.stdout, "%s in %d files\n", countEvents(events), files)
	return err
}

// sourceNames returns the tables of sources, which are given by any of their names.
func sourceNames(tables sqlq.Tables, given []string) (names []string, err error) {
	for _, name := range given {
		source, err := tables.Source(name)
		if err != nil {
			return nil, fmt.Errorf("--source: %w", err)
		}
		names = append(names, source.Name)
	}
	return names, nil
}
