package cli

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"savedq/internal/http/httperror"
	"savedq/internal/ingesthttp"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/metrics"
)

// ingestFlags configure the ingest writer.
type ingestFlags struct {
	Deduplicate         time.Duration `default:"1d" placeholder:"DURATION" help:"How long the ids of ingested events are remembered, to drop events that are sent again; 0 drops none. Default: ${default}."`
	IngestMemory        *byteSize     `placeholder:"SIZE" help:"Most memory for ingest: requests that are being read, events that are not stored yet, and ids for --deduplicate. Default: what Go and the cache leave, at most 512MiB."`
	MaxEvent            byteSize      `default:"12MiB" placeholder:"SIZE" help:"Largest event that may be sent; larger ones are rejected, like malformed ones. From 1KiB to 12MiB, the largest body. Default: ${default}."`
	AcceptMissingEvents bool          `help:"Start although files of the write-ahead log are missing or belong to another store, and go on without their events. Once is enough: the next start does not need it."`
	VercelVerify        string        `placeholder:"KEY" help:"Value of the header x-vercel-verify in responses of /logs/vercel, with which Vercel checks who owns the address of a log drain. Default: no such header."`
}

const (
	// minIngestMemory is what ingest needs for one request of the maximum size.
	minIngestMemory = 32 << 20
	// maxIngestMemory limits ingest unless --ingest-memory is set.
	maxIngestMemory = 512 << 20
	// logDirectory is the directory of the write-ahead log in the data directory.
	logDirectory = "ingest-log"
	// ingestDrain is how long the events of the last requests may take to be stored.
	ingestDrain = 30 * time.Second
)

// Validate implements kong's validation, which runs before anything is opened.
func (f *ingestFlags) Validate() error {
	switch {
	case f.Deduplicate < 0:
		return fmt.Errorf("--deduplicate: %s is negative; use 0 to keep duplicates", f.Deduplicate)
	case f.IngestMemory != nil && *f.IngestMemory < minIngestMemory:
		return fmt.Errorf("--ingest-memory: must be at least %s", byteSize(minIngestMemory))
	case f.MaxEvent < minMaxEvent || f.MaxEvent > logbody.MaxBytes:
		return fmt.Errorf("--max-event: %s is not a size from %s to %s", f.MaxEvent, byteSize(minMaxEvent), byteSize(logbody.MaxBytes))
	case strings.ContainsFunc(f.VercelVerify, func(char rune) bool { return char <= ' ' || char > '~' }):
		return fmt.Errorf("--vercel-verify: %q is not a key as Vercel shows it, of printable characters without spaces", f.VercelVerify)
	}
	return nil
}

// chooseMemory sets the memory of ingest unless it is set: most of what Go needs for neither
// itself nor the cache.
func (f *ingestFlags) chooseMemory(budget memoryBudget) {
	if f.IngestMemory != nil {
		return
	}
	left := (budget.goLimit - goMemory(budget.cache)) * 3 / 4
	f.IngestMemory = new(byteSize(min(max(left, minIngestMemory), maxIngestMemory)))
}

// openWriter starts the ingest writer of a store. It calls committed with the events of each
// commit.
func (f *ingestFlags) openWriter(ctx context.Context, store *logstore.Store, data string, committed func([]logevent.Sourced), counted *metrics.Metrics, term *terminal, logger *slog.Logger) (*ingest.Writer, error) {
	sources := make([]string, 0, len(logevent.Sources()))
	for _, source := range logevent.Sources() {
		sources = append(sources, source.Table)
	}
	observer := counted.NewIngest(sources)
	memory := int64(*f.IngestMemory)
	writer, err := ingest.Open(ctx, ingest.Config{
		Store:         store,
		Directory:     filepath.Join(data, logDirectory),
		AcceptMissing: f.AcceptMissingEvents,
		Deduplicate:   f.Deduplicate,
		WaitingBytes:  memory / 2,
		IDBytes:       memory / 4,
		Clock:         term.clock,
		Logger:        logger,
		Observer:      observer,
		Committed:     committed,
	})
	if err != nil {
		return nil, err
	}
	observer.Gauge(writer)
	return writer, nil
}

// handlers returns the handlers of the paths that receive events. The writer is nil if the
// engine has no store of its own.
func (f *ingestFlags) handlers(writer *ingest.Writer, errors *httperror.Writer, term *terminal, logger *slog.Logger) *ingesthttp.Handlers {
	config := ingesthttp.Config{
		MemoryBytes: max(int64(*f.IngestMemory)/4, ingesthttp.MinMemoryBytes), VercelVerify: f.VercelVerify,
		MaxEventBytes: int(f.MaxEvent),
		NewID:         uuid.NewString, Clock: term.clock, Errors: errors, Logger: logger,
	}
	if writer != nil {
		config.Committer = writer
	}
	return ingesthttp.New(config)
}

// closeWriter stores what is committed and ends the writer.
func closeWriter(ctx context.Context, writer *ingest.Writer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ingestDrain)
	defer cancel()
	return writer.Close(ctx)
}

// openForServing opens the store for a server, whose ingest writer checkpoints it.
func openForServing(ctx context.Context, directory, memoryLimit string, options ...logstore.Option) (*logstore.Store, error) {
	return logstore.Open(ctx, directory, memoryLimit, append(options, logstore.WithoutAutomaticCheckpoints())...)
}
