// Package logfile takes files of log events apart into their raw events. It
// tells the format from the content, not from the name: NDJSON, a JSON object,
// a JSON array, {"batch":[…]} or Parquet, each of them plain, gzip or zstd. A
// file of any size is read in bounded memory. What an event means is not judged
// here; package logevent does that.
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
)

// MaxEventBytes is the length of the longest event that is accepted. A longer
// one is skipped as malformed, so that no event can exhaust the memory.
const MaxEventBytes = 16 << 20

// File is an open file of log events. It is for one goroutine.
type File struct {
	input  *meter
	size   int64
	events eventReader
	// failed keeps the error that ended the file.
	failed error
	closes []func() error
}

// eventReader is one format. Its next follows the rules of [File.Next].
type eventReader interface {
	next(ctx context.Context) (raw []byte, line int, err error)
	// progress is the share that was read, from 0 to 1, or a negative number if
	// the bytes taken from the file tell as much.
	progress() float64
}

// Open opens a file and finds out its format. The caller closes it. A Parquet
// file that is compressed as a whole is unpacked into a temporary file first,
// because Parquet is read from its end; the context ends that.
func Open(ctx context.Context, path string) (_ *File, err error) {
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
	if err := file.detect(ctx, path, info.Mode().IsRegular()); err != nil {
		return nil, err
	}
	return file, nil
}

// detect peels off the compression and chooses the reader of the format.
func (f *File) detect(ctx context.Context, path string, regular bool) error {
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
			return errors.New("is no Parquet file, as its name says; rename it if it holds something else")
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

// Next returns the next raw event and the line it starts on, counted from 1; in
// a Parquet file that is the number of the row. The bytes are valid until the
// following call. The error is io.EOF at the end, a [*MalformedError] for a
// part of the file that is no event, after which the caller goes on, and
// anything else if the rest of the file cannot be read; then every further call
// returns the same error.
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

// Size is the size of the file on disk in bytes; 0 for a pipe.
func (f *File) Size() int64 { return f.size }

// Position is how much of Size was read.
func (f *File) Position() int64 {
	if share := f.events.progress(); share >= 0 {
		return int64(share * float64(f.size))
	}
	return f.input.count
}

// Close closes the file and removes what was unpacked.
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

// isPattern says whether DuckDB would take a path for a pattern and read other
// files.
func isPattern(path string) bool {
	absolute, err := filepath.Abs(path)
	return err != nil || strings.ContainsAny(absolute, "*?[")
}
