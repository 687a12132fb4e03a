package format

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"savedq/sqlq"
)

const (
	csvName = "csv"
	// byteOrderMark makes spreadsheets read CSV as UTF-8.
	byteOrderMark = "\ufeff"
	// formulaStarts are the first characters of texts that spreadsheets take for formulas.
	formulaStarts = "=+-@\t\r\n"
)

// SpreadsheetCSV returns CSV for spreadsheets: it begins with a byte order mark, and a text that
// a spreadsheet would take for a formula has an apostrophe before it.
func SpreadsheetCSV() Format {
	return streamed(Format{Name: "csv for spreadsheets", MediaType: "text/csv", Begin: func(w io.Writer, columns []sqlq.Column) (Writer, error) {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return nil, err
		}
		return newCSV(w, columns, true)
	}})
}

func beginCSV(w io.Writer, columns []sqlq.Column) (Writer, error) { return newCSV(w, columns, false) }

// csvWriter writes a line of column names and a line per row (RFC 4180). Unlike encoding/csv, it
// distinguishes NULL, an empty field, from an empty string (D44).
type csvWriter struct {
	out         io.Writer
	columns     []sqlq.Column
	spreadsheet bool
	lines       []byte
}

func newCSV(w io.Writer, columns []sqlq.Column, spreadsheet bool) (Writer, error) {
	c := &csvWriter{out: w, columns: columns, spreadsheet: spreadsheet}
	for i, name := range sqlq.ColumnNames(columns) {
		c.comma(i)
		c.quote(name)
	}
	c.lines = append(c.lines, '\n')
	return c, c.flush()
}

func (c *csvWriter) Write(batch *sqlq.Batch) error {
	for row := range batch.Rows() {
		for i, value := range row {
			c.comma(i)
			if !sqlq.IsNull(value) {
				c.cell(&c.columns[i], value)
			}
		}
		c.lines = append(c.lines, '\n')
	}
	return c.flush()
}

func (c *csvWriter) End(bool) error { return nil }

func (c *csvWriter) flush() error {
	_, err := c.out.Write(c.lines)
	c.lines = c.lines[:0]
	return err
}

func (c *csvWriter) comma(column int) {
	if column > 0 {
		c.lines = append(c.lines, ',')
	}
}

// cell appends a value that is not NULL.
func (c *csvWriter) cell(column *sqlq.Column, value any) {
	switch value := value.(type) {
	case int64, float64, bool, sqlq.Decimal, time.Time:
		c.lines = appendText(c.lines, column, value)
	case string:
		c.text(value)
	case json.RawMessage:
		if c.spreadsheet && isString(value) {
			c.text(string(appendText(nil, column, value)))
		} else { // with its quotes, a string such as "1" differs from a number
			c.quote(string(value))
		}
	default:
		c.quote(string(appendText(nil, column, value)))
	}
}

// text appends a text, which a spreadsheet must not take for a formula.
func (c *csvWriter) text(text string) {
	if c.spreadsheet && text != "" && strings.IndexByte(formulaStarts, text[0]) >= 0 {
		text = "'" + text
	}
	c.quote(text)
}

// quote appends a text, in quotes if it needs them.
func (c *csvWriter) quote(text string) {
	if text != "" && text[0] != ' ' && !strings.ContainsAny(text, "\",\r\n") {
		c.lines = append(c.lines, text...)
		return
	}
	c.lines = append(c.lines, '"')
	c.lines = append(c.lines, strings.ReplaceAll(text, `"`, `""`)...)
	c.lines = append(c.lines, '"')
}

// isString reports whether JSON is a string.
func isString(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }

// appendText appends a value as text: nothing for NULL, NaN and the infinities, a number without an exponent, a TIMESTAMP
// as RFC 3339, a JSON string without its quotes, and a nested value as JSON.
func appendText(dst []byte, column *sqlq.Column, value any) []byte {
	if sqlq.IsNull(value) {
		return dst
	}
	switch value := value.(type) {
	case string:
		return append(dst, value...)
	case sqlq.Decimal:
		return append(dst, value...)
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case bool:
		return strconv.AppendBool(dst, value)
	case float64:
		return strconv.AppendFloat(dst, value, 'f', -1, 64)
	case json.RawMessage:
		var text string
		if isString(value) && json.Unmarshal(value, &text) == nil {
			return append(dst, text...)
		}
		return append(dst, value...)
	case time.Time:
		if column.Type != sqlq.Timestamp {
			return append(dst, sqlq.FormatTime(column.Type, value)...)
		}
		return value.AppendFormat(dst, time.RFC3339Nano)
	}
	return column.AppendJSON(dst, value)
}
