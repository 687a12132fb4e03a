package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"savedq/internal/files/durable"
)

// Sum returns the size of a file and its checksum, SHA-256 in hexadecimal digits.
func Sum(path string) (bytes int64, checksum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if bytes, err = io.Copy(hash, file); err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return bytes, hex.EncodeToString(hash.Sum(nil)), nil
}

// Check returns what is wrong with the file of a part in a data directory, or "".
func (p *Part) Check(directory string) (wrong string, err error) {
	path := filepath.Join(directory, Directory, p.FileName())
	bytes, checksum, err := Sum(path)
	switch {
	case os.IsNotExist(err):
		return "it is missing", nil
	case err != nil:
		return "", err
	case bytes != p.Bytes:
		return fmt.Sprintf("it has %d bytes instead of %d", bytes, p.Bytes), nil
	case checksum != p.Checksum:
		return "its checksum is wrong", nil
	}
	return "", nil
}

// SyncFiles makes the names of the files in [Directory] durable.
func SyncFiles(directory string) error {
	return durable.SyncDirectory(filepath.Join(directory, Directory))
}
