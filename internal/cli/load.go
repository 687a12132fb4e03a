package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"savedq/internal/logs/load"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/internal/text/printable"
)

// loadCommand is "savedq load".
type loadCommand struct {
	Source string `required:"" placeholder:"NAME" help:"Log source of the events, by the name of its table (edge_logs) or an alias (cloudflare.logs.prod)."`
	// MaxEvent rejects events that would make the rows of a project too large to return.
	MaxEvent  byteSize `default:"1MiB" placeholder:"SIZE" help:"Largest event; larger ones are rejected, like malformed ones. From 1KiB to 16MiB. Default: ${default}."`
	CSV       bool     `name:"csv" help:"Read the files as comma-separated values with a header, whatever their names; files named .csv are read so anyway."`
	Timestamp string   `placeholder:"COLUMN" help:"Column of CSV files that has the time of an event. Default: the column timestamp, or else the time of the load."`
	Files     []string `arg:"" name:"file" help:"Files of events: NDJSON, a JSON object or array, {\"batch\":[…]}, CSV or Parquet; plain, gzip or zstd. A directory stands for the log files in it, and - for the standard input."`
	tablesFlags
	sendFlags
	storeFlags
	memoryFlags
}

const (
	// maxLoadMemory limits DuckDB's memory while files are loaded. More does not make loading
	// faster.
	maxLoadMemory = 256 << 20
	// lowLoadMemory is the limit below which DuckDB's allocations beyond it matter to a load.
	lowLoadMemory = 96 << 20
)

// minMaxEvent is the minimum of --max-event: common events are about as long.
const minMaxEvent = 1 << 10

func (c *loadCommand) Validate() error {
	if err := c.validate(); err != nil {
		return err
	}
	if c.MaxEvent < minMaxEvent || c.MaxEvent > logfile.MaxEventBytes {
		return fmt.Errorf("--max-event: %s is not a size from %s to %s", c.MaxEvent, byteSize(minMaxEvent), byteSize(logfile.MaxEventBytes))
	}
	for i, path := range c.Files {
		if path == load.StandardInput {
			if slices.Contains(c.Files[:i], path) {
				return errors.New("-: the standard input can be read only once")
			}
			continue
		}
		_, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s does not exist", path)
		case err != nil:
			return fmt.Errorf("%s cannot be read: %w", path, err)
		}
	}
	return c.checkSource()
}

// Run loads the files into the store, each in its own transaction, or sends them to a server. It
// continues after a file that cannot be loaded.
func (c *loadCommand) Run(ctx context.Context, t *terminal) error {
	files, walked, err := c.files()
	if err != nil {
		return err
	}
	var total *load.Total
	if walked {
		total = load.NewTotal(t.clock)
	}
	if c.To != "" {
		return c.send(ctx, t, files, total)
	}
	return c.store(ctx, t, files, total)
}

// checkSource returns an error if neither the tables nor a store or a server can know the source.
func (c *loadCommand) checkSource() error {
	tables, err := c.readSources()
	if err != nil {
		return err
	}
	_, unknown := tables.Source(c.Source)
	switch {
	case c.Source == "": // kong reports missing flags later
		return fmt.Errorf("--source: is required; use one of %s", strings.Join(tables.Sources().Names(), ", "))
	case unknown != nil && c.To == "" && !logstore.Exists(c.Data):
		return fmt.Errorf("--source: %w", unknown)
	}
	return nil
}

// csv returns how CSV files are read.
func (c *loadCommand) csv() logfile.CSV {
	return logfile.CSV{Always: c.CSV, Timestamp: c.Timestamp}
}

// files returns the files to load, with those in directories.
func (c *loadCommand) files() (files []string, walked bool, err error) {
	for _, path := range c.Files {
		if info, err := os.Stat(path); path == load.StandardInput || err != nil || !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := load.Files(path)
		if err != nil {
			return nil, false, err
		}
		files, walked = append(files, found...), true
	}
	return files, walked, nil
}

// store loads the files into the store.
func (c *loadCommand) store(ctx context.Context, t *terminal, files []string, total *load.Total) (err error) {
	tables, err := c.readSources()
	if err != nil {
		return err
	}
	memory, err := c.budget(memorySplit{duckDB: unchosen}, t)
	if err != nil {
		return err
	}
	open := logstore.Open
	if _, found := tables.FindSource(c.Source); !found { // a store can know it
		open = logstore.OpenExisting
	}
	store, err := storeOf(c.Data, loadMemory(memory), lowLoadMemory).OpenSettled(ctx, open, t.environment(slog.LevelWarn).Logger)
	if errors.Is(err, logstore.ErrInUse) {
		return fmt.Errorf("%w; or, if that is a savedq server, send the files to it, as in: savedq load --to http://127.0.0.1:8080 --source %s FILE", err, c.Source)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Declare(ctx, tables); err != nil {
		return err
	}
	if _, err := store.Fill(ctx, nil); err != nil {
		return err
	}
	source, err := store.Tables().Source(c.Source)
	if err != nil {
		return fmt.Errorf("--source: %w", err)
	}
	for _, note := range store.Recovery().Notes() {
		_, _ = fmt.Fprintf(t.stderr, "savedq: %s: %s\n", c.Data, note)
	}
	options := load.Options{
		Begin: func(ctx context.Context) (load.Transaction, error) {
			transaction, err := store.Begin(ctx, logstore.Sent)
			if err != nil {
				return nil, err
			}
			transaction.Remember(t.clock())
			return transaction, nil
		},
		Now: t.clock,

		MaxEventBytes: int(c.MaxEvent),
		Progress:      progressOn(t),
		Input:         t.stdin,
		CSV:           c.csv(),
	}
	return eachFile(ctx, t, files, total,
		func(file string) (load.Summary, error) { return load.File(ctx, file, source, options) },
		func(file string) error { return fmt.Errorf("interrupted: nothing of %s is stored", file) })
}

// loadMemory returns DuckDB's part of the memory while files are loaded: a quarter of all, because
// DuckDB takes about as much again to compress large events.
func loadMemory(memory memoryBudget) int64 {
	return min(max(memory.total/4, minDuckDBMemory), memory.duckDB, maxLoadMemory)
}

// progressOn returns the terminal for progress bars, or nil.
func progressOn(t *terminal) io.Writer {
	if printable.IsTerminal(t.stderr) {
		return t.stderr
	}
	return nil
}

// eachFile loads the files and prints their summaries. It continues after a file that cannot be
// loaded, unless the context has ended.
func eachFile(ctx context.Context, t *terminal, files []string, total *load.Total, loadFile func(file string) (load.Summary, error), interrupted func(file string) error) error {
	incomplete := false
	for _, file := range files {
		summary, err := loadFile(file)
		switch {
		case err != nil && ctx.Err() != nil:
			return interrupted(file)
		case err != nil:
			incomplete = true
			_, _ = fmt.Fprintf(t.stderr, "savedq: %s\n", err)
			continue
		}
		if _, err := fmt.Fprintln(t.stdout, summary); err != nil {
			return fmt.Errorf("%s is stored, but its summary cannot be printed: %w", file, err)
		}
		for _, note := range summary.Notes() {
			_, _ = fmt.Fprintf(t.stderr, "savedq: %s: %s\n", file, note)
		}
		if total != nil {
			total.Add(summary)
		}
		incomplete = incomplete || summary.Rejected > 0
		if ctx.Err() != nil {
			return errors.New("interrupted: the files above are stored, the rest is not")
		}
	}
	if total != nil && !total.Empty() {
		if _, err := fmt.Fprintln(t.stdout, total); err != nil {
			return fmt.Errorf("the total cannot be printed: %w", err)
		}
	}
	if incomplete {
		return errReported
	}
	return nil
}
