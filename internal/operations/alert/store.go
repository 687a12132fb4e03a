package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"savedq/internal/files/durable"
)

// Store keeps records. A record is stored completely or not at all.
type Store interface {
	Load() ([]*Record, error)
	Save(record *Record) error
	Remove(key string) error
}

const fileSuffix = ".json"

// Directory is a store with a file for each alert.
type Directory struct{ path string }

var _ Store = (*Directory)(nil)

// OpenDirectory returns the store in a directory, which it creates.
func OpenDirectory(path string) (*Directory, error) {
	const ownerOnly fs.FileMode = 0o700
	if err := os.MkdirAll(path, ownerOnly); err != nil {
		return nil, err
	}
	if err := durable.SyncDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return &Directory{path}, nil
}

// Load implements [Store]. It removes what an interrupted Save left.
func (d *Directory) Load() ([]*Record, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var records []*Record
	for _, entry := range entries {
		path := filepath.Join(d.path, entry.Name())
		switch {
		case strings.HasSuffix(entry.Name(), durable.PartSuffix):
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		case IsFile(entry.Name()):
			record, err := read(path)
			if err != nil {
				return nil, fmt.Errorf("%s cannot be used: %w; remove it to forget the state of this alert", path, err)
			}
			records = append(records, record)
		}
	}
	return records, nil
}

func read(path string) (*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var record Record
	if err := json.Unmarshal(text, &record); err != nil {
		return nil, err
	}
	if record.Key+fileSuffix != filepath.Base(path) {
		return nil, errors.New("it is the file of another alert")
	}
	return &record, nil
}

// Save implements [Store].
func (d *Directory) Save(record *Record) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return durable.WriteFile(d.file(record.Key), text)
}

// Remove implements [Store].
func (d *Directory) Remove(key string) error {
	if err := os.Remove(d.file(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDirectory(d.path)
}

func (d *Directory) file(key string) string { return filepath.Join(d.path, key+fileSuffix) }

// Nowhere is a store that keeps nothing.
type Nowhere struct{}

var _ Store = Nowhere{}

// Load implements [Store].
func (Nowhere) Load() ([]*Record, error) { return nil, nil }

// Save implements [Store].
func (Nowhere) Save(*Record) error { return nil }

// Remove implements [Store].
func (Nowhere) Remove(string) error { return nil }

// Backup calls each for the files of a store in a directory. Changes go on meanwhile: each file is whole, as it was
// before or after one.
func Backup(ctx context.Context, directory string, each durable.EachFile) error {
	return durable.Backup(ctx, directory, IsFile, &sync.Mutex{}, each) // changes replace files
}

// IsFile reports whether the record of an alert has a file of that name.
func IsFile(name string) bool {
	return strings.HasSuffix(name, fileSuffix) && filepath.IsLocal(name) && filepath.Base(name) == name
}
