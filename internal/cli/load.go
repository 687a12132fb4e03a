package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"savedq/internal/logs/load"
	"savedq/internal/logs/logfile"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/logging"
)

// loadCommand is "savedq load".
type loadCommand struct {
	Source string `required:"" placeholder:"NAME" help:"Log source of the events, by table name (edge_logs) or sender name (cloudflare.logs.prod)."`
	// MaxEvent rejects events that would make the rows of a project too large to return.
	MaxEvent byteSize `default:"1MiB" placeholder:"SIZE" help:"Largest event; larger ones are rejected, like malformed ones. From 1KiB to 16MiB. Default: ${default}."`
	Files    []string `arg:"" name:"file" help:"Files of events: NDJSON, a JSON object or array, {\"batch\":[…]}, or Parquet; plain, gzip or zstd."`
	storeFlags
	memoryFlags
}

// maxLoadMemory limits DuckDB's memory while files are loaded. More does not make loading
// faster.
const maxLoadMemory = 512 << 20

// minMaxEvent is the minimum of --max-event: common events are about as long.
const minMaxEvent = 1 << 10

// Validate implements kong's validation, which runs before anything is opened.
func (c *loadCommand) Validate() error {
	if err := c.storeFlags.Validate(); err != nil {
		return err
	}
	if c.MaxEvent < minMaxEvent || c.MaxEvent > logfile.MaxEventBytes {
		return fmt.Errorf("--max-event: %s is not a size from %s to %s", c.MaxEvent, byteSize(minMaxEvent), byteSize(logfile.MaxEventBytes))
	}
	for _, path := range c.Files {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return fmt.Errorf("%s is not a file", path)
		}
	}
	if _, ok := logstore.FindSource(c.Source); !ok {
		names := make([]string, 0, len(logstore.Sources()))
		for _, source := range logstore.Sources() {
			names = append(names, fmt.Sprintf("%s (or %s)", source.Table, source.SenderName))
		}
		problem := fmt.Sprintf("%q is not a log source", c.Source)
		if c.Source == "" { // kong reports missing flags later
			problem = "is required"
		}
		return fmt.Errorf("--source: %s; use one of %s", problem, strings.Join(names, ", "))
	}
	return nil
}

// Run loads the files, each in its own transaction. It continues after a file that cannot
// be loaded.
func (c *loadCommand) Run(ctx context.Context, t *terminal) (err error) {
	source, _ := logstore.FindSource(c.Source)
	memory, err := c.budget(memorySplit{duckDB: unchosen}, t)
	if err != nil {
		return err
	}
	limit := new(byteSize(min(memory.duckDB, maxLoadMemory)))
	store, err := logstore.Open(ctx, c.Data, inDuckDB(limit), append(frugality(limit), logstore.WithProgram(version()))...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, note := range store.Recovery().Notes() {
		_, _ = fmt.Fprintf(t.stderr, "savedq: %s: %s\n", c.Data, note)
	}
	options := load.Options{
		Begin: func(ctx context.Context) (load.Transaction, error) { return store.Begin(ctx, logstore.Sent) },
		Now:   t.clock,

		MaxEventBytes: int(c.MaxEvent),
	}
	if logging.IsTerminal(t.stderr) {
		options.Progress = t.stderr
	}
	incomplete := false
	for _, file := range c.Files {
		summary, err := load.File(ctx, file, source, options)
		switch {
		case err != nil && ctx.Err() != nil:
			return fmt.Errorf("interrupted: nothing of %s is stored", file)
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
		incomplete = incomplete || summary.Rejected > 0
		if ctx.Err() != nil {
			return errors.New("interrupted: the files above are stored, the rest is not")
		}
	}
	if incomplete {
		return errReported
	}
	return nil
}
