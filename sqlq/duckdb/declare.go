package duckdb

import (
	"strings"

	"savedq/sqlq"
)

// Declare returns the declared type for a column of the SQL, which [Engine.Check] then
// accepts. Whatever has no type of its own is JSON, with all that it is nested in.
func Declare(column sqlq.PlannedColumn) sqlq.Column {
	return sqlq.DeclareColumn(column, scalarOf, holds)
}

// scalarOf returns the declared type for a type of DuckDB that is not nested.
func scalarOf(actual string) sqlq.Type {
	actual, _, _ = strings.Cut(actual, "(") // DECIMAL(18,3)
	switch {
	case hasMoreDigits(actual) || actual == "HUGEINT": // the type of sum()
		return sqlq.Numeric
	case strings.HasSuffix(actual, "INT") || strings.HasSuffix(actual, "INTEGER"):
		return sqlq.Int64
	case actual == "DOUBLE" || actual == "FLOAT":
		return sqlq.Float64
	case actual == "VARCHAR" || actual == "UUID" || actual == "ENUM":
		return sqlq.String
	case actual == "BOOLEAN":
		return sqlq.Bool
	case strings.HasPrefix(actual, "TIMESTAMP"):
		return sqlq.Timestamp
	case actual == "DATE":
		return sqlq.Date
	}
	return sqlq.JSON
}

// hasMoreDigits reports whether a type has numbers that of the declared types only NUMERIC and
// STRING hold exactly. HUGEINT is not among them: a number beyond 64 bits is an error in an INT64.
func hasMoreDigits(actual string) bool {
	return actual == "DECIMAL" || actual == "UBIGINT" || actual == "UHUGEINT" || actual == "BIGNUM"
}
