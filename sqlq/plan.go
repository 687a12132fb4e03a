package sqlq

import "strings"

// Plan is what an engine reports about a saved query without running it.
type Plan struct {
	// Columns are the columns of the SQL, in order.
	Columns []PlannedColumn
	// EstimatedBytes is what a run would read of the tables; nil if the engine
	// does not estimate.
	EstimatedBytes *int64
	// Params are the parameters that are declared without a type, with the type that the SQL
	// needs.
	Params []PlannedParam
}

// PlannedParam is a parameter whose type the engine infers.
type PlannedParam struct {
	Name string
	Type Type
	// Guessed reports whether the SQL also works with other types.
	Guessed bool
	// MoreDigits is the engine's name of the type that the SQL needs, if its numbers have more
	// digits than Type; otherwise it is empty.
	MoreDigits string
}

// PlannedColumn is a column of the SQL.
type PlannedColumn struct {
	Name string
	// Type is the engine's name of its type.
	Type string
	// Big reports whether its numbers can have more digits than a NUMERIC argument.
	Big bool
	// Element is what an array holds; nil for all other types.
	Element *PlannedColumn
	// Fields are the fields of a struct; nil for all other types.
	Fields []PlannedColumn
}

// Compare returns the mistakes in the declared columns: those that the SQL returns in
// another place, under another name or in another type. In a stream, that includes a NUMERIC
// whose numbers can have more digits than Parquet and Arrow hold: when one comes, it is too late for an error. holds
// reports whether a declared type that is neither an array nor a struct can hold a column of the SQL without loss; nested
// reports whether the column is in an array or a struct.
func (p *Plan) Compare(query *SavedQuery, holds func(declared Type, actual PlannedColumn, nested bool) bool) FileErrors {
	c := comparison{file: query.SQLFile, stream: query.Stream, holds: holds}
	if len(query.Columns) > 0 {
		c.columns(query.Columns[0].Place, "", query.Columns, p.Columns)
	}
	return c.mistakes
}

// comparison compares declared columns with the columns of the SQL.
type comparison struct {
	file     string
	stream   bool
	holds    func(declared Type, actual PlannedColumn, nested bool) bool
	mistakes FileErrors
}

// columns compares the columns of a result, or the fields of the struct at a path. place is
// where the struct is declared.
func (c *comparison) columns(place Place, path string, declared []Column, actual []PlannedColumn) {
	kind := "columns"
	if path != "" {
		kind = "fields of " + strings.TrimSuffix(path, ".") + " as"
	}
	for i, column := range declared {
		if i < len(actual) && actual[i].Name == column.Name && (i < len(declared)-1 || len(actual) == len(declared)) {
			continue
		}
		if path == "" {
			place = column.Place
		}
		c.mistakes = append(c.mistakes, place.Mistakef("declares the %s %s, but %s returns %s",
			kind, strings.Join(ColumnNames(declared), ", "), c.file, strings.Join(namesOf(actual, func(column *PlannedColumn) string { return column.Name }), ", ")))
		return
	}
	for i := range declared {
		c.column(path+declared[i].Name, &declared[i], actual[i])
	}
}

func (c *comparison) column(path string, declared *Column, actual PlannedColumn) {
	for of := declared; ; of = of.Element() {
		if !of.Type.IsArray() {
			declared = of
			break
		}
		if actual.Element == nil {
			c.mistype(path, of, actual)
			return
		}
		actual, path = *actual.Element, path+"[]"
	}
	switch {
	case declared.Type == Struct && actual.Fields != nil:
		c.columns(declared.Place, path+".", declared.Fields, actual.Fields)
	case declared.Type == Struct || !c.holds(declared.Type, actual, strings.ContainsAny(path, ".[")):
		c.mistype(path, declared, actual)
	case c.stream && declared.Type == Numeric && actual.Big && !declared.Big:
		c.mistakes = append(c.mistakes, declared.Place.Mistakef(
			"declares column %s of a stream as NUMERIC, but %s returns it as %s, which can have more digits; "+
				"declare it as BIGNUMERIC, which is text in Parquet and Arrow, or CAST it to at most %d digits before and %d after the point",
			path, c.file, actual.Type, numericWhole, NumericScale))
	}
}

func (c *comparison) mistype(path string, declared *Column, actual PlannedColumn) {
	c.mistakes = append(c.mistakes, declared.Place.Mistakef("declares column %s as %s, but %s returns it as %s", path, declared.Type, c.file, actual.Type))
}
