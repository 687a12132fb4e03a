package clickhousestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"savedq/internal/files/durable"
)

// FileName is the name of the file that says what is in ClickHouse, in the data directory.
const FileName = "clickhouse.json"

// stateFormat is the format of the file.
const stateFormat = 1

// state is what the file says. Positions are in the write-ahead log.
type state struct {
	Format int    `json:"format"`
	ID     string `json:"id"`
	// Position is up to where all events are in ClickHouse, and Sending up to where they are being added.
	Position uint64 `json:"position"`
	Sending  uint64 `json:"sending"`
}

// readState reads the file, or writes the first one, in a directory that it creates.
func readState(directory string) (state, error) {
	path := filepath.Join(directory, FileName)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		const ownerOnly = 0o700
		if err := os.MkdirAll(directory, ownerOnly); err != nil {
			return state{}, fmt.Errorf("create the data directory: %w", err)
		}
		first := state{Format: stateFormat, ID: uuid.NewString()}
		return first, first.write(directory)
	}
	if err != nil {
		return state{}, fmt.Errorf("read what is in ClickHouse: %w", err)
	}
	var read state
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return state{}, fmt.Errorf("%s is damaged: %w", path, err)
	}
	switch {
	case read.Format != stateFormat:
		return state{}, fmt.Errorf("%s has the format %d, which a later savedq wrote", path, read.Format)
	case read.ID == "" || read.Sending < read.Position:
		return state{}, fmt.Errorf("%s is damaged", path)
	}
	return read, nil
}

func (s state) write(directory string) error {
	content, err := json.Marshal(s)
	if err == nil {
		err = durable.WriteFile(filepath.Join(directory, FileName), append(content, '\n'))
	}
	if err != nil {
		return fmt.Errorf("note what is in ClickHouse: %w", err)
	}
	return nil
}
