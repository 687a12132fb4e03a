// Package durable replaces files and makes their names durable, and copies files for backups.
package durable

import (
	"errors"
	"os"
)

// SyncDirectory makes the names of the files in a directory durable: those that were created,
// renamed or removed before.
func SyncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
