package logstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxDefaultSpill is the default limit of what DuckDB spills to disk, on a disk that has
// twice as much free.
const maxDefaultSpill = 10 << 30

// limitSpill sets the spill limit, unless it is given, so that queries leave room on
// the disk for the store itself. What a process that was killed has spilled is removed
// before. The caller must have the store open, so that no other process is using it.
func (c *config) limitSpill() error {
	if c.file == "" {
		return nil
	}
	if err := removeSpilled(c.file); err != nil {
		return err
	}
	if c.spillLimit != "" {
		return nil
	}
	limit := int64(maxDefaultSpill)
	if free, known := freeBytes(filepath.Dir(c.file)); known {
		limit = min(limit, free/2)
	}
	c.spillLimit = strconv.FormatInt(limit, 10) + "B"
	return nil
}

// spillSetting is the statement that limits what DuckDB spills. Without a file there is
// no place for it.
func (c *config) spillSetting() string {
	if c.file == "" {
		return "SET GLOBAL temp_directory = ''"
	}
	return "SET GLOBAL max_temp_directory_size = '" + c.spillLimit + "'"
}

// removeSpilled removes the files to which an instance of DuckDB has spilled that is no
// more.
func removeSpilled(file string) error {
	directory := file + ".tmp" // DuckDB's default
	left, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look for old temporary files: %w", err)
	}
	for _, entry := range left {
		if !strings.HasPrefix(entry.Name(), "duckdb_temp_") {
			continue
		}
		if err := os.Remove(filepath.Join(directory, entry.Name())); err != nil {
			return fmt.Errorf("remove an old temporary file: %w", err)
		}
	}
	return nil
}
