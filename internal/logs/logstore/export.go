package logstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"savedq/sqlq/duckdb/duckdbsql"
)

// Export selects what [Follower.Export] writes.
type Export struct {
	// Directory is where the files are written. It must be one of [WithReadableDirectories].
	Directory string
	// Sources are the tables of the sources; none means all.
	Sources []string
	// From and Through are the first and the last day; the zero time means no limit.
	From, Through time.Time
	// Overwrite allows files that exist to be replaced.
	Overwrite bool
}

// ExportedFile is a Parquet file with the events of a source and a day.
type ExportedFile struct {
	Path   string
	Events int64

	source string
	day    time.Time
}

// Export writes a Parquet file for each source and day that has events, with the columns of the source's view, and calls
// each after each. Files are named source=NAME/day=DAY/events.parquet. A file that exists is [fs.ErrExist] before anything is
// written, unless it may be replaced. What the follower shows must not change meanwhile.
func (f *Follower) Export(ctx context.Context, export Export, each func(ExportedFile) error) error {
	files, err := f.exportedFiles(ctx, export)
	if err != nil {
		return err
	}
	if !export.Overwrite {
		for _, file := range files {
			if _, err := os.Lstat(file.Path); err == nil {
				return fmt.Errorf("%s: %w", file.Path, fs.ErrExist)
			}
		}
	}
	for _, file := range files {
		if err := f.writeExported(ctx, file); err != nil {
			return fmt.Errorf("write %s: %w", file.Path, f.config.nameFullDisk(err))
		}
		if err := each(file); err != nil {
			return err
		}
	}
	return nil
}

// exportedFiles returns the files that are to be written.
func (f *Follower) exportedFiles(ctx context.Context, export Export) (files []ExportedFile, err error) {
	for _, source := range f.Tables().Sources() {
		if len(export.Sources) > 0 && !slices.Contains(export.Sources, source.Name) {
			continue
		}
		file := ExportedFile{source: source.Name}
		query := "SELECT date_trunc('day', timestamp) AS day, count(*) FROM " + duckdbsql.QuoteName(source.Name)
		switch from, through := export.From.UnixMicro(), export.Through.AddDate(0, 0, 1).UnixMicro(); {
		case !export.From.IsZero() && !export.Through.IsZero():
			query += fmt.Sprintf(" WHERE timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d)", from, through)
		case !export.From.IsZero():
			query += fmt.Sprintf(" WHERE timestamp >= make_timestamp(%d)", from)
		case !export.Through.IsZero():
			query += fmt.Sprintf(" WHERE timestamp < make_timestamp(%d)", through)
		}
		err := eachRow(ctx, f.db, query+" GROUP BY day ORDER BY day", nil, []any{&file.day, &file.Events}, func() error {
			file.Path = filepath.Join(export.Directory, "source="+file.source, "day="+file.day.Format(time.DateOnly), "events.parquet")
			files = append(files, file)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find the days of %s: %w", source.Name, err)
		}
	}
	return files, nil
}

// writeExported writes a file under another name first, so that a file is whole.
func (f *Follower) writeExported(ctx context.Context, file ExportedFile) error {
	const ownerOnly = 0o700
	if err := os.MkdirAll(filepath.Dir(file.Path), ownerOnly); err != nil {
		return err
	}
	written := file.Path + ".new"
	defer func() { _ = os.Remove(written) }() // it has been renamed unless writing failed
	_, err := f.db.ExecContext(ctx, fmt.Sprintf("COPY (SELECT * FROM %s WHERE timestamp >= make_timestamp(%d) AND timestamp < make_timestamp(%d) ORDER BY timestamp, id) TO %s (FORMAT parquet, COMPRESSION zstd)",
		duckdbsql.QuoteName(file.source), file.day.UnixMicro(), file.day.AddDate(0, 0, 1).UnixMicro(), quoted(written)))
	if err != nil {
		return err
	}
	return os.Rename(written, file.Path)
}
