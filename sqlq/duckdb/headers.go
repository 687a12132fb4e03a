package duckdb

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"savedq/sqlq/duckdb/tablefiles"
)

// maxHeader is the size up to which headers of CSV files are compared.
const maxHeader = 16 << 10

// headers returns a listing of the first file for each header that CSV files have. A file whose header cannot be
// compared has its own. DuckDB would take milliseconds for each file.
func headers(listing *tablefiles.Listing) []*tablefiles.Listing {
	var found []*tablefiles.Listing
	known := make(map[string]bool)
	for _, file := range listing.Files {
		header := headerLine(file.Path)
		if header != "" && known[header] {
			continue
		}
		known[header] = true
		found = append(found, &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{file}})
	}
	return found
}

// headerLine returns the first line of a CSV file; empty if it cannot be read, or may not be the whole header.
func headerLine(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	var plain io.Reader = file
	switch filepath.Ext(path) {
	case ".gz":
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			return ""
		}
		plain = unzipped
	case ".zst":
		decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return ""
		}
		defer decoder.Close()
		plain = decoder
	}
	line, err := bufio.NewReaderSize(plain, maxHeader).ReadSlice('\n')
	header := strings.TrimSpace(string(line))
	if err != nil || strings.Count(header, `"`)%2 != 0 || strings.HasPrefix(header, "#") {
		return ""
	}
	return header
}
