package shape

import "context"

// Text is SQL as far as its shape matters. Whoever parses a language makes it. Names are in lower case, unless it says
// otherwise.
type Text struct {
	SQL   string
	Query *Query
	// Tables are the tables that it reads, once for each place. Common table expressions are none.
	Tables []*Table
	// Common are the names of all common table expressions.
	Common []string
	// Approximate reports whether it calls functions whose values can differ in each run (D5).
	Approximate bool
	// ParamPrefix stands before the name of a parameter.
	ParamPrefix string
	// Values returns SQL of DuckDB with the column [SampleRow] of the table [SampleTable], and in the column [SampleValue] the
	// value of an expression.
	Values func(ctx context.Context, expression *Expression, sample Sample) (string, error)
}

// Unknown is the offset of a node whose place the parser does not know.
const Unknown = -1

// Query is a query with its WITH clause.
type Query struct {
	// At is the offset of the query in the text, or [Unknown], as of all that follow.
	At     int
	Common []Common
	// Either of Select and Set is set; of other queries, Other.
	Select *Select
	Set    *Set
	Other  *Other
	// DistinctOn, Order and Limit are the clauses behind it. Limit includes OFFSET.
	DistinctOn, Order, Limit []*Expression
}

// Common is a common table expression. Columns are other names of its first columns.
type Common struct {
	Name    string
	Columns []string
	Query   *Query
}

// Set is a set operation, such as "UNION".
type Set struct {
	Op          string
	All         bool
	Left, Right *Query
	// ByName means that columns correspond by their names.
	ByName bool
}

// Other is what the search does not know. Tables are those in it.
type Other struct {
	What   string
	Tables []*Table
}

// Select is a SELECT.
type Select struct {
	Items []Item
	From  *From // nil for none
	Where *Expression
	// Groups are the expressions of GROUP BY. GroupAll is GROUP BY ALL, and GroupSets means that there are several sets.
	Groups              []*Expression
	GroupAll, GroupSets bool
	Having, Qualify     *Expression
	Sample              *Sampling
}

// Sampling is a choice of rows by chance.
type Sampling struct{ At int }

// Item is an item of a SELECT list: an expression or a star.
type Item struct {
	At         int
	Name       string
	Expression *Expression
	Star       *Star
}

// Star stands for the columns of a relation, or of all if that is empty.
type Star struct {
	Relation string
	// Except are the columns that it leaves out, and Replaced are those with other values.
	Except   []string
	Replaced []Item
	// Renamed holds the new names of columns.
	Renamed map[string]string
	// IsOpaque means that it is not known for which columns it stands.
	IsOpaque bool
}

// From is what a FROM clause reads. One of Table, Query, Function, Constants, Join and Other is set.
type From struct {
	At    int
	Alias string
	// Columns are other names of its first columns.
	Columns []string
	Table   *Table
	Query   *Query
	// Function is a call with rows, or a list whose elements are the rows. Columns that it makes of buckets have the names of
	// Columns, the alias, or RowNames.
	Function *Expression
	RowNames []string
	// Constants are rows of constants.
	Constants []*Expression
	Join      *Join
	Other     *Other
	Sample    *Sampling
	// At clauses read a table as it was.
	IsAtVersion bool
}

// Table is a table, a common table expression, or a list in the row to the left of it.
type Table struct {
	At int
	// Schema is the name before it, if any: of a schema, or of the relation whose row has the list.
	Schema, Name string
	// Spelled is the name as the SQL of the engine has it.
	Spelled string
	// Columns are all of its columns; nil if they are not known.
	Columns []string
	// IsBounded means that the table can be bounded although it has a schema, which is a part of one of its names.
	IsBounded bool
}

// Join is a join. Kind is such as INNER or LEFT; Condition is such as REGULAR, CROSS or NATURAL.
type Join struct {
	Kind, Condition string
	Left, Right     *From
	On              *Expression
	Using           []string
}

// Expression is an expression, or a part of one.
type Expression struct {
	At int
	// Source is the node of the parser.
	Source any
	// Column is the path of a column. MayBeFunction means that its name is a function without brackets if there is no such
	// column.
	Column        []string
	MayBeFunction bool
	// Param is the name of a parameter, as it is spelled.
	Param string
	// Number is a whole number.
	Number *int
	// Function is the name of a function, or of an operator that is one. IsForeign means that it has a schema.
	Function  string
	IsForeign bool
	// Operator is AND, or one of the comparisons =, <, <=, > and >=, with two parts or more.
	Operator string
	// IsTimestamp means that it makes a time of its first part and changes none.
	IsTimestamp bool
	// Query is a subquery.
	Query *Query
	// IsWindow reports whether it is a window function, of rows that Partitions divide.
	IsWindow   bool
	Partitions []*Expression
	// IsStar reports whether it stands for several columns.
	IsStar bool
	// Parts are all expressions directly in it, except those of its query.
	Parts []*Expression
}

// Walk calls visit with the expression and its parts. It skips the parts of an expression for which visit returns false.
func (e *Expression) Walk(visit func(*Expression) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, part := range e.Parts {
		part.Walk(visit)
	}
}
