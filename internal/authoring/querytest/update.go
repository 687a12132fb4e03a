package querytest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"savedq/sqlq"
)

// Update returns the file with the expectations of its failed cases replaced by what the saved
// query gives. Everything else stays as it is. The outcomes must belong to the file's cases,
// in order.
func Update(file *File, outcomes []*Outcome) ([]byte, error) {
	lines := strings.SplitAfter(string(file.Data), "\n")
	for _, outcome := range slices.Backward(outcomes) { // so that earlier places stay
		if outcome.Passed() {
			continue
		}
		if outcome.Err != nil && outcome.Err.Code.IsServerFault() || outcome.Result == nil && outcome.Err == nil {
			return nil, fmt.Errorf("%s: case %q cannot be recorded: %s", outcome.Case.Place, outcome.Case.Name, outcome.Differences[0])
		}
		updated, err := updateCase(lines, outcome)
		if err != nil {
			return nil, err
		}
		lines = updated
	}
	return []byte(strings.Join(lines, "")), nil
}

// updateCase replaces or adds the lines of the key expect of a case.
func updateCase(lines []string, outcome *Outcome) ([]string, error) {
	place := outcome.Case.Place
	start, indent := place.Line-1, place.Column-1
	if strings.ContainsAny(lines[start][:indent], "{") {
		return nil, fmt.Errorf("%s: case %q is written in braces, so that it cannot be updated; write each key on its own line", place, outcome.Case.Name)
	}
	end := blockEnd(lines, start, indent-1)
	first, last := end, end
	for i := start; i < end; i++ {
		if indentOf(lines[i], i == start, indent) == indent && strings.HasPrefix(lines[i][indent:], "expect:") {
			first, last = i, blockEnd(lines, i, indent)
		}
	}
	if first > start && !strings.HasSuffix(lines[first-1], "\n") {
		lines[first-1] += "\n"
	}
	text := expectationText(outcome, strings.Repeat(" ", indent))
	if first == start { // "- expect:" begins the case
		text = lines[start][:indent] + text[indent:]
	}
	updated := append([]string(nil), lines[:first]...)
	updated = append(updated, text)
	return append(updated, lines[last:]...), nil
}

// indentOf returns the indentation of a line. The first line of a case has its own.
func indentOf(line string, isFirst bool, first int) int {
	if isFirst {
		return first
	}
	return len(line) - len(strings.TrimLeft(line, " "))
}

// blockEnd returns the line after the last one that belongs to the block that starts at a line:
// those that are indented deeper than its key. Empty lines and comments at the end do not
// belong to it.
func blockEnd(lines []string, start, indent int) int {
	end := start + 1
	for i := start + 1; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		deeper := indentOf(lines[i], false, 0) > indent
		switch {
		case text == "":
		case strings.HasPrefix(text, "#"):
			if !deeper {
				return end
			}
		case !deeper:
			return end
		default:
			end = i + 1
		}
	}
	return end
}

// expectationText returns the key expect for what the saved query gives.
func expectationText(outcome *Outcome, indent string) string {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%sexpect:\n", indent)
	if err := outcome.Err; err != nil {
		fmt.Fprintf(&w, "%s  error: {code: %s, message: %s}\n", indent, err.Code, quoted(publicText(err)))
		return w.String()
	}
	if outcome.State != "" {
		fmt.Fprintf(&w, "%s  state: %s\n", indent, outcome.State)
		if want := outcome.Case.Want; want == nil || want.Rows == nil {
			return w.String()
		}
	}
	if outcome.Result.Truncated {
		fmt.Fprintf(&w, "%s  truncated: true\n", indent)
	}
	if want := outcome.Case.Want; want != nil && want.Tolerance > 0 {
		fmt.Fprintf(&w, "%s  tolerance: %s\n", indent, strconv.FormatFloat(want.Tolerance, 'f', -1, 64))
	}
	if len(outcome.Result.Rows) == 0 {
		fmt.Fprintf(&w, "%s  rows: []\n", indent)
		return w.String()
	}
	fmt.Fprintf(&w, "%s  rows:\n", indent)
	for _, row := range outcome.Result.Rows {
		c := comparison{columns: outcome.Result.Columns}
		fmt.Fprintf(&w, "%s    - %s\n", indent, c.showRow(row))
	}
	return w.String()
}

// quoted returns a JSON string, which is one of YAML, too.
func quoted(text string) string {
	return string(sqlq.AppendValue(nil, sqlq.String, text))
}
