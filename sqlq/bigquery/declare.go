package bigquery

import "savedq/sqlq"

// Declare returns the declared type for a column of the SQL, which [Engine.Check] then
// accepts. Whatever has no type of its own is JSON, with all that it is nested in.
func Declare(column sqlq.PlannedColumn) sqlq.Column {
	return sqlq.DeclareColumn(column, scalarOf, holds)
}

// scalarOf returns the declared type for a type of BigQuery that is not nested.
func scalarOf(actual string) sqlq.Type {
	switch actual {
	case "INT64", "FLOAT64", "BOOL", "TIMESTAMP", "DATETIME", "DATE", "STRING":
		return sqlq.Type(actual)
	case "NUMERIC", "BIGNUMERIC":
		return sqlq.Numeric
	case "BYTES", "TIME", "GEOGRAPHY", "INTERVAL":
		return sqlq.String
	}
	return sqlq.JSON
}
