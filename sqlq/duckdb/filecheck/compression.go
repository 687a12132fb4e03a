package filecheck

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"savedq/internal/files/regularfile"
	"savedq/sqlq"
	"savedq/sqlq/duckdb/tablefiles"
)

// maxWindow limits the memory for a zstd file, as the zstd command does without --long.
const maxWindow = 128 << 20

// decompress returns the text of a file, which has the compression that its name says. Reading it fails if a checksum is wrong, or the
// data are cut short or followed by others. Several members, one after the other, are one text.
func decompress(content *bufio.Reader, compression string) (text io.Reader, closeText func(), err error) {
	actual := compressionOf(content)
	switch {
	case actual == compression:
	case compression == tablefiles.Uncompressed:
		return nil, nil, faultf(0, "it is compressed with %s, and its name does not say so; name it .gz or .zst", actual)
	case actual == tablefiles.Uncompressed:
		return nil, nil, faultf(0, "its name says that it is compressed with %s, and it is not", compression)
	default:
		return nil, nil, faultf(0, "it is compressed with %s, and its name says %s", actual, compression)
	}
	switch compression {
	case tablefiles.Gzip:
		reader, err := gzip.NewReader(content)
		if err != nil {
			return nil, nil, damage(err, compression)
		}
		return &unpacker{reader, compression}, func() {}, nil
	case tablefiles.Zstd:
		reader, err := zstd.NewReader(content, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, damage(err, compression)
		}
		return &unpacker{reader, compression}, reader.Close, nil
	}
	return content, func() {}, nil
}

// IsMarkedList reports whether a JSON file is a list behind a byte order mark, which DuckDB 1.5.6 takes for a row unless it is told.
// Of a file that cannot be read it reports false.
func IsMarkedList(path string) bool {
	opened, _, err := regularfile.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = opened.Close() }()
	plain, closePlain, err := decompress(bufio.NewReader(opened), tablefiles.Compression(path))
	if err != nil {
		return false
	}
	defer closePlain()
	text := bufio.NewReader(plain)
	if mark, _ := text.Peek(len(byteOrderMark)); string(mark) != byteOrderMark {
		return false
	}
	_, _ = text.Discard(len(byteOrderMark))
	for {
		next, err := text.ReadByte()
		if err != nil || !bytes.ContainsRune([]byte(" \t\r\n"), rune(next)) {
			return err == nil && next == '['
		}
	}
}

// compressionOf returns the compression that the first bytes of a file say.
func compressionOf(content *bufio.Reader) string {
	head, _ := content.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return tablefiles.Gzip
	case string(head) == "\x28\xb5\x2f\xfd", len(head) == 4 && head[0]&0xf0 == 0x50 && string(head[1:]) == "\x2a\x4d\x18": // a skippable frame
		return tablefiles.Zstd
	}
	return tablefiles.Uncompressed
}

// unpacker returns damage as a [*FaultError].
type unpacker struct {
	reader      io.Reader
	compression string
}

// Read implements [io.Reader].
func (u *unpacker) Read(buffer []byte) (int, error) {
	count, err := u.reader.Read(buffer)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err, u.compression)
	}
	return count, err
}

// damage returns what is wrong with compressed data, or the error of reading the file.
func damage(err error, compression string) error {
	var failed *fs.PathError
	switch {
	case errors.As(err, &failed):
		return sqlq.WithoutPath(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return faultf(0, "it is cut short: its %s data are not complete", compression)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		return faultf(0, "other data follow its %s data", compression)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return faultf(0, "it is damaged: the checksum of its %s data is wrong", compression)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return faultf(0, "its zstd data need a window of more than %d MiB; compress it without --long", maxWindow>>20)
	}
	return faultf(0, "it is damaged: its %s data cannot be decompressed", compression)
}
