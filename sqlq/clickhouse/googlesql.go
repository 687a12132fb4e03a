package clickhouse

import (
	"savedq/sqlq"
	"savedq/sqlq/googlesql"
)

// FromGoogleSQL refuses the text: there is no translation for ClickHouse.
func (Dialect) FromGoogleSQL(*sqlq.SavedQuery, string) (*sqlq.Translation, error) {
	return nil, &googlesql.Error{Message: "is not translated for ClickHouse; write clickhouse.sql beside it"}
}
