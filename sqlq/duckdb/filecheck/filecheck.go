// Package filecheck reads a file of a table before DuckDB does, and finds what DuckDB does not notice, or ends the process on: data
// that is cut short, damaged, not UTF-8 or compressed otherwise than its name says, and brackets that are nested too deep.
package filecheck

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

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

// scan passes a text on to a scanner, without a byte order mark. A text that is not UTF-8 is a fault: on a byte in the middle of a CSV
// file, DuckDB 1.5.6 fails with an internal error, after which it can run nothing else.
func scan(text io.Reader, to scanner) error {
	buffer, cut := make([]byte, bufferBytes), 0
	var line lines
	for isFirst := true; ; isFirst = false {
		count, err := io.ReadFull(text, buffer[cut:])
		isEnd := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !isEnd {
			return err
		}
		read := buffer[:cut+count]
		part := read
		if !isEnd {
			part = read[:len(read)-cutCharacter(read)]
		}
		if !utf8.Valid(part) {
			return notUTF8(part, line)
		}
		line.add(part)
		if isFirst {
			part = bytes.TrimPrefix(part, []byte(byteOrderMark))
		}
		if failure := to.write(part); failure != nil {
			return failure
		}
		if isEnd {
			return to.end()
		}
		cut = copy(buffer, read[len(read)-cutCharacter(read):])
	}
}

// cutCharacter returns how many bytes at the end of a part of a text are the beginning of a character.
func cutCharacter(part []byte) int {
	for count := 1; count < utf8.UTFMax && count <= len(part); count++ {
		if end := part[len(part)-count:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return count
		}
	}
	return 0
}

// lines counts the lines of a text, which end with LF, or with CR as old spreadsheets write them.
type lines struct{ lf, cr int }

func (l *lines) add(part []byte) {
	l.lf += bytes.Count(part, []byte{'\n'})
	if l.lf == 0 {
		l.cr += bytes.Count(part, []byte{'\r'})
	}
}

func (l *lines) number() int { return 1 + cmp.Or(l.lf, l.cr) }

// notUTF8 returns the fault of a part that is not UTF-8, after the lines before it.
func notUTF8(part []byte, before lines) error {
	at := 0
	for at < len(part) {
		if r, size := utf8.DecodeRune(part[at:]); r != utf8.RuneError || size > 1 {
			at += size
			continue
		}
		break
	}
	before.add(part[:at])
	fault := faultf(before.number(), "it is not UTF-8, but perhaps Latin-1 or Windows-1252")
	fault.Detail = fmt.Sprintf(" (byte 0x%X); save it as UTF-8", part[at])
	return fault
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
