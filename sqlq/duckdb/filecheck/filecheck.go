// Package filecheck reads a file of a table before DuckDB does, and finds what DuckDB does not notice, or ends the process on: data
// that is cut short, damaged or compressed otherwise than its name says, and brackets that are nested too deep.
package filecheck

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// FaultError is what is wrong with a file. It names no path.
type FaultError struct {
	// Line is counted from 1; 0 if it is not known, or the format has none.
	Line int
	// Kind is what callers learn of it.
	Kind tablefiles.Kind
	// Reason is a sentence about the file without a capital and a full stop. It has nothing of the file's content.
	Reason string
	// Detail continues the reason with content of the file, or is one with it, for its owner; empty if there is none.
	Detail string
}

// Error returns the fault as its owner should see it.
func (f *FaultError) Error() string {
	text := f.Reason + f.Detail
	if f.Line > 0 {
		text = fmt.Sprintf("line %d: %s", f.Line, text)
	}
	return text
}

func faultf(line int, format string, args ...any) *FaultError {
	return &FaultError{Line: line, Kind: tablefiles.Damaged, Reason: fmt.Sprintf(format, args...)}
}

// scanner looks at the content of a file, which comes in parts. Its errors are [*FaultError].
type scanner interface {
	write(part []byte) error
	// end is called at the end of the file.
	end() error
}

// byteOrderMark can precede the text of a file.
const byteOrderMark = "\uFEFF"

// bufferBytes is how much of a file is read at a time.
const bufferBytes = 256 << 10

// Check reads a file of a table whole, or of Parquet the footer. The error is a [*FaultError] if something is wrong with the file. It
// never waits for the writer of a pipe.
func Check(ctx context.Context, table *sqlq.Table, file tablefiles.File) error {
	opened, info, err := regularfile.Open(file.Path)
	switch {
	case errors.Is(err, regularfile.ErrKind):
		return faultf(0, "it is not a regular file")
	case err != nil:
		return sqlq.WithoutPath(err)
	}
	defer func() { _ = opened.Close() }()
	if table.Files.Format == tables.Parquet {
		return checkParquet(ctx, opened, info.Size(), table.Files.Columns)
	}
	content := bufio.NewReaderSize(&cancelable{ctx.Err, opened}, bufferBytes)
	plain, closePlain, err := decompress(content, tablefiles.Compression(file.Path))
	if err != nil {
		return err
	}
	defer closePlain()
	return scan(plain, scannerOf(table, file))
}

// scannerOf returns what looks at a text file of a table.
func scannerOf(table *sqlq.Table, file tablefiles.File) scanner {
	if table.Files.Format == tables.CSV {
		return newCSVScanner(table.Files.Separator)
	}
	listing := tablefiles.Listing{Table: table, Files: []tablefiles.File{file}}
	return newJSONScanner(table.Files.Format == tables.NDJSON, listing.InFiles())
}

// scan passes a text on to a scanner, without a byte order mark.
func scan(text io.Reader, to scanner) error {
	buffer := make([]byte, bufferBytes)
	count, err := io.ReadFull(text, buffer)
	part := bytes.TrimPrefix(buffer[:count], []byte(byteOrderMark))
	for {
		if failure := to.write(part); failure != nil {
			return failure
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return to.end()
		case err != nil:
			return err
		}
		count, err = io.ReadFull(text, buffer)
		part = buffer[:count]
	}
}

// cancelable fails as soon as its context has ended.
type cancelable struct {
	ended  func() error
	reader io.Reader
}

// Read implements [io.Reader].
func (c *cancelable) Read(buffer []byte) (int, error) {
	if err := c.ended(); err != nil {
		return 0, err
	}
	return c.reader.Read(buffer)
}
