package clickhouse

import (
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// FromGoogleSQL translates the text.
func (d Dialect) FromGoogleSQL(query *sqlq.SavedQuery, written string) (*sqlq.Translation, error) {
	env := googlesql.EnvironmentOf(query)
	env.Target = googlesql.ClickHouse
	for i, table := range query.Tables {
		env.Tables[i].ClickHouse = d.mapping(table)
	}
	return googlesql.Translate(written, env)
}
