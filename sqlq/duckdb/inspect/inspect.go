// Package inspect finds out why a file of a table cannot be read. DuckDB's messages quote the file, and often blame the wrong
// line; this package reads the file again, up to a limit, and names the cause.
package inspect

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"savedq/internal/files/regularfile"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

const (
	// mostBytes is how much of a file is read, decompressed.
	mostBytes = 16 << 20
	// mostRecord is the size up to which DuckDB reads a record of CSV.
	mostRecord = 2_097_152

	parquetMark, encryptedMark = "PAR1", "PARE"
	byteOrderMark              = "\ufeff"
)

// File returns what is wrong with a file, as the rest of a sentence that begins with its name: "line 3 is not valid JSON". It is empty
// if the file has no mistake that this package knows in its first 16 MiB. separator stands between the values of a
// CSV file; empty means a comma.
func File(path, format, separator string) string {
	if format == tables.Parquet {
		return inParquet(path)
	}
	data, isWhole, _ := content(path)
	if mistake := ofEncoding(data, isWhole, format); mistake != "" {
		return mistake
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	switch {
	case len(bytes.TrimSpace(data)) == 0 && isWhole:
		return "the file is empty"
	case format == tables.CSV:
		return inCSV(data, isWhole, separator)
	case format == tables.NDJSON:
		return inNDJSON(data, isWhole)
	}
	return inJSON(data, isWhole)
}

// Encoding is [File] for mistakes of a whole text file: another kind of file, or another encoding.
func Encoding(path, format string) string {
	if format == tables.Parquet {
		return ""
	}
	data, isWhole, _ := content(path)
	return ofEncoding(data, isWhole, format)
}

// inParquet returns what is wrong with a Parquet file, which has a mark at its begin and at its end.
func inParquet(path string) string {
	file, info, err := regularfile.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	start, end := make([]byte, len(parquetMark)), make([]byte, len(parquetMark))
	_, _ = file.ReadAt(start, 0)
	_, _ = file.ReadAt(end, max(0, info.Size()-int64(len(end))))
	switch {
	case info.Size() == 0:
		return "the file is empty"
	case string(start) == encryptedMark:
		return "it is encrypted; write it without encryption"
	case string(start) != parquetMark:
		return "it is not a Parquet file"
	case info.Size() <= int64(len(start)) || string(end) != parquetMark:
		return "it is not a complete Parquet file: its end is missing"
	}
	return "it is damaged, or has an encoding or a compression that cannot be read; write it with the compression ZSTD, SNAPPY, GZIP or none"
}

// content returns the begin of a text file, decompressed, and whether that is the whole. Damage to compressed data is an error.
func content(path string) (data []byte, isWhole bool, err error) {
	file, _, err := regularfile.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }()
	var plain io.Reader = file
	switch tablefiles.Compression(path) {
	case tablefiles.Gzip:
		plain, err = gzip.NewReader(file)
	case tablefiles.Zstd:
		var decoder *zstd.Decoder
		if decoder, err = zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostBytes)); err == nil {
			defer decoder.Close()
			plain = decoder
		}
	}
	if err != nil {
		return nil, false, err
	}
	data, err = io.ReadAll(io.LimitReader(plain, mostBytes+1))
	isWhole = err == nil && len(data) <= mostBytes
	return data[:min(len(data), mostBytes)], isWhole, err
}

// ofEncoding returns why a text is another kind of file, or not UTF-8.
func ofEncoding(data []byte, isWhole bool, format string) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x1f\x8b")), bytes.HasPrefix(data, []byte("\x28\xb5\x2f\xfd")):
		return "" // compressed, which the check of whole files names
	case bytes.HasPrefix(data, []byte(parquetMark)):
		return "it is a Parquet file; its name must end in .parquet"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "it is a ZIP archive, as spreadsheets are; extract it, or save it as " + strings.ToUpper(format)
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return "its encoding is UTF-32; save it as UTF-8"
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")), isUTF16(data):
		return "its encoding is UTF-16; save it as UTF-8"
	}
	if at := invalidUTF8(data, isWhole); at >= 0 {
		return fmt.Sprintf("line %d: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0x%X); save it as UTF-8", lineAt(data, at), data[at])
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return fmt.Sprintf("line %d has a byte 0x00", lineAt(data, at))
	}
	return ""
}

// isUTF16 reports whether every other byte of the begin is zero.
func isUTF16(data []byte) bool {
	const sample = 64
	data = data[:min(len(data), sample)]
	zeros := [2]int{}
	for i, b := range data {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return len(data) > 2 && (zeros[0] == 0) != (zeros[1] == 0) && 2*(zeros[0]+zeros[1]) >= len(data)/2
}

// invalidUTF8 returns the place of a byte that is not UTF-8, or -1.
func invalidUTF8(data []byte, isWhole bool) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			if !isWhole && len(data)-at < utf8.UTFMax { // the limit cuts a character
				return -1
			}
			return at
		}
		at += size
	}
	return -1
}

// lineAt returns the line of a place, from 1.
func lineAt(data []byte, at int) int {
	before := data[:at]
	lines := bytes.Count(before, []byte("\n"))
	if lines == 0 { // as old spreadsheets write them
		lines = bytes.Count(before, []byte("\r"))
	}
	return lines + 1
}
