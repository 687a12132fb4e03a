package cli

import (
	"fmt"
	"log/slog"
	"path/filepath"

	"savedq/internal/usage"
)

// usageDirectory is the directory in the data directory with what tokens used.
const usageDirectory = "usage"

// openLedger opens the ledger of a data directory. Every engine needs it, also those without a
// store.
func openLedger(data string, term *terminal, logger *slog.Logger) (*usage.Ledger, error) {
	directory := filepath.Join(data, usageDirectory)
	ledger, err := usage.Open(usage.Config{Directory: directory, Clock: term.clock, Logger: logger})
	if err != nil {
		return nil, fmt.Errorf("--data: usage and budgets cannot be stored in %s: %w", directory, err)
	}
	return ledger, nil
}
