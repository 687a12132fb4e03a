package usage

import (
	"context"
	"strings"
	"sync"
	"time"

	"savedq/internal/durable"
)

// Backup writes all changes, and calls each for the files of a copy, by day. Counting and writing
// go on meanwhile. What is written later is not in the copy.
func (l *Ledger) Backup(ctx context.Context, each durable.EachFile) error {
	if err := l.write(); err != nil {
		return err
	}
	return durable.Backup(ctx, l.config.Directory, IsFile, &l.writing, each)
}

// Backup calls each for the files of a directory that no ledger uses, by day. A directory that
// does not exist has none.
func Backup(ctx context.Context, directory string, each durable.EachFile) error {
	return durable.Backup(ctx, directory, IsFile, &sync.Mutex{}, each)
}

// IsFile reports whether the file of a day has a name.
func IsFile(name string) bool {
	day, found := strings.CutSuffix(name, fileSuffix)
	_, err := time.Parse(time.DateOnly, day)
	return found && err == nil
}
