package logstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/logs/parts"
	"savedq/sqlq/duckdb/connect"
	"savedq/sqlq/duckdb/functions"
)

// instance is an instance of DuckDB. What it has is in memory, so a new one begins with nothing; see [Store.restore].
type instance struct {
	duckdb *duckdb.Connector
	// invalid is set once it refuses to work.
	invalid atomic.Bool
	// connections is the number of open connections. The connector's mutex guards it.
	connections int
	// attached are the parts that it has open, and those whose files must be removed, by the names of their catalogs.
	// [attachments.mutex] guards it.
	attached map[string]attachment
	// store is the store that an instance of a [Follower] shows, and state is the file whose rows the tables of the state have.
	store, state string
}

// spillDirectory is the beginning of the names of the directories with temporary files. Each
// instance has its own: an earlier one may still run queries.
const spillDirectory = "spill"

// newInstance starts an instance, and locks its configuration.
func (c *config) newInstance(ctx context.Context) (*instance, error) {
	connector, err := connect.New("?autoinstall_known_extensions=false&autoload_known_extensions=false", nil)
	if err != nil {
		return nil, fmt.Errorf("start DuckDB: %w", err)
	}
	started := &instance{duckdb: connector, attached: make(map[string]attachment)}
	err = started.with(func(db *sql.DB) error {
		if err := functions.Register(ctx, db); err != nil {
			return err
		}
		return c.prepare(ctx, db)
	})
	if err != nil {
		return nil, errors.Join(err, connector.Close())
	}
	return started, nil
}

// with runs work on the instance, which stays open.
func (i *instance) with(work func(db *sql.DB) error) error {
	db := sql.OpenDB(leftOpen{i.duckdb})
	return errors.Join(work(db), db.Close())
}

// leftOpen is a connector that a pool does not close.
type leftOpen struct{ driver.Connector }

func (c *config) prepare(ctx context.Context, db *sql.DB) error {
	settings := []string{
		"SET GLOBAL TimeZone = 'UTC'",
		// Reading the newest hundred entries fetches the wide columns of those alone.
		"SET GLOBAL late_materialization_max_rows = 1000",
		// Writing a part holds one row group in memory, and not five.
		"SET GLOBAL write_buffer_row_group_count = 1",
		"SET GLOBAL temp_directory = ''",
	}
	if c.memoryLimit != "" {
		settings = append(settings, "SET GLOBAL memory_limit = "+quoted(c.memoryLimit))
	}
	allowed := make([]string, 0, len(c.readable)+1)
	for _, directory := range c.readable {
		allowed = append(allowed, quoted(directory))
	}
	if c.spillIn != "" {
		if err := c.limitSpill(); err != nil {
			return err
		}
		c.instances++
		spill := filepath.Join(c.spillIn, spillDirectory)
		if c.instances > 1 {
			spill += "-" + strconv.Itoa(c.instances)
		}
		settings = append(settings, "SET GLOBAL temp_directory = "+quoted(spill), "SET GLOBAL max_temp_directory_size = "+quoted(c.spillLimit))
	}
	if c.directory != "" {
		allowed = append(allowed, quoted(filepath.Join(c.directory, parts.Directory)))
	}
	// DuckDB's cache of files is off, because the next run must see a file that was replaced.
	settings = append(settings, "SET GLOBAL allowed_directories = ["+strings.Join(allowed, ", ")+"]", "SET GLOBAL enable_external_file_cache = false",
		connect.AllowLater, "SET GLOBAL enable_external_access = false", "SET GLOBAL lock_configuration = true")
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("start DuckDB: %w", err)
	}
	defer func() { _ = conn.Close() }()
	for _, setting := range settings {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			return fmt.Errorf("prepare DuckDB: %w", err)
		}
	}
	return nil
}

// limitSpill removes the temporary files of a killed process, and sets the default of the limit of the space for them.
// For later instances it does nothing.
func (c *config) limitSpill() error {
	if c.instances > 0 {
		return nil
	}
	spilled, err := filepath.Glob(filepath.Join(c.spillIn, spillDirectory+"*", "duckdb_temp_*"))
	if err != nil {
		return err
	}
	for _, path := range spilled {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("remove an old temporary file: %w", err)
		}
	}
	later, err := filepath.Glob(filepath.Join(c.spillIn, spillDirectory+"-*"))
	if err != nil {
		return err
	}
	for _, path := range later {
		_ = os.Remove(path) // another file stays
	}
	if c.spillLimit != "" {
		return nil
	}
	most := int64(maxDefaultSpill)
	if free, known := freeBytes(c.spillIn); known {
		most = min(most, free/2)
	}
	c.spillLimit = strconv.FormatInt(most, 10) + "B"
	return nil
}
