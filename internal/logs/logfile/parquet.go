package logfile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/internal/files/parquetfooter"
	"savedq/internal/files/regularfile"
	"savedq/internal/text/duckjson"
	"savedq/sqlq/duckdb/connect"
)

const (
	// Rows are read in ranges, because the driver holds a whole result in memory. The number
	// of rows adapts to their size, so that a range is close to rangeBytes.
	firstRangeRows = 256
	maxRangeRows   = 1 << 14
	rangeBytes     = 8 << 20

	parquetRowCount = `SELECT num_rows FROM parquet_file_metadata($path)`

	parquetMetadataType = `
SELECT count(*) > 0
FROM (DESCRIBE SELECT * FROM read_parquet($path, binary_as_string = true, hive_partitioning = false))
WHERE column_name = 'metadata' AND column_type = 'JSON'`

	// parquetRange reads rows as JSON objects. DuckDB applies the bounds on the row number
	// while it reads, so a range costs only its rows.
	parquetRange     = parquetRangeHead + parquetRangeTail
	parquetRangeHead = `
SELECT to_json(event)::VARCHAR
FROM (
	SELECT * EXCLUDE (file_row_number)`
	parquetRangeTail = `
	FROM read_parquet($path, binary_as_string = true, file_row_number = true, hive_partitioning = false)
	WHERE file_row_number BETWEEN $first AND $last
	ORDER BY file_row_number
) AS event`

	// parquetTextRange is for files whose metadata is a JSON column. It does not use to_json
	// for metadata, which would write 1e3 as 1000.0.
	parquetTextRange = parquetRangeHead + ` REPLACE (metadata::VARCHAR AS metadata)` + parquetRangeTail
)

// parquetReader reads a Parquet file through a separate in-memory DuckDB.
type parquetReader struct {
	database *sql.DB
	path     string
	// rangeQuery is parquetRange or parquetTextRange.
	rangeQuery string
	rowCount   int64
	// nextRow is the number, counted from 0, of the first row of the next range.
	nextRow int64
	// rangeRows is the number of rows of the next range.
	rangeRows int64
	// rows holds what was read and not yet returned.
	rows []string
	// last is the row that was returned last, as bytes.
	last []byte
}

func newParquetReader(ctx context.Context, path string) (_ *parquetReader, err error) {
	connector, err := connect.New("", configureParquet)
	if err != nil {
		return nil, fmt.Errorf("start the parquet reader: %w", err)
	}
	// DuckDB cannot mistake an absolute path for a URL.
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the file: %w", err), connector.Close())
	}
	if err := checkFooter(absolute); err != nil {
		return nil, errors.Join(err, connector.Close())
	}
	reader := &parquetReader{database: sql.OpenDB(connector), path: absolute, rangeRows: firstRangeRows}
	reader.database.SetMaxOpenConns(1)
	if err := reader.inspect(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the parquet file is truncated or corrupt: %w", err), reader.close())
	}
	return reader, nil
}

// checkFooter returns an error if DuckDB could not read the columns of a file, or would end the process on them.
func checkFooter(path string) error {
	file, info, err := regularfile.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	schema, err := parquetfooter.Read(file, info.Size())
	switch {
	case errors.Is(err, parquetfooter.ErrIncomplete):
		return fmt.Errorf("the parquet file is truncated or corrupt: %w", err)
	case err == nil && schema.Variant:
		err = parquetfooter.ErrVariant
	}
	if err != nil {
		return fmt.Errorf("the parquet file cannot be read: %w", err)
	}
	return nil
}

// inspect reads the head of the file.
func (r *parquetReader) inspect(ctx context.Context) error {
	path := sql.Named("path", r.path)
	if err := r.database.QueryRowContext(ctx, parquetRowCount, path).Scan(&r.rowCount); err != nil {
		return err
	}
	var isText bool
	if err := r.database.QueryRowContext(ctx, parquetMetadataType, path).Scan(&isText); err != nil {
		return err
	}
	r.rangeQuery = parquetRange
	if isText {
		r.rangeQuery = parquetTextRange
	}
	return nil
}

// configureParquet limits memory, sets the time zone to UTC, and prevents DuckDB from
// writing temporary files into the working directory and from fetching extensions. Those
// for Parquet and JSON are built in.
func configureParquet(connection driver.ExecerContext) error {
	for _, statement := range []string{
		"SET memory_limit = '512MB'",
		"SET threads = 1",
		"SET TimeZone = 'UTC'",
		"SET temp_directory = ''",
		"SET autoload_known_extensions = false",
		"SET autoinstall_known_extensions = false",
	} {
		if _, err := connection.ExecContext(context.Background(), statement, nil); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (r *parquetReader) close() error { return r.database.Close() }

func (r *parquetReader) progress() float64 {
	if r.rowCount == 0 {
		return 1
	}
	return float64(r.nextRow-int64(len(r.rows))) / float64(r.rowCount)
}

func (r *parquetReader) next(ctx context.Context) (raw []byte, row int, err error) {
	for len(r.rows) == 0 {
		if r.nextRow >= r.rowCount {
			return nil, 0, io.EOF
		}
		if err := r.readRange(ctx); err != nil {
			return nil, 0, err
		}
	}
	row = int(r.nextRow) - len(r.rows) + 1
	r.last = duckjson.ReplaceNonFinite(append(r.last[:0], r.rows[0]...))
	r.rows[0] = "" // frees the memory before the range ends
	r.rows = r.rows[1:]
	if len(r.last) > MaxEventBytes {
		long := r.last
		r.last = nil
		return nil, row, tooLong(row, long)
	}
	return r.last, row, nil
}

// readRange reads the next rows. If they do not fit into the memory, it tries
// again with fewer.
func (r *parquetReader) readRange(ctx context.Context) error {
	for {
		size, err := r.query(ctx, r.nextRow, r.nextRow+r.rangeRows-1)
		if err == nil {
			r.nextRow += int64(len(r.rows))
			if len(r.rows) == 0 {
				return fmt.Errorf("the parquet file is corrupt: it has %d of its %d rows", r.nextRow, r.rowCount)
			}
			r.rangeRows = nextRangeRows(r.rangeRows, size/int64(len(r.rows)))
			return nil
		}
		if failure, ok := errors.AsType[*duckdb.Error](err); !ok || failure.Type != duckdb.ErrorTypeOutOfMemory || r.rangeRows == 1 {
			return fmt.Errorf("the parquet file cannot be read from row %d on: %w", r.nextRow+1, err)
		}
		r.rangeRows = max(r.rangeRows/8, 1)
	}
}

// nextRangeRows returns the number of rows for which the next range is close to
// rangeBytes. It grows in steps, because longer rows may follow.
func nextRangeRows(current, bytesPerRow int64) int64 {
	return min(max(rangeBytes/max(bytesPerRow, 1), 1), current*4, maxRangeRows)
}

// query reads the rows from first to last into r.rows and returns their size.
func (r *parquetReader) query(ctx context.Context, first, last int64) (size int64, err error) {
	rows, err := r.database.QueryContext(ctx, r.rangeQuery,
		sql.Named("path", r.path), sql.Named("first", first), sql.Named("last", last))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r.rows = r.rows[:0]
	for rows.Next() {
		var event string
		if err := rows.Scan(&event); err != nil {
			return 0, err
		}
		r.rows = append(r.rows, event)
		size += int64(len(event))
	}
	return size, rows.Err()
}

// spool copies a stream into a temporary file, which remove deletes.
func spool(ctx context.Context, content io.Reader) (path string, remove func() error, err error) {
	file, err := os.CreateTemp("", "savedq-*.parquet")
	if err != nil {
		return "", nil, fmt.Errorf("unpack: %w", err)
	}
	remove = func() error { return os.Remove(file.Name()) }
	_, err = io.Copy(file, &cancelableReader{ended: ctx.Err, reader: content})
	if err = errors.Join(err, file.Close()); err != nil {
		return "", nil, errors.Join(fmt.Errorf("unpack: %w", err), remove())
	}
	return file.Name(), remove, nil
}

// cancelableReader fails as soon as its context has ended.
type cancelableReader struct {
	ended  func() error
	reader io.Reader
}

func (c *cancelableReader) Read(buffer []byte) (int, error) {
	if err := c.ended(); err != nil {
		return 0, err
	}
	return c.reader.Read(buffer)
}
