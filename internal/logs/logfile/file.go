// Package logfile splits files of log events into raw events. It detects the format from
// the content: NDJSON, JSON objects one after the other, a JSON array, {"batch":[…]} or
// Parquet; and by their name CSV; each plain, gzip or zstd. It reads files of any size in bounded memory. Package
// logevent decodes the events.
package logfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"savedq/internal/logs/logevent"
)

// MaxEventBytes is the maximum length of an event. Longer ones are skipped as malformed,
// so that no event can exhaust memory.
const MaxEventBytes = 16 << 20

// File is an open file of log events. It is not safe for concurrent use.
type File struct {
	input  *meter
	size   int64
	events eventReader
	// failed is the error that ended the file.
	failed error
	closes []func() error
}

// eventReader is one format. Its next follows the rules of [File.Next].
type eventReader interface {
	next(ctx context.Context) (raw []byte, line int, err error)
	// progress is the share that was read, from 0 to 1, or negative if the position in the
	// file shows it.
	progress() float64
}

// Open opens a file and detects its format. Callers must close it. A compressed Parquet
// file is first unpacked into a temporary file, because Parquet is read from its end. The
// context can cancel that.
func Open(ctx context.Context, path string, csv CSV) (_ *File, err error) {
	input, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file := &File{input: &meter{reader: input}, closes: []func() error{input.Close}}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	info, err := input.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("is a folder, not a file")
	}
	file.size = info.Size()
	if err := file.detect(ctx, path, info.Mode().IsRegular(), csv); err != nil {
		return nil, err
	}
	return file, nil
}

// Read reads a stream, such as the standard input, and detects its format. Callers must close
// the file, which does not close the stream.
func Read(ctx context.Context, stream io.Reader, csv CSV) (_ *File, err error) {
	file := &File{input: &meter{reader: stream}}
	if err := file.detect(ctx, "", false, csv); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// NewStream returns a stream of JSON in any of the formats of a file, except Parquet, that is not compressed. Without
// batches, the member "batch" is one like any other. The stream need not be closed.
func NewStream(content io.Reader, withoutBatches bool) *File {
	events := newTextReader(bufio.NewReaderSize(content, readBufferBytes))
	events.object.withoutBatches = withoutBatches
	return &File{input: &meter{}, events: events}
}

// detect decompresses the file and chooses the reader of the format.
func (f *File) detect(ctx context.Context, path string, regular bool, csv CSV) error {
	outer := bufio.NewReaderSize(f.input, readBufferBytes)
	compression, err := detectCompression(outer)
	if err != nil {
		return err
	}
	content := outer
	if compression != uncompressed {
		unpacked, closeUnpacked, err := decompress(outer, compression)
		if err != nil {
			return err
		}
		f.closes = append(f.closes, closeUnpacked)
		content = bufio.NewReaderSize(unpacked, readBufferBytes)
		if inner, err := detectCompression(content); err != nil {
			return err
		} else if inner != uncompressed {
			return fmt.Errorf("is %s inside of %s; unpack it once", inner, compression)
		}
	}
	parquet, err := startsWith(content, parquetMagic)
	if err != nil {
		return err
	}
	if !parquet {
		if strings.EqualFold(filepath.Ext(path), ".parquet") {
			return errors.New("is not a Parquet file, although its name says so; rename it")
		}
		if csv.isCSV(path) {
			f.events, err = newCSVReader(content, csv)
			return err
		}
		f.events = newTextReader(content)
		return nil
	}
	if compression != uncompressed || !regular || isPattern(path) {
		spooled, remove, err := spool(ctx, content)
		if err != nil {
			return err
		}
		f.closes = append(f.closes, remove)
		path = spooled
	}
	events, err := newParquetReader(ctx, path)
	if err != nil {
		return err
	}
	f.closes = append(f.closes, events.close)
	f.events = events
	return nil
}

// Next returns the next raw event and the line on which it starts, counted from 1. In a
// Parquet file that is the row number. The bytes are valid until the next call. The error
// is io.EOF at the end. It is a [*MalformedError] for a part of the file that is not an
// event, after which callers may continue. After any other error the rest of the file
// cannot be read, and all further calls return the same error.
func (f *File) Next(ctx context.Context) (raw []byte, line int, err error) {
	if f.failed != nil {
		return nil, 0, f.failed
	}
	if f.failed = ctx.Err(); f.failed != nil {
		return nil, 0, f.failed
	}
	raw, line, err = f.events.next(ctx)
	if err == nil {
		return raw, line, nil
	}
	if malformed, ok := errors.AsType[*MalformedError](err); ok {
		return nil, malformed.Line, err
	}
	f.failed = err
	return nil, line, f.failed
}

// Size returns the size of the file on disk in bytes, or 0 for a pipe.
func (f *File) Size() int64 { return f.size }

// Position returns how much of Size was read.
func (f *File) Position() int64 {
	if share := f.events.progress(); share >= 0 {
		return int64(share * float64(f.size))
	}
	return f.input.count
}

// Close closes the file and removes temporary files.
func (f *File) Close() error {
	var errs []error
	for len(f.closes) > 0 {
		last := len(f.closes) - 1
		errs = append(errs, f.closes[last]())
		f.closes = f.closes[:last]
	}
	return errors.Join(errs...)
}

// meter counts the bytes that are read through it.
type meter struct {
	reader io.Reader
	count  int64
}

func (m *meter) Read(buffer []byte) (int, error) {
	n, err := m.reader.Read(buffer)
	m.count += int64(n)
	return n, err
}

// isPattern reports whether DuckDB would read a path as a pattern.
func isPattern(path string) bool {
	absolute, err := filepath.Abs(path)
	return err != nil || strings.ContainsAny(absolute, "*?[")
}

// MalformedError is the error for a part of a file that is not an event. Reading can
// continue.
type MalformedError struct {
	// Line is the line on which the part starts, counted from 1.
	Line int
	// Raw is the part of the file, or the beginning of a long one. It is valid until the
	// next event is read.
	Raw []byte
	// Reason states what is wrong and what is allowed.
	Reason string
}

// Error returns the line and the reason.
func (e *MalformedError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// tooLong returns the error for an event of more than [MaxEventBytes].
func tooLong(line int, raw []byte) *MalformedError {
	return &MalformedError{
		Line:   line,
		Raw:    raw[:min(len(raw), logevent.MaxRejectedBytes)],
		Reason: fmt.Sprintf("event: is longer than %d MiB, which is the limit", MaxEventBytes>>20),
	}
}
