package clickhousesql

import (
	"strconv"
	"strings"
)

// valueKind says what a value is.
type valueKind int

const (
	constantValue valueKind = iota
	parameterValue
	columnValue
	callValue
	lambdaValue
	variableValue
	queryValue
	intervalValue
	windowValue
)

// value is an expression with a type.
type value struct {
	place
	kind valueKind
	typ  *dataType
	// text is a constant, or the name of a parameter, column or variable; the unit of an interval.
	text string
	// from is the source of a column.
	from source
	// function, params and args are of a call. args has the body of a lambda, and the number of an interval.
	function *function
	params   []*value
	args     []*value
	// distinct is of an aggregate function.
	distinct bool
	// to is the type of a cast.
	to *dataType
	// variables are the parameters of a lambda.
	variables []*value
	// query is a subquery.
	query *relation
	// written is the name of the function in the text, where another name of it can mean something else on ClickHouse.
	written string
	// window is of a window function, whose args have those of the call and the values of the window.
	window *window
	// isFlag means that DuckDB has a BOOLEAN, which ClickHouse has as a number.
	isFlag bool
	// hasAggregate means that it, or a part of it, is an aggregate.
	hasAggregate bool
	// isConstant means that it is the same for all rows.
	isConstant bool
	// attributes means that DuckDB has the metadata of the event as JSON, and not a map.
	attributes bool
	// id is the same for values that are the same.
	id int
}

// isString reports whether it is a constant string.
func (v *value) isString() bool { return v.kind == constantValue && v.typ.kind == stringKind }

func (v *value) isNull() bool { return v.typ.kind == nothingKind }

// intern gives a value its id.
func (r *resolver) intern(v *value) *value {
	var key strings.Builder
	key.WriteString(strconv.Itoa(int(v.kind)))
	key.WriteByte(' ')
	key.WriteString(strconv.Quote(v.text))
	if v.typ != nil {
		key.WriteString(v.typ.String())
	}
	if v.function != nil {
		key.WriteByte(' ')
		key.WriteString(v.function.name)
	}
	if v.to != nil {
		key.WriteString(" to " + v.to.String())
	}
	if v.distinct {
		key.WriteString(" distinct")
	}
	if v.window != nil {
		key.WriteString(v.window.key())
	}
	if v.from != nil {
		key.WriteString(" of " + strconv.Itoa(v.from.number()))
	}
	for _, list := range [][]*value{v.params, v.args, v.variables} {
		key.WriteByte('|')
		for _, one := range list {
			key.WriteByte(' ')
			key.WriteString(strconv.Itoa(one.id))
		}
	}
	if v.query != nil || v.kind == variableValue {
		r.unique++
		key.WriteString(" unique " + strconv.Itoa(r.unique))
	}
	id, found := r.ids[key.String()]
	if !found {
		id = len(r.ids) + 1
		r.ids[key.String()] = id
	}
	v.id = id
	if r.values++; r.values > mostValues {
		fail(v.place, "the SQL is too complex; use fewer names that stand for long expressions")
	}
	return v
}

// mostValues limits what a text is resolved to: names that stand for expressions can double it.
const mostValues = 20_000

// nullValue is NULL.
func (r *resolver) nullValue(at place) *value {
	return r.intern(&value{place: at, kind: constantValue, typ: &dataType{kind: nothingKind, nullable: true}, text: "NULL", isConstant: true})
}

// call makes a value of a row and its arguments, which are checked already.
func (r *resolver) newCall(at place, f *function, typ *dataType, args ...*value) *value {
	v := &value{place: at, kind: callValue, function: f, typ: typ, args: args, isFlag: f.flag && typ.kind != boolKind, isConstant: !f.aggregate && !f.varies}
	for _, arg := range args {
		v.hasAggregate = v.hasAggregate || arg.hasAggregate
		v.isConstant = v.isConstant && arg.isConstant
	}
	v.hasAggregate = v.hasAggregate || f.aggregate
	return r.intern(v)
}

// source is what FROM reads.
type source interface {
	number() int
	names() []string
	find(name string) (sourceColumn, bool)
	columns() []sourceColumn
}

// sourceColumn is a column of a source.
type sourceColumn struct {
	name       string
	typ        *dataType
	attributes bool
	// doc says what the values of a column of logs are.
	doc string
}

// numbered is the number of a source, which names it in DuckDB's SQL.
type numbered int

func (n numbered) number() int { return int(n) }

func (n numbered) alias() string { return "t" + strconv.Itoa(int(n)) }

// logsSource is a read of the table logs.
type logsSource struct {
	numbered
	place
	called []string
	used   map[string]bool
	sel    *selectRelation
	// placed are the paths of log_attributes that are columns, if nothing else of it is read.
	placed []string
}

// querySource is a subquery.
type querySource struct {
	numbered
	called []string
	rel    *relation
	used   map[string]bool
}

// joinSource joins two sources.
type joinSource struct {
	numbered
	left, right source
	kind        string
	on          *value
	using       []string
	// pairs are the columns of USING.
	pairs [][2]*value
}

// arraySource has a row for each element of arrays.
type arraySource struct {
	numbered
	of    []*value
	named []string
	left  bool
}

// relation is a resolved query.
type relation struct {
	columns []sourceColumn
	selects []*selectRelation
	// distinct means that the rows of the union are distinct.
	distinct bool
}

// selectRelation is a resolved SELECT.
type selectRelation struct {
	place
	from     source
	arrays   []*arraySource
	where    *value
	grouped  bool
	keys     []*value
	calls    []*value // aggregates
	items    []*value
	names    []string
	having   *value
	distinct bool
	order    []orderValue
	limitBy  []*value
	byLimit  [2]*value // limit and offset of LIMIT BY
	limit    *value
	offset   *value
	// windowed means that it has window functions.
	windowed bool
	// skipped are the items that [placing] does not visit.
	skipped []int
}

type orderValue struct {
	*value
	descending, nullsFirst bool
}
