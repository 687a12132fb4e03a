package alert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"savedq/internal/durable"
)

// Store keeps records. A record is stored completely or not at all.
type Store interface {
	Load() ([]*Record, error)
	Save(record *Record) error
	Remove(key string) error
}

const (
	fileSuffix, partSuffix                 = ".json", ".part"
	ownerOnly, ownerOnlyFolder fs.FileMode = 0o600, 0o700
)

// Directory is a store with a file for each alert.
type Directory struct {
	path string
	// step is called before each step that changes the directory; tests end the process there.
	step func(name string) error
}

var _ Store = (*Directory)(nil)

// OpenDirectory returns the store in a directory, which it creates.
func OpenDirectory(path string) (*Directory, error) {
	if err := os.MkdirAll(path, ownerOnlyFolder); err != nil {
		return nil, err
	}
	if err := durable.SyncDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return &Directory{path: path, step: func(string) error { return nil }}, nil
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
		case strings.HasSuffix(entry.Name(), partSuffix):
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
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&record); err != nil {
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
	path := d.file(record.Key)
	if err := d.writePart(path+partSuffix, text); err != nil {
		return err
	}
	if err := d.step("rename"); err != nil {
		return err
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return err
	}
	return d.sync()
}

// Remove implements [Store].
func (d *Directory) Remove(key string) error {
	if err := d.step("remove"); err != nil {
		return err
	}
	if err := os.Remove(d.file(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.sync()
}

func (d *Directory) file(key string) string { return filepath.Join(d.path, key+fileSuffix) }

func (d *Directory) sync() error {
	if err := d.step("sync directory"); err != nil {
		return err
	}
	return durable.SyncDirectory(d.path)
}

// writePart writes a file that is not yet in its place.
func (d *Directory) writePart(path string, text []byte) (err error) {
	if err := d.step("write"); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, ownerOnly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(text); err != nil {
		return err
	}
	if err := d.step("sync file"); err != nil {
		return err
	}
	return file.Sync()
}

// Nowhere is a store that keeps nothing.
type Nowhere struct{}

var _ Store = Nowhere{}

// Load implements [Store].
func (Nowhere) Load() ([]*Record, error) { return nil, nil }

// Save implements [Store].
func (Nowhere) Save(*Record) error { return nil }

// Remove implements [Store].
func (Nowhere) Remove(string) error { return nil }
