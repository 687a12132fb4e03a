package sqlqtest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// wantKey starts the part of a question that is rewritten.
const wantKey = "    want:"

// rewriteWants replaces the wanted results of a case file, in the order of its
// questions, and leaves all the rest of its text as it is.
func rewriteWants(t *testing.T, text string, wants []sqlq.Result) string {
	t.Helper()
	var out strings.Builder
	inside, next := false, 0
	for line := range strings.Lines(text) {
		if inside && strings.HasPrefix(line, wantKey+"\n") {
			t.Fatal("a question has two wanted results")
		}
		if strings.HasPrefix(line, wantKey) {
			require.Less(t, next, len(wants), "the file has more wanted results than questions")
			out.WriteString(wantBlock(wants[next]))
			next++
			inside = true
			continue
		}
		if inside && strings.HasPrefix(line, "      ") {
			continue
		}
		inside = false
		out.WriteString(line)
	}
	require.Len(t, wants, next, "each question has a line %q", wantKey)
	return out.String()
}

// wantBlock writes a wanted result, as the last key of a question.
func wantBlock(want sqlq.Result) string {
	var out strings.Builder
	out.WriteString(wantKey + "\n")
	if want.Truncated {
		out.WriteString("      truncated: true\n")
	}
	if len(want.Rows) == 0 {
		out.WriteString("      rows: []\n")
		return out.String()
	}
	out.WriteString("      rows:\n")
	for i := 0; i < len(want.Rows); {
		length, step := runAt(want, i)
		if length < 3 {
			length = 1
			fmt.Fprintf(&out, "        - [%s]\n", valuesText(want.Columns, want.Rows[i]))
		} else {
			first := want.Columns[:1]
			fmt.Fprintf(&out, "        - {from: %s, to: %s, step: %s, then: [%s]}\n",
				valuesText(first, want.Rows[i][:1]), valuesText(first, want.Rows[i+length-1][:1]), step,
				valuesText(want.Columns[1:], want.Rows[i][1:]))
		}
		i += length
	}
	return out.String()
}

// runAt returns the length and the step of the run of rows that starts at row i.
func runAt(want sqlq.Result, i int) (int, time.Duration) {
	first, isTime := want.Rows[i][0].(time.Time)
	if !isTime || i+1 == len(want.Rows) {
		return 1, 0
	}
	step := want.Rows[i+1][0].(time.Time).Sub(first)
	length := 1
	for i+length < len(want.Rows) {
		row := want.Rows[i+length]
		if !row[0].(time.Time).Equal(first.Add(time.Duration(length)*step)) || !slices.Equal(row[1:], want.Rows[i][1:]) {
			break
		}
		length++
	}
	return length, step
}

// valuesText writes values as the elements of a YAML list.
func valuesText(columns []sqlq.Column, values []any) string {
	texts := make([]string, len(values))
	for i, value := range values {
		switch value := value.(type) {
		case nil:
			texts[i] = "null"
		case time.Time:
			texts[i] = value.Format(layoutOf(columns[i].Type))
		case string:
			texts[i] = strconv.Quote(value)
		case json.RawMessage:
			texts[i] = "'" + strings.ReplaceAll(string(value), "'", "''") + "'"
		case float64:
			texts[i] = strconv.FormatFloat(value, 'f', -1, 64)
		default:
			texts[i] = fmt.Sprint(value)
		}
	}
	return strings.Join(texts, ", ")
}
