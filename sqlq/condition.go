package sqlq

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ConditionKind is what a condition is about.
type ConditionKind string

// The kinds of conditions.
const (
	// AnyRow is met by a result with rows.
	AnyRow ConditionKind = "any"
	// NoRow is met by a result without rows.
	NoRow ConditionKind = "none"
	// FirstRow compares a column of the first row with a value.
	FirstRow ConditionKind = "first"
)

// Condition is a condition on the rows of a saved query.
type Condition struct {
	Kind ConditionKind
	// Text is the comparison of FirstRow as it is declared, such as "errors > 5".
	Text string
	// Column is the index of the column of FirstRow, and Operator one of >, >=, <, <=, == and !=.
	Column   int
	Operator string
	// Value is a value as in a [Result], or a [FromNow].
	Value any
}

// String returns the condition as people read it.
func (c *Condition) String() string {
	if c.Kind == FirstRow {
		return string(c.Kind) + ": " + c.Text
	}
	return string(c.Kind)
}

// Verdict is what a result says about a condition.
type Verdict string

// The verdicts.
const (
	Met   Verdict = "met"
	Unmet Verdict = "unmet"
	// NoData means that there is no value to compare: no row, or NULL.
	NoData Verdict = "no_data"
)

// Check returns what a result says. asOf is the time of its run.
func (c *Condition) Check(result *Result, asOf time.Time) Verdict {
	switch {
	case c.Kind == AnyRow:
		return verdict(result.RowCount() > 0)
	case c.Kind == NoRow:
		return verdict(result.RowCount() == 0)
	case len(result.Rows) == 0 || IsNull(result.Rows[0][c.Column]):
		return NoData
	}
	want := c.Value
	if relative, ok := want.(FromNow); ok {
		want = relative.at(asOf.UTC(), result.Columns[c.Column].Type)
	}
	return verdict(compares(result.Rows[0][c.Column], c.Operator, want))
}

func verdict(met bool) Verdict {
	if met {
		return Met
	}
	return Unmet
}

// compares reports whether two values of the same type compare as an operator says.
func compares(a any, operator string, b any) bool {
	order := compare(a, b)
	switch operator {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	}
	return order <= 0
}

// comparisonPattern is a column, an operator and a value. A column that is not plain is in quotes.
const comparisonPattern = `^\s*(?:"([^"]+)"|([\pL_][\pL\pN_]*))\s*(>=|<=|==|!=|>|<)\s*(\S(?:.*\S)?)\s*$`

// ParseComparison returns the condition that compares a column of the first row with a value, such
// as errors > 5. The error says what is wrong.
func ParseComparison(text string, columns []Column) (Condition, error) {
	parts := regexp.MustCompile(comparisonPattern).FindStringSubmatch(text)
	if parts == nil {
		return Condition{}, fmt.Errorf("%s is not a comparison such as \"errors > 5\"; the operators are >, >=, <, <=, == and !=, and a column with spaces is in quotes, as in '\"n GET\" > 5'", Quote(text))
	}
	name, operator, value := parts[1]+parts[2], parts[3], parts[4]
	index := slices.IndexFunc(columns, func(column Column) bool { return column.Name == name })
	if index < 0 {
		return Condition{}, unknownColumn(name, columns)
	}
	condition := Condition{Kind: FirstRow, Text: strings.TrimSpace(text), Column: index, Operator: operator}
	column := &columns[index]
	switch column.Type {
	case Int64, Float64, Numeric:
	case Timestamp, Datetime, Date:
		if isRelativeText(value) {
			fromNow, err := ParseFromNow(value)
			condition.Value = fromNow
			return condition, err
		}
	case String, Bool:
		if condition.Operator != "==" && condition.Operator != "!=" {
			return Condition{}, fmt.Errorf("column %q has the type %s, which only == and != compare", column.Name, column.Type)
		}
	default:
		return Condition{}, fmt.Errorf("column %q has the type %s, which has no order; compare a number, a time, a STRING or a BOOL", column.Name, column.Type)
	}
	var err error
	if condition.Value, err = parseCompared(column.Type, value); err != nil {
		return Condition{}, fmt.Errorf("column %q has the type %s, and %w", column.Name, column.Type, err)
	}
	return condition, nil
}

// parseCompared returns the value that a column of a type is compared with.
func parseCompared(of Type, text string) (any, error) {
	if of == Datetime {
		of = Timestamp
	}
	quoted := len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0]
	if of == String && quoted {
		return text[1 : len(text)-1], nil
	}
	return (&Param{Type: of}).Parse(text)
}

// unknownColumn returns the error about a column that is not declared.
func unknownColumn(name string, columns []Column) error {
	names := ColumnNames(columns)
	return fmt.Errorf("column %q is not declared; %s", name, DidYouMean(name, names, "the columns are "+strings.Join(names, ", ")))
}
