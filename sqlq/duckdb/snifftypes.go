package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/duckdb/tablefiles"
	"savedq/sqlq/tables"
)

const (
	// sniffedRows is how many rows the candidates for types are compared on. The type of the choice is then compared with all rows.
	sniffedRows = 20_480
	// fewValues is how many values make a type more than a guess.
	fewValues = 10
)

// candidate is a type that a column can have.
type candidate struct {
	typ sqlq.Type
	// wrong is how many values it does not hold exactly, with one of them as an example.
	wrong   int64
	example string
}

// sample is what is known of the values of a column.
type sample struct {
	column *sqlq.Column
	// value is the SQL of a value, and text of its text.
	value, text string
	candidates  []candidate
	// values are those that are neither NULL nor empty.
	values int64
	// spellings are how many values have a spelling, with one of them as an example.
	spellings []spelled
}

// spelled is how many values have a spelling.
type spelled struct {
	spelling

	count   int64
	example string
}

// findTypes gives columns of the table the narrowest types that hold all of their values exactly. sniffed are the columns with the
// types that DuckDB found.
func (s *Sniffed) findTypes(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, sniffed []sqlq.PlannedColumn) error {
	samples := make([]*sample, len(sniffed))
	for i, column := range sniffed {
		at := slices.IndexFunc(s.Table.Files.Columns, func(other sqlq.Column) bool { return other.Name == column.Name })
		samples[i] = newSample(listing.Table.Files.Format, &s.Table.Files.Columns[at])
	}
	rows, err := count(ctx, db, listing, samples, sniffedRows)
	if err != nil {
		return err
	}
	if rows == sniffedRows { // values may come later
		late := slices.DeleteFunc(slices.Clone(samples), func(sample *sample) bool { return sample.values > 0 })
		if _, err := count(ctx, db, listing, late, 0); err != nil {
			return err
		}
	}
	if 0 < rows && rows < fewValues && len(samples) > 0 {
		s.remarkf("", "the types are guesses from %s", plural(rows, "row"))
	}
	for _, sample := range samples {
		s.choose(sample, rows)
	}
	if rows < sniffedRows {
		return nil
	}
	chosen := slices.DeleteFunc(samples, func(sample *sample) bool { return len(sample.candidates) == 0 })
	if len(chosen) == 0 {
		return nil
	}
	if _, err := count(ctx, db, listing, chosen, 0); err != nil {
		return err
	}
	for _, sample := range chosen {
		if found := sample.candidates[0]; found.wrong > 0 {
			s.Remarks = slices.DeleteFunc(s.Remarks, func(remark Remark) bool { return remark.Column == sample.column.Name })
			s.demote(sample, found)
			sample.declare(widest(found.typ))
		}
	}
	return nil
}

// widest returns the type that holds all values of a file in which one of another type was expected.
func widest(typ sqlq.Type) sqlq.Type {
	if typ.IsArray() || typ == sqlq.JSON {
		return sqlq.JSON
	}
	return sqlq.String
}

// newSample returns what can be found out about a column.
func newSample(format string, column *sqlq.Column) *sample {
	name := duckdbsql.QuoteName(column.Name)
	sample := &sample{column: column, value: name, text: name}
	types := []sqlq.Type{sqlq.Bool, sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Date, sqlq.Timestamp, sqlq.JSON}
	if format != tables.CSV {
		sample.text = "(" + name + " ->> '$')"
		switch typ := column.Type; {
		case typ.IsArray():
			sample.text = "CAST(" + name + " AS VARCHAR)"
			types = []sqlq.Type{typ, sqlq.JSON}
		case typ == sqlq.Int64:
			types = []sqlq.Type{typ, sqlq.Numeric, sqlq.String, sqlq.JSON}
		default:
			types = slices.Compact([]sqlq.Type{typ, sqlq.String, sqlq.JSON})
			if typ == sqlq.JSON {
				types = []sqlq.Type{sqlq.String, sqlq.JSON}
			}
		}
	}
	for _, typ := range types {
		sample.candidates = append(sample.candidates, candidate{typ: typ})
	}
	for _, spelling := range spellings() {
		sample.spellings = append(sample.spellings, spelled{spelling: spelling})
	}
	return sample
}

// wrongSQL returns the condition for a value that a type does not hold, or of which it loses something.
func (s *sample) wrongSQL(format string, typ sqlq.Type) string {
	if format != tables.CSV {
		if wrong := nestedSQL(typ, s.value, wrongJSONSQL); wrong != "" {
			return wrong
		}
		return "false"
	}
	wrong := wrongTextSQL(typ, s.text)
	switch typ { //nolint:exhaustive // The others keep what a text means.
	case sqlq.Int64, sqlq.Numeric: // 01234 and +49123 are no numbers
		wrong += fmt.Sprintf(` OR regexp_matches(%s, '^(\+|-?0[0-9])')`, s.text)
	case sqlq.Float64:
		wrong += fmt.Sprintf(` OR regexp_matches(%s, '^(\+|-?0[0-9])') OR length(%s) > %d`, s.text, digitsSQL(s.text), exactDigits)
	case sqlq.JSON:
		wrong += fmt.Sprintf(` OR NOT regexp_matches(%s, '^\s*[\[{]')`, s.text)
	}
	return wrong
}

// count counts values of the first rows; of all if the limit is zero. It returns the number of rows.
func count(ctx context.Context, db *sql.DB, listing *tablefiles.Listing, samples []*sample, limit int) (rows int64, err error) {
	read := undeclared(listing)
	files := read.Table.Files
	selected, targets := []string{"count(*)"}, []any{&rows}
	examples := make(map[*string]*sql.NullString)
	add := func(condition string, number *int64, text string, example *string) {
		selected = append(selected, fmt.Sprintf("count(*) FILTER (WHERE %s), min(%s) FILTER (WHERE %[1]s)", condition, text))
		examples[example] = new(sql.NullString)
		targets = append(targets, number, examples[example])
	}
	for _, sample := range samples {
		if files.Format != tables.CSV {
			column := *sample.column
			column.Type = withInnermost(column.Type, sqlq.JSON)
			files.Columns = append(files.Columns, column)
		}
		isValue := sample.text + " <> ''"
		selected, targets = append(selected, "count(*) FILTER (WHERE "+isValue+")"), append(targets, &sample.values)
		for i := range sample.candidates {
			found := &sample.candidates[i]
			add(isValue+" AND ("+sample.wrongSQL(files.Format, found.typ)+")", &found.wrong, sample.text, &found.example)
		}
		for i := range sample.spellings {
			found := &sample.spellings[i]
			add(fmt.Sprintf("regexp_full_match(%s, '%s')", sample.text, found.pattern), &found.count, sample.text, &found.example)
		}
	}
	from := "FROM " + scanOf(read)
	if limit > 0 {
		from = fmt.Sprintf("FROM (FROM %s LIMIT %d)", scanOf(read), limit)
	}
	if err := db.QueryRowContext(ctx, "SELECT "+strings.Join(selected, ", ")+" "+from).Scan(targets...); err != nil {
		return 0, scans{all: []*tablefiles.Listing{listing}}.explain(err)
	}
	for example, found := range examples {
		*example = found.String
	}
	return rows, nil
}

// choose gives a column the first type that holds all of its values, and remarks on what is a guess. Of the candidates it leaves the
// type that all rows must have; none if it is one that holds everything.
func (s *Sniffed) choose(sample *sample, rows int64) {
	candidates := sample.candidates
	sample.candidates = nil
	name := sample.column.Name
	if sample.values == 0 {
		s.remarkf(name, "STRING, because no row has a value")
		sample.declare(sqlq.String)
		return
	}
	at := slices.IndexFunc(candidates, func(found candidate) bool { return found.wrong == 0 })
	if at < 0 || candidates[at].typ == sqlq.String {
		sample.declare(sqlq.String)
		if text := sample.spelling(); text != "" {
			s.remarkf(name, "%s", text)
		} else if near := sample.nearest(candidates); near != nil {
			s.demote(sample, *near)
		}
		return
	}
	sample.declare(candidates[at].typ)
	if widest(sample.column.Type) != sample.column.Type {
		sample.candidates = candidates[at : at+1]
	}
	if text := sample.ofTimes(); text != "" {
		s.remarkf(name, "%s", text)
	}
	if sample.values < fewValues && rows >= fewValues && sample.column.Type != sqlq.JSON {
		s.remarkf(name, "a guess from %s", plural(sample.values, "value"))
	}
	sample.spellings = nil
}

// declare sets the type of the column.
func (s *sample) declare(typ sqlq.Type) {
	s.column.Type, s.column.Nullable = typ, !typ.IsArray()
}

// nearest returns the type that holds most values, if it holds nearly all.
func (s *sample) nearest(candidates []candidate) *candidate {
	const most = 10 // one of so many can be wrong
	var near *candidate
	for i := range candidates {
		if found := &candidates[i]; widest(found.typ) != found.typ && found.wrong*most <= s.values && (near == nil || found.wrong < near.wrong) {
			near = found
		}
	}
	return near
}

// demote remarks on values that keep a column from a type.
func (s *Sniffed) demote(sample *sample, from candidate) {
	s.remarkf(sample.column.Name, "%s, because %d of %s cannot be %s exactly, such as %s", widest(from.typ), from.wrong, plural(sample.values, "value"), from.typ, sqlq.Quote(from.example))
}

// plural returns a number of things.
func plural(number int64, thing string) string {
	if number == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", number, thing)
}
