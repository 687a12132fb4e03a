package cli

import (
	"fmt"
	"strings"
	"time"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logbody"
)

// ingestFlags configure the ingest writer.
type ingestFlags struct {
	Deduplicate         time.Duration `default:"1d" min:"0s" placeholder:"DURATION" help:"How long the ids of ingested events are remembered, to drop events that are sent again; 0 drops none. Default: ${default}."`
	IngestMemory        *byteSize     `min:"32MiB" placeholder:"SIZE" help:"Most memory for ingest: requests that are being read, events that are not stored yet, and ids for --deduplicate. Default: what Go and the cache leave, at most 512MiB."`
	MaxEvent            byteSize      `default:"12MiB" placeholder:"SIZE" help:"Largest event that may be sent; larger ones are rejected, like malformed ones. From 1KiB to 12MiB, the largest body. Default: ${default}."`
	AcceptMissingEvents bool          `help:"Start although files of the write-ahead log are missing or belong to another store, and go on without their events. Once is enough: the next start does not need it."`
	VercelVerify        string        `placeholder:"KEY" help:"Value of the header x-vercel-verify in responses of /logs/vercel, with which Vercel checks who owns the address of a log drain. Default: no such header."`
}

const (
	// minIngestMemory is what ingest needs for one request of the maximum size.
	minIngestMemory = 32 << 20
	// maxIngestMemory limits ingest unless --ingest-memory is set.
	maxIngestMemory = 512 << 20
)

func (f *ingestFlags) Validate() error {
	switch {
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

// ingestConfig returns the limits of the ingest writer, once the memory has been split.
func (f *ingestFlags) ingestConfig() ingest.Config {
	memory := int64(*f.IngestMemory)
	return ingest.Config{AcceptMissing: f.AcceptMissingEvents, Deduplicate: f.Deduplicate, WaitingBytes: memory / 2, IDBytes: memory / 4}
}

// ingestHTTPConfig returns the limits of the paths that receive events.
func (f *ingestFlags) ingestHTTPConfig() ingesthttp.Config {
	return ingesthttp.Config{
		MemoryBytes: max(int64(*f.IngestMemory)/4, ingesthttp.MinMemoryBytes), VercelVerify: f.VercelVerify, MaxEventBytes: int(f.MaxEvent),
	}
}
