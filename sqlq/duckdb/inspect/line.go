package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"savedq/sqlq/tables"
)

// LineOf returns the first line in which a column of a CSV or JSON file has a value, as DuckDB writes it; 0 if that is not known.
func LineOf(path, format, separator, column, value string) int {
	data, _, err := content(path)
	if err != nil {
		return 0
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	switch format {
	case tables.CSV:
		return lineOfText(data, separator, column, value)
	case tables.NDJSON, tables.JSON:
		return lineOfMember(data, column, value)
	}
	return 0
}

func lineOfText(data []byte, separator, column, value string) int {
	reader := &csvReader{data: data, separator: cmp.Or(separator, ",")[0], line: 1}
	index := -1
	for len(reader.data) > 0 {
		next := reader.next()
		if index < 0 {
			for i, name := range next.values {
				if strings.EqualFold(name, column) {
					index = i
				}
			}
			if index < 0 {
				return 0
			}
			continue
		}
		if index < len(next.values) && next.values[index] == value {
			return next.line
		}
	}
	return 0
}

func lineOfMember(data []byte, column, value string) int {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		_, _ = decoder.Token()
	}
	for decoder.More() {
		var members map[string]json.RawMessage
		start := decoder.InputOffset()
		if decoder.Decode(&members) != nil {
			return 0
		}
		for name, member := range members {
			if strings.EqualFold(name, column) && isWritten(member, value) {
				skipped := len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n,"))
				return lineAt(data, int(start)+skipped)
			}
		}
	}
	return 0
}

// isWritten reports whether DuckDB writes JSON as a text.
func isWritten(member json.RawMessage, value string) bool {
	var text string
	if json.Unmarshal(member, &text) == nil {
		return text == value
	}
	written, err := strconv.ParseFloat(string(member), 64)
	number, other := strconv.ParseFloat(value, 64)
	return string(member) == value || err == nil && other == nil && written == number
}
