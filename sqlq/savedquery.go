package sqlq

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// SavedQuery is a query endpoint (specification 2.1): SQL with a name, and
// everything that is needed to serve it. It is immutable after its catalog is read.
type SavedQuery struct {
	// ID never changes, so that callers can keep it (D21).
	ID   uuid.UUID
	Name string
	// Aliases are further names and ids under which the saved query is found, UUIDs in lower
	// case.
	Aliases     []string
	Description string
	// Deprecated is why the saved query should not be used any more, and what to use; empty
	// if it is not deprecated.
	Deprecated string
	// MaxRows is the most rows of a result; further ones are cut off, and the result is
	// marked as truncated (D24).
	MaxRows int
	// Cache is how long a result is served from the cache; zero means disabled.
	Cache time.Duration
	// Warm is how often a cached result is refreshed; zero means disabled.
	Warm time.Duration
	// Stream means that rows are passed on in batches while they are read, so that there can be many.
	// They are not cached.
	Stream bool
	// Sandboxed means that callers may send SQL of their own, which reads the WITH clauses (D40).
	Sandboxed bool
	// CallersReadLogs means that their SQL is ClickHouse's, over the table logs (D52), instead of GoogleSQL over the WITH clauses.
	CallersReadLogs bool
	// CallersAskServer means that they are clients of ClickHouse, whose SQL also asks what a server is and has.
	CallersAskServer bool
	// Tool is the name of the tool over MCP; empty if there is none (D45).
	Tool string
	// Callers is the part of the SQL that a caller wrote; nil for a saved query as its author wrote it.
	Callers *CallersSQL
	Params  []Param
	Columns []Column
	// Series declares that rows can be reused; nil if they cannot.
	Series *Series
	// Pages declares that rows can be read in pages; nil if they cannot.
	Pages *Pages
	// Alerts are conditions on the rows that a server checks, by name.
	Alerts []Alert
	// Extension is what a [savedq/sqlq/catalog.Extend] read.
	Extension any
	// Tables has the tables that SQL reads, and perhaps others.
	Tables Tables
	// Engine is the name of the engine that SQL is for.
	Engine string
	SQL    string
	// Translation is what SQL was made from; nil if it is as its author wrote it.
	Translation *Translation
	// SQLFile is where SQL was read from, for messages.
	SQLFile string
	// Shipped is true for a saved query that comes with savedq.
	Shipped bool
	// Place is where the name is declared, for messages.
	Place Place
	// Marks are the places of query.yaml that are marked with TODO, for a person to fill in.
	Marks FileErrors
}

// Names of the tools over MCP that are not saved queries, so that no saved query's tool has them.
const (
	DescribeTool = "describe_tool"
	ExploreTool  = "explore"
)

// ParseID parses a UUID in the form of an id, in any letter case (D16). It reports false for
// the other spellings that [uuid.Parse] accepts.
func ParseID(text string) (uuid.UUID, bool) {
	if len(text) != len(uuid.Nil.String()) {
		return uuid.Nil, false
	}
	id, err := uuid.Parse(text)
	return id, err == nil
}

// HasName reports whether the saved query has the name, or it is one of the aliases.
func (q *SavedQuery) HasName(name string) bool {
	return q.Name == name || slices.Contains(q.Aliases, name)
}

// HasID reports whether the saved query has the id, or it is one of the aliases.
func (q *SavedQuery) HasID(text string) bool {
	id, ok := ParseID(text)
	return ok && (q.ID == id || slices.Contains(q.Aliases, id.String()))
}

// Warnings returns what is allowed but may be unintended.
func (q *SavedQuery) Warnings() FileErrors {
	warnings := slices.Clone(q.Marks)
	if q.Series != nil {
		warnings = append(warnings, q.Series.Obstacles...)
	}
	if q.Scoped(ScopeProject) < 0 {
		warnings = append(warnings, q.Place.Mistakef("no parameter has scope: %s, so tokens that are limited to projects cannot run %s", ScopeProject, q.Name))
	}
	warnings.Sort()
	return warnings
}

// Param is a declared parameter of a saved query. Its value arrives as text and is bound as
// Type. An array takes one text for each element, and what is declared about values applies
// to each of them.
type Param struct {
	Name string
	// Type is one of [ParamTypes], or an array of one.
	Type        Type
	Description string
	// Deprecated is why the parameter should not be used any more, and what to use; empty if
	// it is not deprecated.
	Deprecated string
	// Required makes an absent or empty value an error (D9). An optional parameter that is
	// absent or empty takes Default, or NULL without one; an array is empty then.
	Required bool
	// Default holds the text used for an absent or empty value, and for an array those of its
	// elements; nil means none. The default of a TIMESTAMP or a DATE can be relative; see
	// [FromNow].
	Default []string
	// Allowed lists the only values that are accepted, case-sensitively (D10);
	// empty means any.
	Allowed []string
	// Fallback is the text used for a value that Allowed does not list; nil
	// makes the value an error.
	Fallback *string
	// Pattern is an RE2 expression that the whole value must match; empty means
	// any value. Only [Param.SetPattern] sets it, because it has to be compiled.
	Pattern string
	// pattern is Pattern, compiled.
	pattern *regexp.Regexp
	// PatternMessage is what a caller reads whose value does not match, such as "use a status
	// such as 404"; empty means a message with the pattern.
	PatternMessage string
	// Regex reports whether the value is itself an RE2 expression, which must compile
	// (D9).
	Regex bool
	// BoundPattern is the expression that a token's value becomes if it binds a parameter with
	// Regex, with [BoundValue] in place of the quoted value. Empty means that all of a text
	// must be the value.
	BoundPattern string
	// MaxLength is the most characters that the value may have.
	MaxLength int
	// Min and Max are the least and the greatest value of an INT64, FLOAT64, NUMERIC, TIMESTAMP
	// or DATE, as [Param.Parse] returns them, and nil without a limit.
	Min, Max *Bound
	// MaxItems is the most elements that an array may have.
	MaxItems int
	// Extension is what a [savedq/sqlq/catalog.Extend] read.
	Extension any
	// Scope is the limit of a token that applies to the parameter; empty means none. At
	// most one parameter of a saved query has each scope.
	Scope Scope
}

// Bound is the least or the greatest value of a parameter.
type Bound struct {
	// Text is the value as it is declared.
	Text string
	// Value is an int64, a float64, a [Decimal] or a time.Time.
	Value any
}

// String returns the text; empty for nil.
func (b *Bound) String() string {
	if b == nil {
		return ""
	}
	return b.Text
}

// Scope is a limit of a token that applies to the value of a parameter.
type Scope string

const (
	// ScopeProject is the scope of the parameter that holds the project whose rows a saved
	// query returns. A token that is limited to projects can only run saved queries that
	// have such a parameter, with one of its projects.
	ScopeProject Scope = "project"
	// ScopeTier is the scope of a parameter that holds a tier. Its Allowed lists the tiers,
	// lowest first: a token that is limited to a tier can use that one and those before it.
	ScopeTier Scope = "tier"
)

// Scoped returns the index of the parameter that has the scope; -1 if there is none.
func (q *SavedQuery) Scoped(scope Scope) int {
	return slices.IndexFunc(q.Params, func(param Param) bool { return param.Scope == scope })
}

// Column is a declared column of a saved query's result, or a field of a STRUCT.
type Column struct {
	Name string
	Type Type
	// Big reports whether numbers can have more digits than a NUMERIC argument: a BIGNUMERIC, or an array of it.
	Big bool
	// Fields are the fields of a STRUCT, or of the STRUCTs in an array, in their order.
	Fields []Column
	// Nullable reports whether values can be NULL. An array never is: it is empty (D28).
	Nullable    bool
	Description string
	// Deprecated is why the column should not be used any more, and what to use; empty if it
	// is not deprecated.
	Deprecated string
	// Extension is what a [savedq/sqlq/catalog.Extend] read.
	Extension any
	// Place is where the column is declared, for messages.
	Place Place
}

// TypeName returns the type as it is declared, which can be BIGNUMERIC, or an array of it.
func (c *Column) TypeName() string {
	if c.Big {
		return strings.Replace(string(c.Type), string(Numeric), bigNumeric, 1)
	}
	return string(c.Type)
}

// Element returns the column of an array's elements, which have no name of their own.
func (c *Column) Element() *Column {
	element := *c
	element.Type, element.Nullable = c.Type.Element(), !c.Type.Element().IsArray()
	return &element
}

// Place is a place in a file; line and column count from 1.
type Place struct {
	File         string
	Line, Column int
}
