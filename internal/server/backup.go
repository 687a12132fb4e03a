package server

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"savedq/internal/files/durable"
	"savedq/internal/logs/logstore"
	"savedq/internal/operations/alert"
	"savedq/internal/operations/usage"
)

// usageDirectory is the directory in the data directory with what tokens used.
const usageDirectory = "usage"

// ProcessOf returns the process of the server that uses a data directory, if that is known; see [usage.ServerOf].
func ProcessOf(data string) (pid int, known bool) {
	return usage.ServerOf(filepath.Join(data, usageDirectory))
}

// IsBackedUp reports whether a path in a data directory names a file of usage or of the state of an alert, which
// backups have besides the store.
func IsBackedUp(name string) bool {
	directory, file, _ := strings.Cut(name, "/")
	return directory == usageDirectory && usage.IsFile(file) || directory == alertsDirectory && alert.IsFile(file)
}

// BackUpMore returns a function that adds the usage and the states of alerts in a data directory to a backup.
func BackUpMore(data string) func(ctx context.Context, each func(logstore.BackupFile) error) error {
	return backUpMore(data, func(ctx context.Context, each durable.EachFile) error {
		return usage.Backup(ctx, filepath.Join(data, usageDirectory), each)
	})
}

func backUpMore(
	data string, backUpUsage func(context.Context, durable.EachFile) error,
) func(ctx context.Context, each func(logstore.BackupFile) error) error {
	return func(ctx context.Context, each func(logstore.BackupFile) error) error {
		if err := backUpUsage(ctx, inBackup(usageDirectory, each)); err != nil {
			return err
		}
		return alert.Backup(ctx, filepath.Join(data, alertsDirectory), inBackup(alertsDirectory, each))
	}
}

// inBackup returns a function that adds a file of a directory to a backup.
func inBackup(directory string, each func(logstore.BackupFile) error) durable.EachFile {
	return func(name string, size int64, content io.Reader) error {
		return each(logstore.BackupFile{Name: directory + "/" + name, Size: size, Content: content})
	}
}
