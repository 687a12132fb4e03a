package duckdb

import (
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqltext"
)

// sqlText is the SQL of a saved query in which NULLs replace parameters.
type sqlText struct {
	sql     string
	changes []change
}

// change is a parameter that was replaced with a text of another length.
type change struct {
	at     sqltext.Param
	length int
}

// originalOffset returns the offset in the file's SQL of a byte of the text.
func (t sqlText) originalOffset(offset int) int {
	shift := 0
	for _, change := range t.changes {
		start := change.at.Start + shift
		if offset < start {
			break
		}
		if offset < start+change.length {
			return change.at.Start
		}
		shift += change.length - (change.at.End - change.at.Start)
	}
	return offset - shift
}

// originalColumn returns the column in the file of a place in the text. No change begins
// or ends a line.
func (t sqlText) originalColumn(line, column int) int {
	start := 0
	for range line - 1 {
		next := strings.IndexByte(t.sql[start:], '\n')
		if next < 0 {
			return column
		}
		start += next + 1
	}
	return t.originalOffset(start+column-1) - t.originalOffset(start) + 1
}

// sqlTexts returns the SQL for arguments of which some are NULL or lists, in the forms to try, best
// first. A bound NULL has no type, and DuckDB could not choose the function for
// date_trunc('day', $day). So the NULL is written into the SQL, with the type of the
// parameter. The second form has no type for texts: DuckDB compares a time with a bound text,
// and with a NULL, but not with a NULL of type VARCHAR.
func sqlTexts(query *sqlq.SavedQuery, args []sqlq.Arg) []sqlText {
	typed, plain := make(map[string]string), make(map[string]string)
	hasTexts := false
	for _, arg := range args {
		if arg.Type.IsArray() {
			list := listSQL(arg)
			typed[arg.Name], plain[arg.Name] = list, list
			continue
		}
		if arg.Value != nil {
			continue
		}
		null := "CAST(NULL AS " + storageType(arg.Type) + ")"
		typed[arg.Name], plain[arg.Name] = null, null
		if arg.Type == sqlq.String {
			plain[arg.Name], hasTexts = "NULL", true
		}
	}
	if !hasTexts {
		return []sqlText{replaceParams(query, typed)}
	}
	return []sqlText{replaceParams(query, typed), replaceParams(query, plain)}
}

// listSQL is an array parameter in its type, without the element that [listFor] puts first.
// Times are bound as texts.
func listSQL(arg sqlq.Arg) string {
	list, element := "$"+arg.Name+"[2:]", arg.Type.Element()
	if element == sqlq.Timestamp || element == sqlq.Date {
		list = "CAST(" + list + " AS VARCHAR[])"
	}
	return "CAST(" + list + " AS " + storageType(element) + "[])"
}

// replaceParams replaces parameters with texts.
func replaceParams(query *sqlq.SavedQuery, texts map[string]string) sqlText {
	if len(texts) == 0 {
		return sqlText{sql: query.SQL}
	}
	var replaced sqlText
	done := 0
	for _, use := range sqltext.Params(duckdbsql.Dialect{}, query.SQL) {
		if text, ok := texts[use.Name]; ok {
			replaced.sql += query.SQL[done:use.Start] + text
			replaced.changes = append(replaced.changes, change{at: use, length: len(text)})
			done = use.End
		}
	}
	replaced.sql += query.SQL[done:]
	return replaced
}
