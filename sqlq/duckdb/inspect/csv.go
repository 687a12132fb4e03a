package inspect

import (
	"bytes"
	"cmp"
	"fmt"
)

// csvReader reads records of CSV as DuckDB does, and knows their lines.
type csvReader struct {
	data      []byte
	separator byte
	// line is the line of the next byte.
	line int
}

// record is a record of CSV.
type record struct {
	values []string
	// line is where it begins.
	line int
	// ending is what ends it; empty at the end of the file.
	ending string
	bytes  int
	// mistake is what is wrong with its quotes, and isOpen means that the data ends within them.
	mistake string
	isOpen  bool
}

// next returns the next record. It must not be called at the end of the data.
func (r *csvReader) next() record {
	found, before := record{line: r.line}, len(r.data)
	for found.ending == "" && found.mistake == "" {
		found.values = append(found.values, r.value(&found))
		if len(r.data) == 0 {
			break
		}
		switch {
		case r.data[0] == r.separator:
			r.data = r.data[1:]
			if len(r.data) == 0 {
				found.values = append(found.values, "")
			}
			continue
		case bytes.HasPrefix(r.data, []byte("\r\n")):
			found.ending = "\r\n"
		default:
			found.ending = string(r.data[:1])
		}
		r.data = r.data[len(found.ending):]
		r.line++
	}
	found.bytes = before - len(r.data)
	return found
}

// value reads a value up to what ends it.
func (r *csvReader) value(in *record) string {
	ends := string(r.separator) + "\r\n"
	if !bytes.HasPrefix(r.data, []byte(`"`)) {
		end := bytes.IndexAny(r.data, ends)
		if end < 0 {
			end = len(r.data)
		}
		value := r.data[:end]
		r.data = r.data[end:]
		return string(value)
	}
	var value []byte
	opened := r.line
	for r.data = r.data[1:]; ; r.data = r.data[1:] {
		end := bytes.IndexByte(r.data, '"')
		if end < 0 {
			in.mistake, in.isOpen = fmt.Sprintf("line %d: a quoted value has no end", opened), true
			r.data = nil
			return ""
		}
		value = append(value, r.data[:end]...)
		r.line += bytes.Count(r.data[:end], []byte("\n"))
		r.data = r.data[end+1:]
		if !bytes.HasPrefix(r.data, []byte(`"`)) {
			break
		}
		value = append(value, '"')
	}
	if len(r.data) > 0 && !bytes.ContainsAny(r.data[:1], ends) {
		in.mistake = fmt.Sprintf("line %d: text follows a quoted value; write a quote within one twice", r.line)
	}
	return string(value)
}

// inCSV returns what is wrong with values that a separator separates.
func inCSV(data []byte, isWhole bool, separator string) string {
	reader := &csvReader{data: data, separator: cmp.Or(separator, ",")[0], line: 1}
	var header record
	mixed := ""
	for len(reader.data) > 0 {
		next := reader.next()
		switch {
		case len(reader.data) == 0 && !isWhole: // the limit cuts it
			if header.line == 0 || next.bytes > mostRecord {
				return tooLong(next)
			}
			return mixed
		case next.bytes > mostRecord:
			return tooLong(next)
		case next.mistake != "":
			return next.mistake
		case header.line == 0:
			header = next
		case len(next.values) == 1 && next.values[0] == "": // an empty line
		case len(next.values) != len(header.values):
			return fmt.Sprintf("line %d has %d values, and the header %d", next.line, len(next.values), len(header.values))
		}
		if next.ending != "" && next.ending != header.ending && mixed == "" {
			mixed = fmt.Sprintf("line %d ends with %s, and line 1 with %s; use one of them", next.line, endingName(next.ending), endingName(header.ending))
		}
	}
	return mixed
}

func tooLong(of record) string {
	return fmt.Sprintf("the record in line %d is longer than 2 MiB, the limit of CSV", of.line)
}

func endingName(ending string) string {
	return map[string]string{"\n": "LF", "\r\n": "CR LF", "\r": "CR"}[ending]
}
