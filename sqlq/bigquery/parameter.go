package bigquery

import (
	"time"

	"cloud.google.com/go/bigquery"

	"savedq/sqlq"
)

// timestampLayout writes a TIMESTAMP argument in UTC, to the microsecond, which
// is all that arguments hold.
const timestampLayout = "2006-01-02T15:04:05.000000Z07:00"

// parameters returns the arguments and "now" (D1) as BigQuery takes them.
func parameters(args []sqlq.Arg, now time.Time) []bigquery.QueryParameter {
	list := make([]bigquery.QueryParameter, 0, len(args)+1)
	for _, arg := range args {
		list = append(list, bigquery.QueryParameter{Name: arg.Name, Value: parameterValue(arg)})
	}
	return append(list, bigquery.QueryParameter{Name: sqlq.NowParam, Value: now.UTC()})
}

// parameterValue returns an argument so that its type is known even where its
// value is NULL. A TIMESTAMP goes as text, which the SQL reads with
// TIMESTAMP(@name): so every argument but "now" is of a type that a caller can
// paste into the console.
func parameterValue(arg sqlq.Arg) any {
	if timestamp, ok := arg.Value.(time.Time); ok {
		return timestamp.UTC().Format(timestampLayout)
	}
	if arg.Value != nil {
		return arg.Value
	}
	switch arg.Type {
	case sqlq.Int64:
		return bigquery.NullInt64{}
	case sqlq.Float64:
		return bigquery.NullFloat64{}
	case sqlq.Bool:
		return bigquery.NullBool{}
	case sqlq.String, sqlq.Timestamp, sqlq.Datetime, sqlq.Date, sqlq.JSON:
		return bigquery.NullString{}
	}
	return bigquery.NullString{}
}
