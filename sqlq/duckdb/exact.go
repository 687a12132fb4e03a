package duckdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/inspect"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// exact returns an error that names a value of files which its column cannot hold, and which DuckDB would round or refuse
// without its place. The texts of CSV and JSON files and of partitions are read for that, and those numbers of Parquet files
// whose type has more digits, once for each version of a file. All columns of CSV files are read for that, because DuckDB counts
// the values of a line only as far as it needs them. Any other file that cannot be read is no mistake here: a query that does not
// need it can still run.
func exact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, types map[string]string) error {
	if len(listing.Files) == 0 {
		return nil
	}
	if err := namedNull(listing); err != nil {
		return err
	}
	columns, conditions := inexactColumns(listing, types)
	isCSV := listing.Table.Files.Format == tables.CSV
	if isCSV {
		conditions = append(conditions, "strlen("+valuesColumn+") < 0")
	}
	if len(conditions) == 0 {
		return nil
	}
	err := findInexact(ctx, db, listing, columns, conditions)
	if isCSV && len(listing.Files) == 1 && err != nil && ctx.Err() == nil {
		err = scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	if mistake := new(sqlq.Error); err == nil || len(listing.Files) == 1 && !errors.As(err, &mistake) {
		return ctx.Err()
	} else if errors.As(err, &mistake) || ctx.Err() != nil {
		return err
	}
	for _, file := range listing.Files {
		if err := exact(ctx, db, &tablefiles.Listing{Table: listing.Table, Files: []tablefiles.File{file}}, types); err != nil {
			return err
		}
	}
	return nil
}

// namedNull returns an error that names a directory such as day=NULL. DuckDB reads no value from it, whatever wrote it meant.
func namedNull(listing *tablefiles.Listing) error {
	for _, file := range listing.Files {
		for name, value := range tablefiles.Partitions(file.Path) {
			if strings.EqualFold(value, "NULL") && slices.ContainsFunc(listing.Table.Files.Columns, func(column sqlq.Column) bool { return strings.EqualFold(column.Name, name) }) {
				detail := fmt.Sprintf("%s: its column %s has the value %s, which can be a text or no value; name the directory %s=__HIVE_DEFAULT_PARTITION__ for no value",
					sqlq.Quote(file.Name), name, sqlq.Quote(value), name)
				return tablefiles.NewReadError(listing.Table, tablefiles.Value, detail, nil)
			}
		}
	}
	return nil
}

// inexactColumns returns the columns of files that may not hold their values, each with the condition for a value that it
// does not hold. types are DuckDB's types of the columns of Parquet files.
func inexactColumns(listing *tablefiles.Listing, types map[string]string) (columns []sqlq.Column, conditions []string) {
	partitions := listing.Partitions()
	for _, column := range listing.Table.Files.Columns {
		name, condition := duckdbsql.QuoteName(column.Name), ""
		switch {
		case slices.ContainsFunc(partitions, isNamed(column.Name)) || listing.Table.Files.Format == tables.CSV:
			condition = wrongTextSQL(column.Type, name)
		case listing.Table.Files.Format == tables.Parquet:
			actual := strings.TrimRight(types[column.Name], "[]")
			condition = nestedSQL(column.Type, name, func(typ sqlq.Type, value string) string { return wrongValueSQL(typ, actual, value) })
		default:
			condition = nestedSQL(column.Type, name, wrongJSONSQL)
		}
		if condition != "" {
			columns, conditions = append(columns, column), append(conditions, condition)
		}
	}
	return columns, conditions
}

// nestedSQL returns a condition for a value, or for an element of a list; empty if the condition of the element is.
func nestedSQL(typ sqlq.Type, value string, condition func(typ sqlq.Type, value string) string) string {
	if !typ.IsArray() {
		return condition(typ, value)
	}
	element := elementOf(typ)
	if inner := nestedSQL(typ.Element(), element, condition); inner != "" {
		return fmt.Sprintf("len(list_filter(%s, lambda %s: %s)) > 0", value, element, inner)
	}
	return ""
}

// elementOf returns the name of an element of a list in a lambda.
func elementOf(list sqlq.Type) string {
	return fmt.Sprintf("element%d", strings.Count(string(list), "<"))
}

// wrongValueSQL returns a condition for a value of a Parquet type that a type does not hold exactly; empty if it holds all.
func wrongValueSQL(typ sqlq.Type, actual, value string) string {
	isNumber := actual == "BIGINT" || actual == "UBIGINT" || actual == "HUGEINT" || strings.HasPrefix(actual, "DECIMAL")
	switch typ { //nolint:exhaustive // The others hold whatever fits them.
	case sqlq.Int64, sqlq.Numeric:
		if actual == "UBIGINT" || isBig(actual) {
			return fmt.Sprintf("%s IS NOT NULL AND TRY_CAST(%[1]s AS %s) IS NULL", value, duckdbsql.StorageType(typ))
		}
	case sqlq.Float64:
		if isNumber { // The text of a FLOAT64 has its digits, without those that no FLOAT64 keeps.
			return fmt.Sprintf("%s IS NOT NULL AND TRY_CAST(CAST(CAST(%[1]s AS DOUBLE) AS VARCHAR) AS %s) IS DISTINCT FROM %[1]s", value, actual)
		}
	case sqlq.Timestamp, sqlq.Datetime:
		if actual == "TIMESTAMP_NS" {
			return fmt.Sprintf("epoch_ns(%s) %% 1000 <> 0", value)
		}
		return beyondYearsSQL(value, actual, "0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00")
	case sqlq.Date:
		return beyondYearsSQL(value, actual, "0001-01-01", "9999-12-31")
	case sqlq.JSON:
		if actual == "VARCHAR" || actual == "JSON" {
			return wrongTextSQL(typ, value)
		}
	}
	return ""
}

// beyondYearsSQL returns a condition for a time of a Parquet type before the year 1 or after 9999, as the infinite ones are. The statistics
// of a file usually say that it has none.
func beyondYearsSQL(value, actual, first, last string) string {
	return fmt.Sprintf("(%s < CAST('%s' AS %s) OR %[1]s > CAST('%[4]s' AS %[3]s))", value, first, actual, last)
}

// wrongJSONSQL returns a condition for a value of a JSON file that a type does not hold exactly: for a text, the same as for one of
// CSV, and for a number, its text. [filecheck.Check] has refused numbers that a reader of JSON shortens.
func wrongJSONSQL(typ sqlq.Type, value string) string {
	text := "(" + value + " ->> '$')"
	switch typ { //nolint:exhaustive // The others hold no numbers, or the nearest one.
	case sqlq.String:
		return fmt.Sprintf("json_type(%s) IN ('OBJECT', 'ARRAY')", value)
	case sqlq.JSON:
		return wrongTextSQL(typ, "CAST("+value+" AS VARCHAR)")
	case sqlq.Timestamp: // A number is microseconds since 1970, as savedq writes them; one that can have another unit is refused.
		return fmt.Sprintf("CASE WHEN json_type(%s) IN ('BIGINT', 'UBIGINT') THEN NOT TRY_CAST(%s AS BIGINT) BETWEEN %d AND %d ELSE %s END",
			value, text, int64(firstMicroseconds), int64(lastMicroseconds), mistakeSQL(typ, text))
	}
	return mistakeSQL(typ, text)
}

const (
	// firstMicroseconds is in 1973. Smaller numbers can be seconds, milliseconds, or a date without dashes.
	firstMicroseconds = 100_000_000_000_000
	lastMicroseconds  = 253_402_300_799_999_999 // the end of the year 9999
)

// exactDigits is how many digits of a number certainly survive in a FLOAT64.
const exactDigits = 15

// digitsSQL returns the digits of a number between the first and the last that are not zero.
func digitsSQL(text string) string {
	return fmt.Sprintf(`trim(regexp_replace(regexp_replace(%s, '[eE].*', ''), '[^0-9]', '', 'g'), '0')`, text)
}

// shortenedSQL returns a condition for a text of JSON with a number that has other digits than its FLOAT64, as which a reader of JSON
// takes one with a point or an exponent.
func shortenedSQL(text string) string {
	const quoted, number = `"(\\.|[^"\\])*"`, `[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)`
	return fmt.Sprintf(`len(list_filter(regexp_extract_all(regexp_replace(%[1]s, '%[2]s', '""', 'g'), '%[3]s'), lambda number: isfinite(TRY_CAST(number AS DOUBLE)) AND %[4]s <> %[5]s)) > 0`,
		text, quoted, number, digitsSQL("number"), digitsSQL("CAST(TRY_CAST(number AS DOUBLE) AS VARCHAR)"))
}

// wrongTextSQL returns a condition for a text of CSV, or of the name of a directory, that a type does not hold exactly; empty if it
// holds all texts. An empty text is no value, but for STRING. An array is one of JSON.
func wrongTextSQL(typ sqlq.Type, text string) string {
	switch {
	case typ == sqlq.String:
		return ""
	case typ.IsArray():
		list := fmt.Sprintf("TRY_CAST(TRY_CAST(%s AS JSON) AS %s)", text, fileType(withInnermost(typ, sqlq.JSON)))
		wrong := fmt.Sprintf("%s <> '' AND (%s IS NULL OR %s)", text, list, nestedSQL(typ, list, wrongJSONSQL))
		if typ.Innermost() != sqlq.Float64 {
			wrong = fmt.Sprintf("(%s OR %s)", wrong, shortenedSQL(text))
		}
		return wrong
	}
	return mistakeSQL(typ, "nullif("+text+", '')")
}

// withInnermost returns a type with another innermost type.
func withInnermost(typ, innermost sqlq.Type) sqlq.Type {
	if typ.IsArray() {
		return sqlq.ArrayOf(withInnermost(typ.Element(), innermost))
	}
	return innermost
}

// mistakeSQL returns a condition for a text that is not of a type. DuckDB's own casts also take texts such as 0x10, 1_000, t, epoch and
// 20-01-02, and cut digits.
func mistakeSQL(typ sqlq.Type, text string) string {
	const (
		number = `[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?`
		day    = `[0-9]{4}-[0-9]{2}-[0-9]{2}`
		clock  = `([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6}0*)?)?`
		offset = `( ?(Z|UTC)|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)?`
	)
	grammar, wrong := "", fmt.Sprintf("TRY_CAST(%s AS %s) IS NULL", text, duckdbsql.StorageType(typ))
	switch typ { //nolint:exhaustive // A STRING holds every text.
	case sqlq.Int64:
		grammar = `[+-]?[0-9]+(\.0*)?`
	case sqlq.Float64:
		grammar = number + `|[+-]?(?i:nan|inf|infinity)`
		wrong = fmt.Sprintf("isinf(TRY_CAST(%s AS DOUBLE)) AND regexp_matches(%[1]s, '[0-9]')", text)
	case sqlq.Numeric: // A number with an exponent is compared as a FLOAT64, which has all of its digits.
		grammar = number
		wrong += fmt.Sprintf(` OR CASE WHEN regexp_matches(%[1]s, '[eE]')
THEN length(%[2]s) > %[3]d OR CAST(TRY_CAST(%[1]s AS %[4]s) AS DOUBLE) <> TRY_CAST(%[1]s AS DOUBLE) ELSE regexp_matches(%[1]s, '\.[0-9]{%[5]d}[0-9]*[1-9]') END`,
			text, digitsSQL(text), exactDigits, duckdbsql.StorageType(typ), sqlq.NumericScale)
	case sqlq.Bool:
		grammar = `(?i:true|false)`
	case sqlq.Date:
		grammar = day + `([ T]00:00(:00(\.0*)?)?)?`
		wrong += fmt.Sprintf(" OR year(TRY_CAST(%s AS DATE)) < 1", text)
	case sqlq.Datetime:
		grammar = day + `([ T]` + clock + `)?`
		wrong += fmt.Sprintf(" OR year(TRY_CAST(%s AS TIMESTAMP)) < 1", text)
	case sqlq.Timestamp:
		grammar = day + `([ T]` + clock + offset + `)?`
		wrong = fmt.Sprintf("coalesce(TRY_CAST(%s AS TIMESTAMPTZ) NOT BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00', true)", text)
	case sqlq.JSON: // DuckDB takes NaN and commas before brackets, which are not JSON.
		const quoted, loose = `"(\\.|[^"\\])*"`, `(?i)nan|inf|,\s*[\]}]`
		return fmt.Sprintf(`%[1]s IS NOT NULL AND (NOT json_valid(%[1]s) OR regexp_matches(%[1]s, '%[3]s') AND regexp_matches(regexp_replace(%[1]s, '%[2]s', '""', 'g'), '%[3]s'))`,
			text, quoted, loose)
	}
	return fmt.Sprintf("%s IS NOT NULL AND (NOT regexp_full_match(%[1]s, '%s') OR %s)", text, grammar, wrong)
}

// valuesColumn is computed from all values of a line of CSV.
const valuesColumn = "savedq_values"

// findInexact returns an [*sqlq.Error] that names a value which its column does not hold exactly.
func findInexact(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, columns []sqlq.Column, conditions []string) (err error) {
	const fileColumn = "savedq_file"
	texts := undeclared(listing)
	files := texts.Table.Files
	var names, values strings.Builder
	names.WriteString(" WHEN false THEN 0") // for files without other columns
	values.WriteString(" WHEN false THEN ''")
	for i, column := range columns {
		_, _ = fmt.Fprintf(&names, " WHEN %s THEN %d", conditions[i], i)
		value := "CAST(%s AS VARCHAR)"
		if isJSON := files.Format == tables.NDJSON || files.Format == tables.JSON; isJSON && !column.Type.IsArray() {
			value = "to_json(%s) ->> '$'"
		}
		_, _ = fmt.Fprintf(&values, " WHEN %s THEN "+value, conditions[i], duckdbsql.QuoteName(column.Name))
		column.Type = withInnermost(column.Type, sqlq.JSON)
		files.Columns = append(files.Columns, column)
	}
	scan := scanOf(texts, "filename = '"+fileColumn+"'")
	if files.Format == tables.CSV {
		scan = "(SELECT *, coalesce(*COLUMNS(*)) AS " + valuesColumn + " FROM " + scan + ")"
	}
	query := fmt.Sprintf( //nolint:gosec // Names and paths are quoted.
		"SELECT %s, CASE%s END, CASE%s END FROM %s WHERE %s LIMIT 1",
		fileColumn, &names, &values, scan, strings.Join(conditions, " OR "))
	var path, value string
	var index int
	if err := db.QueryRowContext(ctx, query).Scan(&path, &index, &value); errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	detail := fmt.Sprintf("its column %s has the value %s, which %s cannot hold exactly", columns[index].Name, sqlq.Quote(value), columns[index].Type)
	if file := blamed(listing, path); file != nil {
		place := sqlq.Quote(file.Name)
		if line := inspect.LineOf(file.Path, files.Format, files.Separator, columns[index].Name, value); line > 0 {
			place += fmt.Sprintf(", line %d", line)
		}
		detail = place + ": " + detail
	}
	return tablefiles.NewReadError(listing.Table, tablefiles.Value, detail, nil)
}
