package logfile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"savedq/sqlq"
)

// CSV is how files of comma-separated values with a header are read. A row becomes an event: the columns id,
// timestamp, event_message and project are its fields, and all columns but these are strings in its metadata.
// Empty values are left out.
type CSV struct {
	// Always means that every file is of this format; otherwise the name of a file says so, as in
	// orders.csv.gz.
	Always bool
	// Timestamp is the column that has the time of an event; empty means the column timestamp. It is in
	// the metadata, too.
	Timestamp string
}

// isCSV reports whether a file is of this format.
func (c CSV) isCSV(path string) bool {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".zst")
	return c.Always || filepath.Ext(name) == ".csv"
}

// csvReader reads rows as events.
type csvReader struct {
	reader *csv.Reader
	limit  *recordLimit
	// columns are the names in the header, as JSON, and fields those that are fields of an event; others
	// are empty.
	columns []string
	fields  []string
	// timestamp is the index of the column with the time of an event; -1 if there is none.
	timestamp int
	event     []byte
}

// newCSVReader reads the header.
func newCSVReader(content *bufio.Reader, options CSV) (*csvReader, error) {
	skipByteOrderMark(content)
	separator := separatorOf(content)
	limit := &recordLimit{reader: &lineEnds{reader: content, separator: separator, last: '\n', line: 1}, left: MaxEventBytes}
	r := &csvReader{reader: csv.NewReader(limit), limit: limit, timestamp: -1}
	r.reader.Comma, r.reader.ReuseRecord = separator, true
	header, err := r.reader.Read()
	if errors.Is(err, io.EOF) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the header of the CSV cannot be read: %w", reason(err))
	}
	for i, name := range header {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, fmt.Errorf("column %d of the CSV has no name in the header", i+1)
		}
		quoted := sqlq.AppendValue(nil, sqlq.String, name)
		if slices.Contains(r.columns, string(quoted)) {
			return nil, fmt.Errorf("the header of the CSV names the column %s twice", quoted)
		}
		field := ""
		if slices.Contains([]string{"id", "event_message", "project"}, name) {
			field = string(quoted)
		}
		if name == options.Timestamp || options.Timestamp == "" && name == "timestamp" {
			r.timestamp = i
		}
		r.columns, r.fields = append(r.columns, string(quoted)), append(r.fields, field)
	}
	if r.timestamp < 0 && options.Timestamp != "" {
		return nil, fmt.Errorf("the CSV has no column %q for the time of its events; its columns are %s", options.Timestamp, strings.Join(r.columns, ", "))
	}
	return r, nil
}

// separatorOf returns what separates values in the header: a comma, or else a semicolon or a tab.
func separatorOf(content *bufio.Reader) rune {
	line, _ := content.Peek(readBufferBytes)
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	for _, separator := range ",;\t" {
		if bytes.ContainsRune(line, separator) {
			return separator
		}
	}
	return ','
}

func (r *csvReader) progress() float64 { return -1 }

// next implements eventReader.
func (r *csvReader) next(context.Context) (raw []byte, line int, err error) {
	r.limit.left = MaxEventBytes
	record, err := r.reader.Read()
	switch failure, isParse := errors.AsType[*csv.ParseError](err); {
	case err == nil:
	case errors.Is(err, errLongRecord):
		line, _ := r.reader.FieldPos(0)
		return nil, line, fmt.Errorf("the row after line %d is longer than %d MiB; is a quote not closed?", line, MaxEventBytes>>20)
	case isParse:
		return nil, failure.StartLine, &MalformedError{Line: failure.StartLine, Raw: []byte(strings.Join(record, string(r.reader.Comma))), Reason: "row: " + r.describe(failure, len(record))}
	default:
		return nil, 0, err
	}
	line, _ = r.reader.FieldPos(0)
	return r.build(record), line, nil
}

// describe returns what is wrong with a row.
func (r *csvReader) describe(failure *csv.ParseError, values int) string {
	if errors.Is(failure, csv.ErrFieldCount) {
		return fmt.Sprintf("has %d values, and the header has %d", values, len(r.columns))
	}
	return reason(failure).Error()
}

// reason returns an error without the position, which the message has already.
func reason(err error) error {
	if failure, isParse := errors.AsType[*csv.ParseError](err); isParse {
		return failure.Err
	}
	return err
}

// build returns the event of a row.
func (r *csvReader) build(record []string) []byte {
	event := r.event[:0]
	event = append(event, '{')
	for i, value := range record {
		switch {
		case value == "":
		case i == r.timestamp:
			event = append(append(event, `"timestamp":`...), timeValue(value)...)
			event = append(event, ',')
		case r.fields[i] != "":
			event = appendMember(event, r.fields[i], value)
		}
	}
	event = append(event, `"metadata":{`...)
	for i, value := range record {
		if value != "" && r.fields[i] == "" && r.columns[i] != `"timestamp"` {
			event = appendMember(event, r.columns[i], value)
		}
	}
	event = bytes.TrimSuffix(event, []byte{','})
	event = append(event, "}}"...)
	r.event = event
	return event
}

// appendMember appends a member and a comma.
func appendMember(dst []byte, name, value string) []byte {
	return append(sqlq.AppendValue(append(append(dst, name...), ':'), sqlq.String, value), ',')
}

// timeValue returns a time as JSON: a number if it is one.
func timeValue(value string) []byte {
	value = strings.TrimSpace(value)
	if strings.Trim(value, "0123456789.") == "" && json.Valid([]byte(value)) {
		return []byte(value)
	}
	return sqlq.AppendValue(nil, sqlq.String, value)
}

// lineEnds fails at a carriage return that ends a line: the package csv would take what follows for a part of the same value.
type lineEnds struct {
	reader    io.Reader
	separator rune
	// last is the last byte that was read; a line end before the first one.
	last byte
	// quoted is within quotes.
	quoted bool
	line   int
}

// Read implements [io.Reader].
func (l *lineEnds) Read(buffer []byte) (int, error) {
	count, err := l.reader.Read(buffer)
	if l.last != '\r' && !l.quoted && bytes.IndexByte(buffer[:count], '"') < 0 && bytes.IndexByte(buffer[:count], '\r') < 0 {
		l.line += bytes.Count(buffer[:count], []byte{'\n'})
		if count > 0 {
			l.last = buffer[count-1]
		}
		return count, err
	}
	for i, char := range buffer[:count] {
		switch {
		case l.last == '\r' && char != '\n' && !l.quoted:
			whole := bytes.LastIndexByte(buffer[:i], '\n') + 1 // what is on the line would be another error
			return whole, fmt.Errorf("line %d ends with a carriage return alone; convert the line ends to \\n, such as with tr '\\r' '\\n'", l.line)
		case char == '"' && l.quoted:
			l.quoted = false // until the next one, if two stand for one
		case char == '"':
			l.quoted = l.last == '"' || rune(l.last) == l.separator || l.last == '\n'
		case char == '\n':
			l.line++
		}
		l.last = char
	}
	return count, err
}

// errLongRecord is the error for a record that is longer than an event may be.
var errLongRecord = errors.New("a record is too long")

// recordLimit limits how much of a file is read for one record.
type recordLimit struct {
	reader io.Reader
	left   int
}

// Read implements [io.Reader].
func (l *recordLimit) Read(buffer []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRecord
	}
	count, err := l.reader.Read(buffer)
	l.left -= count
	return count, err
}
