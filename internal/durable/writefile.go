package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// PartSuffix ends the name of a file that [WriteFile] has not completed.
const PartSuffix = ".part"

// WriteFile replaces a file durably: a crash leaves the old content or the new one. Only the owner
// can read the file.
func WriteFile(path string, content []byte) error {
	const ownerOnly fs.FileMode = 0o600
	file, err := os.OpenFile(path+PartSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, ownerOnly)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+PartSuffix, path); err != nil {
		return err
	}
	return SyncDirectory(filepath.Dir(path))
}
