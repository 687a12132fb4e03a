package duckdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/inspect"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

// Sniffed is a table whose columns were found in its file.
type Sniffed struct {
	Table *sqlq.Table
	// Remarks are what a person should know of a guess, about the file first.
	Remarks []Remark
}

// Remark is about a guess.
type Remark struct {
	// Column is empty for a remark about the file, or about a column that the table does not have.
	Column string
	Text   string
}

func (s *Sniffed) remarkf(column, format string, args ...any) {
	s.Remarks = append(s.Remarks, Remark{Column: column, Text: fmt.Sprintf(format, args...)})
}

// SniffFile returns a table of one file, which declares no columns, with those that DuckDB finds in the file. Their types hold every
// value exactly, and files of the table pass [DescribeFiles].
func SniffFile(ctx context.Context, table *sqlq.Table) (_ *Sniffed, err error) {
	files := tablefiles.New(func() time.Time { return time.Time{} }, tablefiles.Directories(sqlq.Tables{table})) // no version is asked for
	db, err := openFiles(ctx, files.Directories())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	listing, err := files.List(table)
	if err != nil {
		return nil, err
	}
	defer releasePipes(listing)()
	if err := checkFiles(ctx, listing); err != nil {
		return nil, err
	}
	if mistake := inspect.Encoding(listing.Files[0].Path, table.Files.Format); mistake != "" {
		return nil, damaged(listing, mistake)
	}
	sniffed, err := sniff(ctx, db, listing)
	if err != nil {
		return nil, err
	}
	if len(sniffed.Table.Files.Columns) == 0 {
		return nil, damaged(listing, strings.Join(append([]string{"it has no column that a table can have"}, sniffed.texts()...), "; "))
	}
	slices.SortStableFunc(sniffed.Remarks, func(a, b Remark) int { return min(len(a.Column), 1) - min(len(b.Column), 1) })
	_, err = describe(ctx, db, files, sniffed.Table)
	return sniffed, err
}

// texts returns the remarks without their columns.
func (s *Sniffed) texts() []string {
	texts := make([]string, len(s.Remarks))
	for i, remark := range s.Remarks {
		texts[i] = remark.Text
	}
	return texts
}

// damaged returns the error about the one file of a listing.
func damaged(listing *tablefiles.Listing, mistake string) error {
	return tablefiles.NewReadError(listing.Table, tablefiles.Damaged, sqlq.Quote(listing.Files[0].Name)+": "+mistake, nil)
}

// sniff finds the columns by the format.
func sniff(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (*Sniffed, error) {
	table, files := *listing.Table, *listing.Table.Files
	table.Files = &files
	sniffed, own := &Sniffed{Table: &table}, *listing
	own.Table = &table
	switch files.Format {
	case tables.Parquet:
		return sniffed, sniffed.parquet(ctx, db, &own)
	case tables.CSV:
		return sniffed, sniffed.csv(ctx, db, &own)
	}
	return sniffed, sniffed.json(ctx, db, &own)
}

// parquet takes the columns that the file says.
func (s *Sniffed) parquet(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	actual, err := actualColumns(ctx, db, listing)
	if err != nil {
		return err
	}
	for _, column := range actual {
		declared := columnOfFile(column, s.Table.Files.Place)
		if text := (sqlq.Column{Type: sqlq.String, Nullable: true}); !fits(&declared, column) && fits(&text, column) {
			s.remarkf(column.Name, "STRING, because no type of numbers holds %s exactly", column.Type)
			declared.Type = sqlq.String
		}
		if !fits(&declared, column) {
			s.remarkf("", "the column %s is left out: its type %s has no equal", sqlq.Quote(column.Name), column.Type)
			continue
		}
		s.add(declared)
	}
	return nil
}

// add adds a column, unless no table.yaml can declare its name.
func (s *Sniffed) add(column sqlq.Column) bool {
	switch {
	case column.Name == "" || strings.TrimSpace(column.Name) != column.Name:
		s.remarkf("", "the column %s is left out: its name is empty, or begins or ends with a space; rename it in the file", sqlq.Quote(column.Name))
		return false
	case slices.ContainsFunc(s.Table.Files.Columns, func(other sqlq.Column) bool { return strings.EqualFold(other.Name, column.Name) }):
		s.remarkf("", "the column %s is left out: another has this name, but for the letter case; rename it in the file", sqlq.Quote(column.Name))
		return false
	}
	s.Table.Files.Columns = append(s.Table.Files.Columns, column)
	return true
}

// csv finds the separator, and the types by the values.
func (s *Sniffed) csv(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	if err := s.findSeparator(ctx, db, listing); err != nil {
		return err
	}
	actual, err := actualColumns(ctx, db, listing)
	if err != nil {
		return err
	}
	header, err := headerOf(ctx, db, listing)
	if err != nil {
		return err
	}
	trimmed := make(map[string]int)
	for name, count := range header {
		trimmed[strings.TrimSpace(name)] += count
	}
	var texts []sqlq.PlannedColumn
	for _, column := range actual {
		switch {
		case slices.ContainsFunc(listing.Partitions(), isNamed(column.Name)):
			s.add(columnOfFile(column, s.Table.Files.Place))
			continue
		case trimmed[strings.ToLower(column.Name)] > 1:
			s.remarkf("", "the columns %s are left out: the header names them twice; rename one in the file", sqlq.Quote(column.Name))
			continue
		case trimmed[strings.ToLower(column.Name)] == 0 && trimmed[""] > 0 && strings.HasPrefix(column.Name, "column"):
			s.remarkf(column.Name, "the header has no name for it, and DuckDB calls it so")
		case trimmed[strings.ToLower(column.Name)] == 0: // DuckDB made the name of one that the header has twice
			continue
		}
		if s.add(sqlq.Column{Name: column.Name, Type: sqlq.String, Nullable: true, Place: s.Table.Files.Place}) {
			texts = append(texts, column)
		}
	}
	return s.findTypes(ctx, db, listing, texts)
}

// findSeparator finds what separates the values of a CSV file, unless its name says so.
func (s *Sniffed) findSeparator(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	options := "quote = '\"', escape = '\"', comment = '', all_varchar = true"
	if s.Table.Files.Separator != "" {
		options += ", delim = " + quoteText(s.Table.Files.Separator)
	}
	path := listing.Files[0].Path
	var found string
	var hasHeader bool
	query := fmt.Sprintf("SELECT Delimiter, HasHeader FROM sniff_csv(%s, %s)", quotePath(path), options) //nolint:gosec // The path is quoted.
	if err := db.QueryRowContext(ctx, query).Scan(&found, &hasHeader); err != nil {
		return scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	known := []string{",", ";", "\t", "|"}
	if header := headerLine(path); header != "" && !strings.Contains(header, found) { // rows of other lengths mislead DuckDB
		for _, separator := range slices.Backward(known) {
			if strings.Contains(header, separator) {
				found = separator
			}
		}
	}
	if !slices.Contains(known, found) {
		return damaged(listing, "its values seem to be separated by "+sqlq.Quote(found)+`; separate them by ",", ";", "|" or tabs`)
	}
	if mistake := inspect.File(path, tables.CSV, found); mistake != "" {
		return damaged(listing, mistake)
	}
	if !hasHeader {
		s.remarkf("", "the first line looks like a row, and is read as the names of the columns; is a header missing?")
	}
	if found != cmp.Or(s.Table.Files.Separator, ",") {
		s.remarkf("", "values are separated by %s", sqlq.Quote(found))
		s.Table.Files.Separator = found
	}
	return nil
}

// json takes the columns that DuckDB finds in all objects, if its types hold all values.
func (s *Sniffed) json(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) error {
	keys, err := s.keys(ctx, db, listing)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return damaged(listing, "it has no object with a member, so that no column is known")
	}
	scan := strings.Replace(scanOf(undeclared(listing)), "columns = {}", "sample_size = -1, convert_strings_to_integers = false, map_inference_threshold = -1, field_appearance_threshold = 0", 1)
	types, err := columnTypes(ctx, db, "FROM "+scan+" LIMIT 0")
	if err != nil {
		return scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	var values []sqlq.PlannedColumn
	for _, column := range planned(types) {
		declared := columnOfFile(column, s.Table.Files.Place)
		isPartition := slices.ContainsFunc(listing.Partitions(), isNamed(column.Name))
		if !isPartition && !keys[column.Name] { // DuckDB made the name of a key that differs from another only in the letter case
			continue
		}
		delete(keys, column.Name)
		if s.add(declared) && !isPartition {
			values = append(values, column)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		s.remarkf("", "the member %s is left out: it has no name, or that of another member but for the letter case", sqlq.Quote(key))
	}
	return s.findTypes(ctx, db, listing, values)
}

// keys returns the names of the members of all objects.
func (s *Sniffed) keys(ctx context.Context, db *sql.DB, listing *tablefiles.Listing) (_ map[string]bool, err error) {
	file := listing.Files[0]
	query := fmt.Sprintf("SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects([%s], format = '%s', compression = '%s')", //nolint:gosec // The path is quoted.
		quotePath(file.Path), jsonFormat(listing.Table.Files.Format, file), tablefiles.Compression(file.Path))
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	keys := make(map[string]bool)
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		keys[key] = true
	}
	return keys, scans{all: []*tablefiles.Listing{listing}}.explain(rows.Err())
}
