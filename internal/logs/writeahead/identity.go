package writeahead

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// identity is the content of a file's first record, which has the sequence number 0. It holds
// whatever the name of the file is.
type identity struct {
	// Store is the id of the store whose events the file holds.
	Store string `json:"store"`
	// First and After are the sequence numbers in the name of the file; see [fileName].
	First uint64 `json:"first"`
	After uint64 `json:"after"`
}

// identityBytes is more than an identity takes.
const identityBytes = 512

// newFile returns the content of a file before its first append.
func (i identity) newFile() ([]byte, error) {
	content, err := json.Marshal(i)
	return appendRecord([]byte(fileHeader), 0, content), err
}

// unreadFile is a file that Read has to read.
type unreadFile struct {
	path string
	identity
	// empty is true for a file without the content that it had before its first append.
	empty bool
}

// identify reads the identity of a file. If that is damaged, the identity comes from its name, and
// with another name it has no limits.
func identify(path string) (unreadFile, error) {
	found := unreadFile{path: path}
	found.First, found.After = parseFileName(path)
	file, err := os.Open(path)
	if err != nil {
		return found, err
	}
	start, err := io.ReadAll(io.LimitReader(file, identityBytes))
	if err = errors.Join(err, file.Close()); err != nil {
		return found, err
	}
	found.empty = len(start) <= len(fileHeader)
	rest, _ := strings.CutPrefix(string(start), fileHeader)
	var stated identity
	if first, condition := parseRecord([]byte(rest)); condition == intact && first.sequence == 0 && json.Unmarshal(first.content, &stated) == nil {
		found.identity = stated
	}
	return found, nil
}

// isLimited reports whether the file says which records it can have.
func (f *unreadFile) isLimited() bool { return f.After != math.MaxUint64 }

// note is the content of the file beside the directory of the log. It says what must be in the
// directory, so that the newest file, or all of them, cannot be missing without being missed.
type note struct {
	Store string `json:"store"`
	// Newest is the first sequence number of the newest file.
	Newest uint64 `json:"newest_file"`
	// Accepted is the highest sequence number that is missing with the operator's consent.
	Accepted uint64 `json:"accepted_missing,omitempty"`
}

// notePath is the path of the note of a directory.
func notePath(directory string) string { return filepath.Clean(directory) + ".json" }

// readNote reads the note of a store. There is none before its first append.
func readNote(path, store string) (note, error) {
	none := note{Store: store}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	var found note
	if err := json.Unmarshal(content, &found); err != nil {
		return none, fmt.Errorf("%s is not what was written: %w", path, err)
	}
	if found.Store != store {
		return none, nil
	}
	return found, nil
}

// write replaces the note, which is durable once its directory is synced. After an error it is as
// before.
func (n note) write(path string) error {
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	next := path + ".part"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, ownerOnly)
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}
