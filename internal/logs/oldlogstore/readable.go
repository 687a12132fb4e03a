package logstore

import "strings"

// readableSettings returns the statements that let SQL read files in some directories once it has no other
// access. DuckDB resolves symbolic links and ".." before it compares a path with them. What it has read of a file
// is not kept, because the next run must see a file that was replaced.
func (c *config) readableSettings() []string {
	if len(c.readable) == 0 {
		return nil
	}
	quoted := make([]string, len(c.readable))
	for i, directory := range c.readable {
		quoted[i] = "'" + strings.ReplaceAll(directory, "'", "''") + "'"
	}
	return []string{
		"SET GLOBAL allowed_directories = [" + strings.Join(quoted, ", ") + "]",
		"SET GLOBAL enable_external_file_cache = false",
	}
}
