// Package clickhousesqltest reads the cases of ClickHouse's SQL and the events that they read, for the test on DuckDB and for
// the test on ClickHouse itself, whose rows are the expected ones.
//
// A file of cases has SQL, a line with three dashes, and its rows, each an array of JSON. Empty lines stand between cases, and
// lines that begin with # are comments. In place of rows, a case can have "refused: " with a part of the message.
package clickhousesqltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Now is the time of the run of a case.
func Now() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Case is a query with its rows.
type Case struct {
	SQL  string
	Want []string
	// Refused is a part of the message of a query that is refused.
	Refused string
}

// File is a file of cases.
type File struct {
	Path  string
	Cases []Case
	// comments are the lines before each case, and behind the last one.
	comments []string
}

const refused = "refused: "

// Read returns the files of cases in a directory.
func Read(directory string) ([]*File, error) {
	paths, err := filepath.Glob(filepath.Join(directory, "*.sql"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no cases", directory)
	}
	files := make([]*File, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[i] = parse(path, string(text))
	}
	return files, nil
}

func parse(path, text string) *File {
	file := &File{Path: path}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		var comments, lines []string
		for line := range strings.SplitSeq(block, "\n") {
			if strings.HasPrefix(line, "#") && lines == nil {
				comments = append(comments, line)
			} else {
				lines = append(lines, line)
			}
		}
		sql, rows, _ := strings.Cut(strings.Join(lines, "\n"), "\n---")
		one := Case{SQL: strings.TrimSpace(sql)}
		if rows = strings.TrimSpace(rows); strings.HasPrefix(rows, refused) {
			one.Refused = strings.TrimPrefix(rows, refused)
		} else if rows != "" {
			one.Want = strings.Split(rows, "\n")
		}
		file.Cases, file.comments = append(file.Cases, one), append(file.comments, strings.Join(comments, "\n"))
	}
	return file
}

// Write replaces the file by its cases.
func (f *File) Write() error {
	var out strings.Builder
	for i, one := range f.Cases {
		if i > 0 {
			out.WriteString("\n")
		}
		if f.comments[i] != "" {
			out.WriteString(f.comments[i] + "\n")
		}
		out.WriteString(one.SQL + "\n---\n")
		if one.Refused != "" {
			out.WriteString(refused + one.Refused + "\n")
		}
		for _, row := range one.Want {
			out.WriteString(row + "\n")
		}
	}
	return os.WriteFile(f.Path, []byte(out.String()), 0o600)
}

// Event is an event of a log source.
type Event struct {
	Source   string          `json:"source"`
	ID       string          `json:"id"`
	Time     time.Time       `json:"timestamp"`
	Message  *string         `json:"event_message"`
	Project  *string         `json:"project"`
	Metadata json.RawMessage `json:"metadata"`
}

// Events reads a file with an event of JSON in each line.
func Events(path string) ([]Event, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var events []Event
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var event Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		events = append(events, event)
	}
	return events, lines.Err()
}

// Row is the row of the table logs on ClickHouse, in the format JSONEachRow.
func (e *Event) Row() (string, error) {
	attributes, err := e.attributes()
	if err != nil {
		return "", err
	}
	message := ""
	if e.Message != nil {
		message = *e.Message
	}
	row := map[string]any{"id": e.ID, "timestamp": e.Time.UTC().Format("2006-01-02 15:04:05.000000"), "event_message": message, "source": e.Source, "severity_text": severity(attributes)}
	text, err := json.Marshal(row)
	if err != nil {
		return "", err
	}
	var members []string
	for _, one := range attributes {
		key, _ := json.Marshal(one[0])
		value, _ := json.Marshal(one[1])
		members = append(members, string(key)+":"+string(value))
	}
	return strings.TrimSuffix(string(text), "}") + `,"log_attributes":{` + strings.Join(members, ",") + "}}", nil
}

// severity is the level in capitals, if it is one.
func severity(attributes [][2]string) string {
	for _, path := range []string{"level", "parsed.error_severity"} {
		for _, one := range attributes {
			if level := strings.ToUpper(one[1]); one[0] == path {
				if slices.Contains(strings.Fields("TRACE DEBUG INFO NOTICE WARN WARNING ERROR FATAL CRITICAL EMERGENCY ALERT LOG PANIC"), level) {
					return level
				}
				return "INFO"
			}
		}
	}
	return "INFO"
}

// attributes are the paths of metadata with their texts, in the order of the text. A list counts by its first element.
func (e *Event) attributes() ([][2]string, error) {
	var found [][2]string
	var walk func(path string, value json.RawMessage) error
	walk = func(path string, value json.RawMessage) error {
		switch value[0] {
		case '[':
			var list []json.RawMessage
			if err := json.Unmarshal(value, &list); err != nil || len(list) == 0 {
				return err
			}
			if path != "" && list[0][0] == '[' {
				return nil
			}
			return walk(path, list[0])
		case '{':
			decoder := json.NewDecoder(bytes.NewReader(value))
			_, _ = decoder.Token()
			for decoder.More() {
				name, err := decoder.Token()
				if err != nil {
					return err
				}
				var member json.RawMessage
				if err := decoder.Decode(&member); err != nil {
					return err
				}
				if err := walk(strings.TrimPrefix(path+"."+fmt.Sprint(name), "."), member); err != nil {
					return err
				}
			}
			return nil
		case 'n':
			return nil
		}
		text := string(value)
		if value[0] == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
		}
		found = append(found, [2]string{path, text})
		return nil
	}
	if len(e.Metadata) == 0 {
		return nil, nil
	}
	return found, walk("", e.Metadata)
}

// Text writes a value of a row in the same way whichever engine it is from: numbers with 12 digits, times without zeros at
// their ends.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		if value == "-nan" {
			value = "nan"
		}
		text, _ := json.Marshal(trimTime(value))
		return string(text)
	case bool:
		return strconv.FormatBool(value)
	case json.Number:
		if whole, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.FormatInt(whole, 10)
		}
		number, err := value.Float64()
		if err != nil {
			return string(value)
		}
		return Text(number)
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return strconv.Quote(strings.ToLower(strings.TrimPrefix(fmt.Sprint(value), "+"))) // ClickHouse also has a negative NaN
		}
		return strconv.FormatFloat(value, 'g', 12, 64)
	case time.Time:
		return Text(value.UTC().Format("2006-01-02 15:04:05.000000"))
	case []any:
		parts := make([]string, len(value))
		for i, one := range value {
			parts[i] = Text(one)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for key, one := range value {
			parts = append(parts, Text(key)+":"+Text(one))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return fmt.Sprint(value)
}

// trimTime removes the zeros of a fraction from a time.
func trimTime(text string) string {
	if moment, err := time.Parse("2006-01-02 15:04:05.999999999", text); err == nil && strings.Contains(text, ".") {
		return moment.Format("2006-01-02 15:04:05.999999999")
	}
	return text
}

// Rows writes rows. Those of a query without an order are sorted.
func Rows(sql string, rows [][]any) []string {
	var texts []string
	for _, row := range rows {
		texts = append(texts, Text(row))
	}
	if !strings.Contains(strings.ToLower(sql), "order by") {
		slices.Sort(texts)
	}
	return texts
}
