package clickhouse

import (
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// FromGoogleSQL translates the text.
func (d Dialect) FromGoogleSQL(query *sqlq.SavedQuery, written string) (*sqlq.Translation, error) {
	return d.fromGoogleSQL(query, written, nil)
}

func (d Dialect) fromGoogleSQL(query *sqlq.SavedQuery, written string, fixed map[string]string) (*sqlq.Translation, error) {
	env := googlesql.EnvironmentOf(d.Located(query))
	env.Target, env.Fixed = googlesql.ClickHouse, fixed
	return googlesql.Translate(written, env)
}

// Located returns the saved query with tables that say where ClickHouse has their rows.
func (d Dialect) Located(query *sqlq.SavedQuery) *sqlq.SavedQuery {
	located := *query
	located.Tables = make(sqlq.Tables, len(query.Tables))
	for i, table := range query.Tables {
		mapped := *table
		mapped.ClickHouse = d.mapping(table)
		located.Tables[i] = &mapped
	}
	return &located
}
