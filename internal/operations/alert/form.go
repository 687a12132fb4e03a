package alert

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"savedq/internal/text/printable"
	"savedq/sqlq"
)

// body returns the body of a message in the form of a target. now is when it is sent.
func (t *Target) body(message *Message, now time.Time) ([]byte, error) {
	switch t.Form {
	case FormSlack:
		return json.Marshal(slackOf(message))
	case FormAlertmanager:
		return json.Marshal([]alertmanagerAlert{alertmanagerOf(message, now)})
	case FormSavedq:
	}
	return json.Marshal(message)
}

// signature returns the value of the header that signs a body: the time at which it is sent, and the
// HMAC-SHA256 of that time, a dot and the body.
func signature(secret string, body []byte, now time.Time) string {
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%s.%s", at, body) // a hash never returns an error
	return "t=" + at + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// timeForPeople is how times are written in messages for people; they are in UTC.
const timeForPeople = "Mon 2 Jan 2006, 15:04 MST"

// headline returns what a message says in one line.
func (m *Message) headline() string {
	what := map[State]string{Firing: "firing", NoData: "no data", Failing: "failing"}[m.State]
	if m.Event == Begin {
		return m.Title + ": " + what + " since " + m.Began.UTC().Format(timeForPeople)
	}
	ended := "no longer " + what
	switch {
	case m.Now == Removed:
		ended = "the alert was removed"
	case m.State == NoData && m.Now == Failing:
		ended = "no longer without data"
	case m.State == NoData:
		ended = "has data again"
	}
	return m.Title + ": " + ended + ", after " + m.Ended.Sub(m.Began).Round(time.Second).String()
}

// details returns the lines below the headline.
func (m *Message) details() string {
	lines := []string{"Query: " + m.Query, "Condition: " + m.Condition}
	if params := paramsText(m.Params); params != "" {
		lines = append(lines, "Parameters: "+params)
	}
	if m.Error != "" {
		lines = append(lines, "Error: "+m.Error)
	}
	return strings.Join(lines, "\n")
}

// rowLines returns the rows as a table of text.
func (m *Message) rowLines() string {
	decoder := json.NewDecoder(bytes.NewReader(m.Rows.Rows))
	decoder.UseNumber()
	var rows []map[string]any
	if decoder.Decode(&rows) != nil || len(rows) == 0 {
		return ""
	}
	var table strings.Builder
	lines := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	cells := make([]string, len(m.Columns))
	writeLine := func(cell func(column Column) string) {
		for i, column := range m.Columns {
			cells[i] = cell(column)
		}
		_, _ = fmt.Fprintln(lines, strings.Join(cells, "\t")) // a Builder never returns an error
	}
	writeLine(func(column Column) string { return column.Name })
	for _, row := range rows {
		writeLine(func(column Column) string { return cellText(row[column.Name], column.Type) })
	}
	_ = lines.Flush()
	if m.Truncated {
		table.WriteString("… more rows were cut off\n")
	}
	return table.String()
}

// mostCellText limits the characters of a value in a table.
const mostCellText = 60

// cellText returns a value of a row, of a type, as people read it in one line.
func cellText(value any, of sqlq.Type) string {
	text := ""
	switch value := value.(type) {
	case nil:
		return "-"
	case string:
		text = value
	case json.Number:
		text = value.String()
		if micros, err := value.Int64(); err == nil && of == sqlq.Timestamp {
			text = time.UnixMicro(micros).UTC().Format("2006-01-02 15:04:05.999999 MST")
		}
	case []any:
		elements := make([]string, len(value))
		for i, element := range value {
			elements[i] = cellText(element, of.Element())
		}
		text = "[" + strings.Join(elements, ", ") + "]"
	default:
		encoded, _ := json.Marshal(value) // cannot fail: it was JSON
		text = string(encoded)
	}
	characters := []rune(strings.Join(strings.Fields(string(printable.Escape([]byte(text)))), " "))
	if len(characters) > mostCellText {
		return string(characters[:mostCellText-1]) + "…"
	}
	return string(characters)
}

// paramsText returns parameters in one line, by name.
func paramsText(params map[string][]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		parts = append(parts, name+"="+strings.Join(params[name], ","))
	}
	return strings.Join(parts, " ")
}
