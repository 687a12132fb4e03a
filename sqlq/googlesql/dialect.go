package googlesql

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// Dialect is GoogleSQL, which BigQuery speaks: parameters are written @name.
type Dialect struct {
	// forAny means that the text is not for BigQuery alone.
	forAny bool
}

var _ sqlq.Dialect = Dialect{}

// Language is the name of the language.
const Language = "googlesql"

// AnyEngine returns the dialect of query.sql, which every engine runs (D38).
func AnyEngine() Dialect { return Dialect{forAny: true} }

// Name is "bigquery", or "query" for a text that every engine runs.
func (d Dialect) Name() string {
	if d.forAny {
		return "query"
	}
	return "bigquery"
}

// ParamPrefix is "@".
func (Dialect) ParamPrefix() string { return "@" }

// IsComment reports whether a token is a comment.
func (Dialect) IsComment(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "#") || strings.HasPrefix(token, "/*")
}

// RunsGoogleSQL is true: this is the dialect of BigQuery.
func (Dialect) RunsGoogleSQL() bool { return true }

// ReadsFiles is false.
func (Dialect) ReadsFiles() bool { return false }

// IsForDevelopers is false: everybody sends GoogleSQL, within the limits of their token.
func (Dialect) IsForDevelopers() bool { return false }

// Located returns the saved query.
func (Dialect) Located(query *sqlq.SavedQuery) *sqlq.SavedQuery { return query }

// BoundedTable names the table, which the expression itself does not hide in GoogleSQL.
func (Dialect) BoundedTable(table, from string) string {
	quoted := "`" + table + "`"
	return fmt.Sprintf("%s AS (SELECT * FROM %s WHERE timestamp >= @%s AND timestamp < @%s)",
		quoted, cmp.Or(from, quoted), sqlq.FromParam, sqlq.ToParam)
}

// TokenLength returns the length of the token that the text begins with. What the translation cannot read ends a text, or is
// one character.
func (Dialect) TokenLength(sql string) (length int) {
	defer func() {
		switch failure := recover().(type) {
		case nil:
		case *Error:
			if length = len(sql); strings.IndexByte("'\"`/", sql[0]) < 0 && stringPrefix(sql) < 0 {
				_, length = utf8.DecodeRuneInString(sql)
			}
		default:
			panic(failure)
		}
	}()
	if blank := blankEnd(sql, 0); blank > 0 {
		return blank
	}
	return scanToken(sql, 0).end
}

// clockFunction reports whether a function reads the clock, and returns the one that makes the same type of a
// time; empty if that is the time itself.
func clockFunction(name string) (conversion string, isClock bool) {
	switch name {
	case "CURRENT_TIMESTAMP":
		return "", true
	case "CURRENT_DATETIME", "CURRENT_DATE", "CURRENT_TIME":
		return name[len("CURRENT_"):], true
	}
	return "", false
}

// FromGoogleSQL returns the text with the time of the run in place of functions that read the clock (D38). It looks at tokens,
// because BigQuery takes clauses that the parser refuses.
func (Dialect) FromGoogleSQL(_ *sqlq.SavedQuery, written string) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	var changes []sqltext.Change
	tokens := scan(written)
	for i, t := range tokens {
		function, isClock := clockFunction(t.upper)
		if !isClock || i > 0 && (tokens[i-1].is(".") || tokens[i-1].is("AS")) { // a field, or an alias
			continue
		}
		end, now := t.end, "@"+sqlq.NowParam
		switch called := tokens[i+1].is("("); {
		case called && !tokens[i+2].is(")"): // a time zone
			end, now = tokens[i+1].end, function+"("+now+", "
		case called:
			end = tokens[i+2].end
			fallthrough
		default:
			if function != "" {
				now = function + "(" + now + ")"
			}
		}
		changes = append(changes, sqltext.Change{Start: t.start, End: end, Text: now})
	}
	out := sqltext.Rewrite(written, changes...)
	translation := &sqlq.Translation{SQL: out.Text, Written: written, Language: Language, Origins: []sqlq.Origin{{}}}
	shift := 0
	for _, change := range changes {
		shift += len(change.Text) - (change.End - change.Start)
		translation.Origins = append(translation.Origins, sqlq.Origin{At: change.Start + shift - len(change.Text) + (change.End - change.Start), From: change.Start}, sqlq.Origin{At: change.End + shift, From: change.End})
	}
	return translation, nil
}
