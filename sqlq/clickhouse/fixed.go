package clickhouse

import (
	"slices"
	"strings"
	"sync"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// mostFixed is how many translations are kept that are for certain arguments.
const mostFixed = 256

// fixedTranslations are translations of saved queries for certain arguments of parameters with few values.
type fixedTranslations struct {
	mutex sync.Mutex
	kept  map[string]fixedTranslation
}

// fixedTranslation is a translation, and that for all arguments which it is made from.
type fixedTranslation struct{ of, translation *sqlq.Translation }

// fixed returns the saved query with the SQL for the arguments of parameters that have few values. Its CASE expressions have only the
// branches that can be taken, because ClickHouse takes longer to analyze the others than to read the rows.
func (e *Engine) fixed(statement sqlq.Statement) *sqlq.SavedQuery {
	query := statement.Query
	of := query.Translation
	if of == nil || of.Language != googlesql.Language || query.SQL != of.SQL || query.Callers != nil || !strings.Contains(strings.ToUpper(of.Written), "CASE") {
		return query
	}
	values := make(map[string]string)
	key := []string{query.Name}
	for _, param := range query.Params {
		i := slices.IndexFunc(statement.Args, func(arg sqlq.Arg) bool { return arg.Name == param.Name })
		if len(param.Allowed) == 0 || i < 0 {
			continue
		}
		if value, isText := statement.Args[i].Value.(string); isText {
			values[param.Name] = value
			key = append(key, param.Name, value)
		}
	}
	if len(values) == 0 {
		return query
	}
	fixed := *query
	if fixed.Translation = e.fixedTranslation(query, strings.Join(key, "\x00"), values); fixed.Translation == nil {
		return query
	}
	fixed.SQL = fixed.Translation.SQL
	return &fixed
}

// fixedTranslation returns the translation for certain values of parameters; nil if there is none.
func (e *Engine) fixedTranslation(query *sqlq.SavedQuery, key string, values map[string]string) *sqlq.Translation {
	translations := &e.translations
	translations.mutex.Lock()
	found := translations.kept[key]
	translations.mutex.Unlock()
	if found.of == query.Translation {
		return found.translation
	}
	translation, err := Dialect{OTelLogs: e.config.OTelLogs}.fromGoogleSQL(query, query.Translation.Written, values)
	if err != nil { // That for all arguments is there.
		translation = nil
	}
	translations.mutex.Lock()
	defer translations.mutex.Unlock()
	if translations.kept == nil || len(translations.kept) >= mostFixed {
		translations.kept = make(map[string]fixedTranslation)
	}
	translations.kept[key] = fixedTranslation{query.Translation, translation}
	return translation
}
