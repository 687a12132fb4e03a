package sqltext

import (
	"cmp"
	"slices"
	"strings"

	"savedq/sqlq"
)

// Change replaces the bytes of a SQL text from Start to End.
type Change struct {
	Start, End int
	Text       string
}

// Rewritten is a SQL text after some changes.
type Rewritten struct {
	Text    string
	from    string
	changes []Change
}

// Rewrite changes a SQL text. The changes must not overlap.
func Rewrite(sql string, changes ...Change) Rewritten {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.Start, b.Start) })
	var text strings.Builder
	done := 0
	for _, change := range changes {
		text.WriteString(sql[done:change.Start] + change.Text)
		done = change.End
	}
	text.WriteString(sql[done:])
	return Rewritten{Text: text.String(), from: sql, changes: changes}
}

// original returns the offset in the original text of a byte of the text. What a change has replaced is
// where it begins. It reports false for what a change has only added.
func (r Rewritten) original(offset int) (int, bool) {
	shift := 0
	for _, change := range r.changes {
		start := change.Start + shift
		if offset < start {
			break
		}
		if offset < start+len(change.Text) {
			return change.Start, change.End > change.Start
		}
		shift += len(change.Text) - (change.End - change.Start)
	}
	return min(offset-shift, len(r.from)), true
}

// Place returns the line and the column in the original text of a byte of the text, or zeros if it was
// added.
func (r Rewritten) Place(offset int) (line, column int) {
	offset, ok := r.original(offset)
	if !ok {
		return 0, 0
	}
	return sqlq.LineAndColumn(r.from, offset)
}

// OriginalPlace returns the line and the column in the original text of a line and a column of the text.
func (r Rewritten) OriginalPlace(line, column int) (int, int) {
	start := 0
	for range line - 1 {
		next := strings.IndexByte(r.Text[start:], '\n')
		if next < 0 {
			return line, column
		}
		start += next + 1
	}
	return r.Place(min(start+column-1, len(r.Text)))
}

// HideTables returns the change that adds common table expressions before the others of a statement.
// They hide tables of the same names. There must be one at least.
func HideTables(dialect sqlq.Dialect, sql string, expressions ...string) Change {
	list := strings.Join(expressions, ",\n")
	withEnd := 0
	for at, token := range tokens(dialect, sql) {
		switch end := at.offset + len(token); {
		case dialect.IsComment(token) || isBlank(token):
		case withEnd == 0 && strings.EqualFold(token, "WITH"):
			withEnd = end
		case withEnd > 0 && strings.EqualFold(token, "RECURSIVE"):
			return Change{end, end, " " + list + ","}
		case withEnd > 0:
			return Change{withEnd, withEnd, " " + list + ","}
		default:
			return Change{at.offset, at.offset, "WITH " + list + " "}
		}
	}
	return Change{}
}

// Bounded returns the change that hides the tables of a series behind their rows from
// [sqlq.FromParam] to [sqlq.ToParam]; none if there are none. from returns what the rows of a table
// are read from, or an empty text for the table itself.
func Bounded(dialect sqlq.Dialect, query *sqlq.SavedQuery, from func(table string) string) Change {
	if query.Series == nil || len(query.Series.Tables) == 0 {
		return Change{}
	}
	var expressions []string
	for _, table := range query.Series.Tables {
		expressions = append(expressions, dialect.BoundedTable(table, from(table)))
		for _, view := range []string{sqlq.TypedRows(table), sqlq.UntypedRows(table)} {
			if strings.Contains(query.SQL, `"`+view+`"`) { // only the translation of GoogleSQL reads these
				expressions = append(expressions, dialect.BoundedTable(view, from(view)))
			}
		}
	}
	return HideTables(dialect, query.SQL, expressions...)
}
