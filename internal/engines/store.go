package engines

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logstore"
)

const (
	// IngestLog is the directory of the write-ahead log in a data directory.
	IngestLog = "ingest-log"
	// LowMemory is the memory below which DuckDB's allocations beyond its limit matter while
	// queries run.
	LowMemory = 256 << 20
)

// Store is how the embedded store is opened.
type Store struct {
	// Directory is the data directory.
	Directory string
	// MemoryBytes limits DuckDB's memory. The store is frugal if it is less than FrugalBelow.
	MemoryBytes, FrugalBelow int64
	// Program names this program in the store.
	Program string
}

// OpenStore is [logstore.Open] or [logstore.OpenExisting].
type OpenStore func(ctx context.Context, directory, memoryLimit string, options ...logstore.Option) (*logstore.Store, error)

func (s Store) open(ctx context.Context, open OpenStore, options []logstore.Option) (*logstore.Store, error) {
	options = append(options, logstore.WithProgram(s.Program))
	if s.MemoryBytes < s.FrugalBelow {
		options = append(options, logstore.WithFrugality())
	}
	return open(ctx, s.Directory, inBytes(s.MemoryBytes), options...)
}

// OpenSettled opens the store, and stores the events that a killed server has acknowledged and
// not stored, so that a command sees them.
func (s Store) OpenSettled(ctx context.Context, open OpenStore, logger *slog.Logger, options ...logstore.Option) (*logstore.Store, error) {
	store, err := s.open(ctx, open, options)
	if err != nil {
		return nil, err
	}
	log := filepath.Join(s.Directory, IngestLog)
	if _, err := os.Stat(log); errors.Is(err, os.ErrNotExist) {
		return store, nil
	}
	err = ingest.StoreCommitted(ctx, store, log, logger)
	if err == nil { // the log is closed, so a new instance of DuckDB could not read the events there
		_, err = store.Checkpoint(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// inBytes formats a size for DuckDB.
func inBytes(size int64) string { return strconv.FormatInt(size, 10) + "B" }
