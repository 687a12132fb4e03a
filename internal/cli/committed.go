package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"savedq/internal/logs/ingest"
	"savedq/internal/logs/logstore"
)

// withCommitted returns a function that opens a store like another one, and stores the events that a
// killed server has acknowledged and not stored, so that a command sees them.
func withCommitted(open openStore, term *terminal) openStore {
	return func(ctx context.Context, directory, memoryLimit string, options ...logstore.Option) (*logstore.Store, error) {
		store, err := open(ctx, directory, memoryLimit, options...)
		if err != nil {
			return nil, err
		}
		log := filepath.Join(directory, logDirectory)
		if _, err := os.Stat(log); errors.Is(err, os.ErrNotExist) {
			return store, nil
		}
		logger := slog.New(slog.NewTextHandler(term.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if err := ingest.StoreCommitted(ctx, store, log, logger); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		return store, nil
	}
}
