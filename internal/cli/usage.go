package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"

	"savedq/internal/logs/logstore"
	"savedq/internal/usage"
)

// usageDirectory is the directory in the data directory with what tokens used.
const usageDirectory = "usage"

// isUsageFile reports whether a path in a data directory is that of a file of usage.
func isUsageFile(name string) bool {
	file, found := strings.CutPrefix(name, usageDirectory+"/")
	return found && usage.IsFile(file)
}

// inBackup passes files of usage on as those of a backup.
func inBackup(each func(logstore.BackupFile) error) usage.EachFile {
	return func(name string, size int64, content io.Reader) error {
		return each(logstore.BackupFile{Name: usageDirectory + "/" + name, Size: size, Content: content})
	}
}

// backUpLedger returns a function that adds the usage of a server to a backup.
func backUpLedger(ledger *usage.Ledger) func(context.Context, func(logstore.BackupFile) error) error {
	return func(ctx context.Context, each func(logstore.BackupFile) error) error {
		return ledger.Backup(ctx, inBackup(each))
	}
}

// backUpUsage returns a function that adds the usage of a data directory to a backup.
func backUpUsage(data string) func(context.Context, func(logstore.BackupFile) error) error {
	return func(ctx context.Context, each func(logstore.BackupFile) error) error {
		return usage.Backup(ctx, filepath.Join(data, usageDirectory), inBackup(each))
	}
}

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
