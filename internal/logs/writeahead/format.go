package writeahead

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A file starts with fileHeader. A record has a header of recordHeaderBytes and then its
// content. All integers are little-endian:
//
//	8 bytes  recordMark
//	8 bytes  sequence number
//	4 bytes  length of the content
//	4 bytes  CRC-32C of the content
//	4 bytes  CRC-32C of the header so far
//
// The mark is no valid UTF-8, so text within a record never looks like the start of one.
const (
	fileHeader        = "savedq write-ahead log 1\n"
	recordMark        = "\xf1record\x1f"
	recordHeaderBytes = 28

	fileSuffix     = ".log"
	afterSeparator = "-after-"
	damagedSuffix  = ".damaged"
)

// fileName returns the name of a file. It has two sequence numbers: no record of the file has a
// lower one than first, and no record of an earlier file counts that has a higher one than last.
// They are consecutive unless an append has failed.
func fileName(first, last uint64) string {
	if last+1 == first {
		return fmt.Sprintf("%020d%s", first, fileSuffix)
	}
	return fmt.Sprintf("%020d%s%020d%s", first, afterSeparator, last, fileSuffix)
}

// parseFileName returns the sequence numbers in the name of a file. Another name sets no limits.
func parseFileName(path string) (first, last uint64) {
	name, after, afterFailure := strings.Cut(strings.TrimSuffix(filepath.Base(path), fileSuffix), afterSeparator)
	first, err := strconv.ParseUint(name, 10, 64)
	if err != nil || first == 0 {
		return 0, math.MaxUint64
	}
	if !afterFailure {
		return first, first - 1
	}
	if last, err = strconv.ParseUint(after, 10, 64); err != nil {
		return first, math.MaxUint64
	}
	return first, last
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

func appendRecord(buffer []byte, sequence uint64, content []byte) []byte {
	start := len(buffer)
	buffer = append(buffer, recordMark...)
	buffer = binary.LittleEndian.AppendUint64(buffer, sequence)
	buffer = binary.LittleEndian.AppendUint32(buffer, uint32(len(content))) //nolint:gosec // Records have a few MiB.
	buffer = binary.LittleEndian.AppendUint32(buffer, checksum(content))
	buffer = binary.LittleEndian.AppendUint32(buffer, checksum(buffer[start:]))
	return append(buffer, content...)
}

// record is a record in the content of a file.
type record struct {
	sequence uint64
	content  []byte
}

// bytes returns the length of the record with its header.
func (r *record) bytes() int { return recordHeaderBytes + len(r.content) }

// condition is how the bytes at a place of a file look.
type condition int

const (
	intact condition = iota
	// incomplete bytes are the start of a record at the end of a file.
	incomplete
	broken
)

// parseRecord parses the record that data starts with.
func parseRecord(data []byte) (record, condition) {
	if len(data) < recordHeaderBytes {
		return record{}, incomplete
	}
	header, rest := data[:recordHeaderBytes], data[recordHeaderBytes:]
	sequence, length, isIntact := parseHeader(header)
	if !isIntact {
		return record{}, broken
	}
	if length > int64(len(rest)) {
		return record{}, incomplete
	}
	content := rest[:length]
	if checksum(content) != binary.LittleEndian.Uint32(header[20:]) {
		return record{}, broken
	}
	return record{sequence, content}, intact
}

// parseHeader returns the sequence number of a record and the length of its content, and reports whether its header is intact.
func parseHeader(header []byte) (sequence uint64, length int64, isIntact bool) {
	if string(header[:8]) != recordMark || checksum(header[:24]) != binary.LittleEndian.Uint32(header[24:]) {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(header[8:]), int64(binary.LittleEndian.Uint32(header[16:])), true
}

// readFile reads the records of a file. It skips damaged parts. A file whose first record is not
// its identity is an error.
func readFile(path string, recovery *Recovery, each func(sequence uint64, content []byte) error) (*logFile, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file := &logFile{path: path, bytes: int64(len(content))}
	offset, hasHeader := 0, bytes.HasPrefix(content, []byte(fileHeader))
	if hasHeader {
		offset = len(fileHeader)
	}
	for offset < len(content) {
		found, condition := parseRecord(content[offset:])
		if condition == intact {
			if hasHeader && offset == len(fileHeader) && found.sequence != 0 {
				return nil, fmt.Errorf("a build before 0.1.0 wrote %s; store its events with that one, or move the file away and send them again", path)
			}
			if err := each(found.sequence, found.content); err != nil {
				return nil, err
			}
			file.last = max(file.last, found.sequence)
			offset += found.bytes()
			continue
		}
		next := nextRecord(content, offset+1)
		damage := Damage{Path: path, Offset: int64(offset), Bytes: int64(next - offset)}
		damage.Unfinished = next == len(content) && (condition == incomplete || isZero(content[offset:]))
		file.damaged = file.damaged || !damage.Unfinished
		recovery.Damages = append(recovery.Damages, damage)
		offset = next
	}
	return file, nil
}

// nextRecord returns the offset of the first intact record at or after an offset, or the
// length of the content.
func nextRecord(content []byte, offset int) int {
	for offset < len(content) {
		found := bytes.Index(content[offset:], []byte(recordMark))
		if found < 0 {
			break
		}
		offset += found
		if _, condition := parseRecord(content[offset:]); condition == intact {
			return offset
		}
		offset++
	}
	return len(content)
}

// isZero reports whether all bytes are zero, as they are if a file system crashed after it
// had made a file longer.
func isZero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }
