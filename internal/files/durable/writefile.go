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
	return write(path, content, func(*os.File) error { return nil })
}

// ReplaceFile is [WriteFile], but the file has the mode, the owner and the group of another one, such as the old file.
func ReplaceFile(path string, content []byte, like fs.FileInfo) error {
	return write(path, content, func(file *os.File) error {
		return errors.Join(chown(file, like), file.Chmod(like.Mode().Perm()))
	})
}

func write(path string, content []byte, prepare func(*os.File) error) error {
	const ownerOnly fs.FileMode = 0o600
	file, err := os.OpenFile(path+PartSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, ownerOnly)
	if err != nil {
		return err
	}
	err = prepare(file)
	if err == nil {
		_, err = file.Write(content)
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+PartSuffix, path); err != nil {
		return err
	}
	return SyncDirectory(filepath.Dir(path))
}
