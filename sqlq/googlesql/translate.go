package googlesql

import (
	"fmt"
	"slices"

	"savedq/sqlq"
)

// Environment is what the SQL of a saved query can name.
type Environment struct {
	// Target is the engine in whose SQL a text is translated. Empty means DuckDB.
	Target Target
	// Tables can be read.
	Tables []Table
	// Params are the declared parameters, with those that the runner sets.
	Params []Param
	// Columns are the declared columns of the result; values of metadata take their types. Empty means that
	// none are declared.
	Columns []sqlq.Column
	// Fixed are the values of STRING parameters for which alone the text is translated, by name.
	Fixed map[string]string
	// CallersFrom is the offset of a caller's text, which can name no tables of the store; zero if there is
	// none.
	CallersFrom int
	// Bounded are the tables that are hidden behind their rows in the range of a series. A caller's WITH cannot have
	// their names.
	Bounded []string
	// sandboxed are the names that a caller can read.
	sandboxed []string
	// guard proves what the tables are filtered by; nil if nothing is to prove.
	guard *guard
}

// Target is an engine in whose SQL texts are translated.
type Target string

// DuckDB is the embedded engine.
const DuckDB Target = ""

// ClickHouse is a server of ClickHouse.
const ClickHouse Target = "ClickHouse"

// TargetOf returns the target for an engine.
func TargetOf(engine string) Target {
	if engine == "clickhouse" {
		return ClickHouse
	}
	return DuckDB
}

// targets are what writes the nodes of a text, by the engine.
var targets = map[Target]target{DuckDB: duckdb{}, ClickHouse: clickhouse{}} //nolint:gochecknoglobals // It is constant.

// isCallers reports whether an offset is in the part of a caller.
func (e *Environment) isCallers(offset place) bool {
	return e.CallersFrom > 0 && int(offset) >= e.CallersFrom
}

// Table is a table of the embedded engine.
type Table struct {
	// Name is its name there, and Aliases are others that SQL can use.
	Name    string
	Aliases []string
	Columns []TableColumn
	// Fields are the usual fields of metadata. They decide which of two elements of metadata a field
	// without a qualifier is in.
	Fields sqlq.Members
	// ProjectColumns are the columns that hold the project of a row. ProjectMember is the member of metadata that does.
	ProjectColumns []string
	ProjectMember  string
	// Records are the typed columns of metadata; nil if there are none.
	Records *sqlq.Records
	// MetadataColumns are the typed columns of metadata on ClickHouse.
	MetadataColumns []sqlq.MetadataColumn
	// ClickHouse says where the rows are there; nil means a table of that name.
	ClickHouse *sqlq.ClickHouseTable
}

// TableColumn is a column of a table.
type TableColumn struct {
	Name string
	Type sqlq.Type
	// IsMetadata means that the column holds nested arrays of structs as JSON, whose fields have no
	// declared types (D39).
	IsMetadata bool
}

// Param is a parameter.
type Param struct {
	Name string
	Type sqlq.Type
}

func (e *Environment) table(name string) (Table, bool) {
	for _, table := range e.Tables {
		if equalFold(table.Name, name) || slices.ContainsFunc(table.Aliases, func(alias string) bool { return equalFold(alias, name) }) {
			return table, true
		}
	}
	return Table{}, false
}

func (e *Environment) tableNames() []string {
	var names []string
	for _, table := range e.Tables {
		names = append(append(names, table.Name), table.Aliases...)
	}
	return names
}

func (e *Environment) param(name string) (*dataType, bool) {
	for _, p := range e.Params {
		if equalFold(p.Name, name) {
			return declared(p.Type, nil), true
		}
	}
	return nil, false
}

func (e *Environment) paramNames() []string {
	return each(e.Params, func(_ int, p Param) string { return "@" + p.Name })
}

// Translate returns a query in the SQL of the target. The error is an [*Error] with the place of a mistake, or of
// what cannot be translated.
func Translate(sql string, env Environment) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	r, rel := resolveText(sql, env)
	r.checkDecided()
	return r.translation(sql, rel, MostRowBytes), nil
}

// translation prints what a text was resolved to.
func (r *resolver) translation(written string, rel *relation, rowBytes int) *sqlq.Translation {
	p := r.newPrinter()
	if r.env.Target == DuckDB {
		p.typed, p.views = typedRowsOf(rel.rows), make(map[*tableSource]string)
	}
	rel.rows.print(p)
	p.target.finish(p, rowBytes)
	translation := &sqlq.Translation{SQL: string(p.out), Written: written, Language: Language, Origins: p.origins}
	if r.env.Target == ClickHouse {
		translation.TypedSQL = r.typedClickHouse(rel.rows)
	}
	return translation
}

// checkDecided fails if a value needs a type that nothing determines.
func (r *resolver) checkDecided() {
	for _, value := range r.undecided {
		if value.shape.isUndecided() {
			fail(value.at, "the use of this field of metadata does not determine its type, so it has no order; write CAST(… AS STRING) or CAST(… AS FLOAT64)")
		}
	}
}

// Description is what a text says about its parameters and its result.
type Description struct {
	// Params are the parameters that the environment does not have, in the order of their first use. Their
	// use determines their types.
	Params []Param
	// Columns have names and types.
	Columns []sqlq.Column
	// Undecided are the columns with values of metadata whose use gives them no type, by name. The value
	// reports whether the column is an aggregate, such as MAX.
	Undecided map[string]bool
}

// Describe finds the parameters of a text, and the columns of its result. Parameters that the environment
// does not have are found by their use.
func Describe(sql string, env Environment) (_ *Description, err error) {
	defer recoverError(&err)
	names := env.addUndeclared(sql)
	r, rel := resolveText(sql, env)
	description := &Description{Params: r.paramsOf(names), Undecided: make(map[string]bool)}
	for _, c := range rel.columns {
		if c.value.typ.kind == dynamicKind && c.value.typ.shape.isScalar() && c.value.typ.shape.isUndecided() {
			description.Undecided[c.name] = c.value.isAggregate
		}
	}
	description.Columns = declaredColumns(rel)
	return description, nil
}

// addUndeclared adds the parameters of a text that the environment does not have, without types, and returns their
// names in the order of their first use.
func (e *Environment) addUndeclared(sql string) (names []string) {
	e.Params = slices.Clone(e.Params)
	for _, t := range scan(sql) {
		if _, known := e.param(t.text); t.kind == paramToken && !known {
			names = append(names, t.text)
			e.Params = append(e.Params, Param{Name: t.text})
		}
	}
	return names
}

// paramsOf returns parameters without a type with the types that their use determines.
func (r *resolver) paramsOf(names []string) []Param {
	return each(names, func(_ int, name string) Param {
		typ := scalar(stringKind)
		if s := r.untypedParams[foldName(name)]; s != nil {
			typ = s.paramType()
		}
		paramType, _ := typ.declared()
		return Param{name, paramType}
	})
}

// declaredColumns returns the columns of a result as query.yaml has them.
func declaredColumns(rel *relation) []sqlq.Column {
	return each(rel.columns, func(_ int, c column) sqlq.Column { return declaredColumn(c.name, c.value.typ) })
}

func declaredColumn(name string, typ *dataType) sqlq.Column {
	declared, fields := typ.declared()
	return sqlq.Column{Name: name, Type: declared, Fields: fields, Nullable: !declared.IsArray()}
}

func resolveText(sql string, env Environment) (*resolver, *relation) {
	r := &resolver{env: env, guard: env.guard, functions: newFunctionTable(), aliases: make(map[string]int), keys: make(map[*selectQuery]*grouping), untypedParams: make(map[string]*shape)}
	rel := r.rows(parse(sql), nil)
	r.checkGroupings()
	return r, r.declare(rel)
}

// declared returns the type as query.yaml has it, and the fields of a struct.
func (t *dataType) declared() (sqlq.Type, []sqlq.Column) {
	switch t.kind { //nolint:exhaustive // The others have the names of their kinds.
	case arrayKind:
		elem, fields := t.elem.declared()
		return sqlq.ArrayOf(elem), fields
	case structKind:
		return sqlq.Struct, each(t.fields, func(i int, f field) sqlq.Column { return declaredColumn(fieldName(f.name, i), f.typ) })
	case dynamicKind:
		if !t.shape.isScalar() {
			return sqlq.JSON, nil
		}
		return t.shape.scalarType().declared()
	case nullKind, bytesKind, timeKind, intervalKind:
		return sqlq.String, nil
	}
	return sqlq.Type(t.String()), nil
}

// declare gives values of metadata the types of the declared columns, and returns the result as callers get it.
func (r *resolver) declare(rel *relation) *relation {
	for i := range rel.columns {
		c := &rel.columns[i]
		if indexOf(rel.columns[:i], c.name) >= 0 {
			fail(c.value.at, "the result has two columns named %s; give one another alias", c.name)
		}
		to := scalar(nullKind)
		for _, column := range r.env.Columns {
			if column.Name == c.name {
				to = declared(column.Type, column.Fields)
			}
		}
		switch {
		case to.kind == nullKind && c.value.typ.kind == dynamicKind && !c.value.typ.shape.isScalar():
			rel.convert(i, scalar(jsonKind))
		case to.kind != nullKind && hasMetadata(c.value.typ) && coercible(c.value, to) >= 0:
			rel.convert(i, to)
		}
	}
	return r.output(rel)
}

// convert converts a column, of a set operation in each of its queries.
func (rel *relation) convert(i int, to *dataType) {
	for _, side := range rel.sides {
		side.convert(i, to)
	}
	rel.columns[i].value = coerce(rel.columns[i].value, to)
}

// hasMetadata reports whether values of a type are from metadata, or hold values from it.
func hasMetadata(t *dataType) bool {
	return t.is(dynamicKind, numberKind) || t.elem != nil && hasMetadata(t.elem) ||
		slices.ContainsFunc(t.fields, func(f field) bool { return hasMetadata(f.typ) })
}

// Error is a mistake in the SQL, or something in it that cannot be translated.
type Error struct {
	// Offset is where it is in the text, in bytes.
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

// In returns the mistake with its place in a file, which has the text.
func (e *Error) In(file, text string) *sqlq.FileError {
	line, column := sqlq.LineAndColumn(text, e.Offset)
	return &sqlq.FileError{File: file, Line: line, Column: column, Message: e.Message}
}

// fail stops the translation, by a panic that [Translate] recovers.
func fail[P ~int](offset P, format string, args ...any) {
	panic(&Error{int(offset), fmt.Sprintf(format, args...)})
}

// recoverError sets err to the error of [fail].
func recoverError(err *error) {
	switch failure := recover().(type) {
	case nil:
	case *Error:
		*err = failure
	default:
		panic(failure)
	}
}
