package server

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"savedq/internal/logs/logstore"
	"savedq/internal/usage"
)

// usageDirectory is the directory in the data directory with what tokens used.
const usageDirectory = "usage"

// IsUsageFile reports whether a path in a data directory names a usage file.
func IsUsageFile(name string) bool {
	file, found := strings.CutPrefix(name, usageDirectory+"/")
	return found && usage.IsFile(file)
}

// BackUpUsage returns a function that adds the usage of a data directory to a backup.
func BackUpUsage(data string) func(context.Context, func(logstore.BackupFile) error) error {
	return func(ctx context.Context, each func(logstore.BackupFile) error) error {
		return usage.Backup(ctx, filepath.Join(data, usageDirectory), inBackup(each))
	}
}

// backUpLedger adds the usage of the server to a backup.
func (s *Server) backUpLedger(ctx context.Context, each func(logstore.BackupFile) error) error {
	return s.ledger.Backup(ctx, inBackup(each))
}

// inBackup passes files of usage on as files of a backup.
func inBackup(each func(logstore.BackupFile) error) usage.EachFile {
	return func(name string, size int64, content io.Reader) error {
		return each(logstore.BackupFile{Name: usageDirectory + "/" + name, Size: size, Content: content})
	}
}
