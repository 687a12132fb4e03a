package alert

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"savedq/internal/durable"
)

// Backup calls each for the files of a store in a directory. Changes go on meanwhile: each file is whole, as it was
// before or after one.
func Backup(ctx context.Context, directory string, each durable.EachFile) error {
	return durable.Backup(ctx, directory, IsFile, &sync.Mutex{}, each) // changes replace files
}

// IsFile reports whether the record of an alert has a file of that name.
func IsFile(name string) bool {
	return strings.HasSuffix(name, fileSuffix) && filepath.IsLocal(name) && filepath.Base(name) == name
}
