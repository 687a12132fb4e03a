package clickhouse

import (
	"maps"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// settingMistakes returns the settings in the SQL of an author that would override those of each query: its limits, and what
// gives values their meaning. Other settings, such as how a join is made, are the author's.
func (c Config) settingMistakes(query *sqlq.SavedQuery) sqlq.FileErrors {
	if query.Translation != nil { // GoogleSQL has no settings
		return nil
	}
	ours := c.settings(query)
	maps.Copy(ours, ofRows(query.MaxRows))
	var mistakes sqlq.FileErrors
	for _, written := range writtenSettings(query.SQL) {
		name := strings.ToLower(strings.Trim(written.Text, "`\""))
		_, isOurs := ours[name]
		if isOurs || isLimit(name) {
			place := query.PlaceInSQL(sqlq.LineAndColumn(query.SQL, written.Start))
			mistakes = append(mistakes, place.Mistakef("SETTINGS cannot change %s, which savedq sets or which is a limit of the query; leave it out", name))
		}
	}
	return mistakes
}

// isLimit reports whether a setting is a limit, or says what happens at one.
func isLimit(name string) bool {
	return strings.HasPrefix(name, "max_") || strings.HasSuffix(name, "_overflow_mode") || name == "offset" || name == "profile" || name == "allow_ddl"
}

// writtenSettings returns the names of the settings in SQL, those behind SETTINGS.
func writtenSettings(sql string) []sqltext.Token {
	var names []sqltext.Token
	const (
		outside = iota
		name    // behind SETTINGS or a comma
		equals  // behind a name
		value   // behind =
	)
	state, depth := outside, 0
	for token := range sqltext.Tokens(Dialect{}, sql) {
		switch isName := sqltext.NameLength(token.Text) > 0 || token.Text[0] == '`' || token.Text[0] == '"'; {
		case state == name && isName:
			names = append(names, token)
			state = equals
		case state == equals && token.Text == "=":
			state, depth = value, 0
		case (state == equals || state == value) && token.Text == "," && depth == 0:
			state = name
		case state == value && strings.ContainsAny(token.Text, "([{") && len(token.Text) == 1:
			depth++
		case state == value && strings.ContainsAny(token.Text, ")]}") && len(token.Text) == 1 && depth > 0:
			depth--
		case strings.EqualFold(token.Text, "SETTINGS") && depth == 0:
			state = name
		case state == value && depth == 0 && token.Text == ")", state != value:
			state = outside
		}
	}
	return names
}
