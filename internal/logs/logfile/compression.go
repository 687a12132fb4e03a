package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	readBufferBytes = 64 << 10

	// maxZstdWindowBytes limits the window of a zstd file, as the zstd command does without
	// --long.
	maxZstdWindowBytes = 128 << 20

	gzipMagic    = "\x1f\x8b"
	zstdMagic    = "\x28\xb5\x2f\xfd"
	parquetMagic = "PAR1"

	// A zstd file may start with a skippable frame, whose magic number is
	// 0x184D2A50 to 0x184D2A5F in little endian.
	zstdSkippableMagic = "\x2a\x4d\x18"
)

type compression string

const (
	uncompressed compression = "plain"
	gzipped      compression = "gzip"
	zstandard    compression = "zstd"
)

func detectCompression(reader *bufio.Reader) (compression, error) {
	head, err := reader.Peek(len(zstdMagic))
	if err != nil && !errors.Is(err, io.EOF) {
		return uncompressed, err
	}
	switch {
	case bytes.HasPrefix(head, []byte(gzipMagic)):
		return gzipped, nil
	case bytes.HasPrefix(head, []byte(zstdMagic)),
		len(head) == 4 && head[0]&0xf0 == 0x50 && string(head[1:]) == zstdSkippableMagic:
		return zstandard, nil
	}
	return uncompressed, nil
}

func startsWith(reader *bufio.Reader, magic string) (bool, error) {
	head, err := reader.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return string(head) == magic, nil
}

// decompress unpacks a stream, which may consist of several members.
func decompress(packed io.Reader, by compression) (unpacked io.Reader, closeUnpacked func() error, err error) {
	if by == gzipped {
		reader, err := gzip.NewReader(packed)
		if err != nil {
			return nil, nil, describeDamage(err, by)
		}
		// Close releases nothing and only repeats the last error.
		return &unpacker{reader: reader, by: by}, func() error { return nil }, nil
	}
	reader, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxZstdWindowBytes))
	if err != nil {
		return nil, nil, describeDamage(err, by)
	}
	return &unpacker{reader: reader, by: by}, func() error { reader.Close(); return nil }, nil
}

// unpacker explains the errors of damaged files.
type unpacker struct {
	reader io.Reader
	by     compression
}

func (u *unpacker) Read(buffer []byte) (int, error) {
	n, err := u.reader.Read(buffer)
	if err != nil && !errors.Is(err, io.EOF) {
		err = describeDamage(err, u.by)
	}
	return n, err
}

func describeDamage(err error, by compression) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err // the disk failed, not the data
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the file is truncated: its %s data ends too early: %w", by, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("the zstd data needs a window of more than %d MiB; pack it without --long: %w", maxZstdWindowBytes>>20, err)
	}
	return fmt.Errorf("the %s data is corrupt: %w", by, err)
}
