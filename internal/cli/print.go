package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"savedq/sqlq"
)

// printResult prints rows in a format: json as in REST responses, ndjson with one row a
// line, csv for spreadsheets, or table for people.
func printResult(w io.Writer, format string, result *sqlq.Result) error {
	switch format {
	case "json":
		_, err := fmt.Fprintf(w, "{\"result\":%s}\n", result.AppendJSON(nil))
		return err
	case "ndjson":
		return printNDJSON(w, result)
	case "csv":
		return printCSV(w, result)
	default:
		return printTable(w, result)
	}
}

func printNDJSON(w io.Writer, result *sqlq.Result) error {
	one := sqlq.Result{Columns: result.Columns, Rows: make([][]any, 1)}
	for _, row := range result.Rows {
		one.Rows[0] = row
		list := one.AppendJSON(nil)
		if _, err := fmt.Fprintf(w, "%s\n", list[1:len(list)-1]); err != nil {
			return err
		}
	}
	return nil
}

func printCSV(w io.Writer, result *sqlq.Result) error {
	out := csv.NewWriter(w)
	if err := out.Write(header(result)); err != nil {
		return err
	}
	for _, row := range result.Rows {
		if err := out.Write(cells(result, row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func printTable(w io.Writer, result *sqlq.Result) error {
	const columnGap = 2
	out := tabwriter.NewWriter(w, 0, 0, columnGap, ' ', 0)
	_, _ = fmt.Fprintln(out, strings.ToUpper(strings.Join(header(result), "\t")))
	for _, row := range result.Rows {
		values := cells(result, row)
		for i := range values {
			values[i] = shorten(values[i])
		}
		_, _ = fmt.Fprintln(out, strings.Join(values, "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "(%s)\n", counted(len(result.Rows), "row"))
	return err
}

func header(result *sqlq.Result) []string {
	names := make([]string, len(result.Columns))
	for i, column := range result.Columns {
		names[i] = column.Name
	}
	return names
}

// cells formats the values of a row. NULL is empty, a TIMESTAMP is RFC 3339.
func cells(result *sqlq.Result, row []any) []string {
	formatted := make([]string, len(row))
	for i, value := range row {
		switch value := value.(type) {
		case nil:
		case string:
			formatted[i] = value
		case float64:
			formatted[i] = strconv.FormatFloat(value, 'f', -1, 64)
		case json.RawMessage:
			formatted[i] = string(value)
		case time.Time:
			formatted[i] = value.Format(time.RFC3339Nano)
			if columnType := result.Columns[i].Type; columnType != sqlq.Timestamp {
				formatted[i] = sqlq.FormatTime(columnType, value)
			}
		default:
			formatted[i] = fmt.Sprint(value)
		}
	}
	return formatted
}

// shorten makes a value fit a table: one line of limited width, without characters that
// control a terminal or change the text direction.
func shorten(text string) string {
	const maxWidth = 80
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, text))
	if len(runes) > maxWidth {
		return string(runes[:maxWidth-1]) + "…"
	}
	return string(runes)
}

// counted returns a number with its noun in singular or plural.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
