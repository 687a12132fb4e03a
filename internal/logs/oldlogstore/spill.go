package logstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxDefaultSpill is the default spill limit on a disk with at least twice as much free
// space.
const maxDefaultSpill = 10 << 30

// limitSpill sets the default spill limit unless one is configured, so that queries leave
// space on the disk for the store. It first removes spilled files of a killed process. The
// caller must have the store open, so that no other process uses it.
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

// spillSetting returns the statement that sets the spill limit. A store in memory does not
// spill.
func (c *config) spillSetting() string {
	if c.file == "" {
		return "SET GLOBAL temp_directory = ''"
	}
	return "SET GLOBAL max_temp_directory_size = '" + c.spillLimit + "'"
}

// removeSpilled removes the spilled files of an earlier instance of DuckDB.
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
