package sqlq

import (
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"
)

// Batch is some rows of a stream. It is made of rows or of columns, and can be read as both.
type Batch struct {
	columns []Column
	rows    [][]any
	vectors []Vector
}

// BatchOf returns a batch of rows, as [Result] documents them.
func BatchOf(columns []Column, rows [][]any) *Batch { return &Batch{columns: columns, rows: rows} }

// NewBatch returns an empty batch of columns. Append values to each of its vectors.
func NewBatch(columns []Column) *Batch { return &Batch{columns: columns, vectors: newVectors(columns)} }

// Len returns how many rows the batch has.
func (b *Batch) Len() int {
	if b.rows != nil || len(b.vectors) == 0 {
		return len(b.rows)
	}
	return b.vectors[0].Len()
}

// Rows returns the rows, as [Result] documents them.
func (b *Batch) Rows() iter.Seq[[]any] {
	if b.rows != nil {
		return slices.Values(b.rows)
	}
	return func(yield func([]any) bool) {
		for n := range b.Len() {
			row := make([]any, len(b.vectors))
			for i := range b.vectors {
				row[i] = b.vectors[i].Value(n)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Vectors returns the columns. It fails if a column cannot have one of its values.
func (b *Batch) Vectors() ([]Vector, error) {
	if b.vectors != nil {
		return b.vectors, nil
	}
	vectors := newVectors(b.columns)
	for _, row := range b.rows {
		for i, value := range row {
			if err := vectors[i].Append(value); err != nil {
				return nil, err
			}
		}
	}
	b.vectors = vectors
	return vectors, nil
}

// Check is [Result.Check] for the rows of the batch.
func (b *Batch) Check() error {
	for i := range b.vectors {
		if b.vectors[i].Len() != b.Len() {
			return fmt.Errorf("the engine returned %d values of column %q for %d rows", b.vectors[i].Len(), b.columns[i].Name, b.Len())
		}
	}
	return (&Result{Columns: b.columns, Rows: b.rows}).Check()
}

// Reset removes the rows and keeps the memory. Nothing may use the rows any more.
func (b *Batch) Reset() {
	b.rows = nil
	for i := range b.vectors {
		b.vectors[i].reset()
	}
}

// Bytes returns about how many bytes the values of a batch of columns take.
func (b *Batch) Bytes() int {
	bytes := 0
	for i := range b.vectors {
		bytes += b.vectors[i].bytes()
	}
	return bytes
}

// Vector holds the values of a column. Which of its parts has them depends on the type.
type Vector struct {
	Column *Column
	// Nulls reports of each value whether it is NULL. The parts have some value for it, too.
	Nulls []bool
	// Int64s has INT64, TIMESTAMP and DATETIME, in microseconds since 1970, and DATE, in days since then.
	Int64s []int64
	// Float64s has FLOAT64, and Bools BOOL.
	Float64s []float64
	Bools    []bool
	// Units has NUMERIC.
	Units []Units
	// Text has STRING, BIGNUMERIC and JSON, each text after the other.
	Text []byte
	// Offsets has, for each text in Text and each ARRAY in its child, where it begins. It has one more than there
	// are values: where the last one ends.
	Offsets []int32
	// Children are the elements of ARRAYs, or the fields of STRUCTs.
	Children []Vector
}

func newVectors(columns []Column) []Vector {
	vectors := make([]Vector, len(columns))
	for i := range columns {
		vectors[i] = newVector(&columns[i])
	}
	return vectors
}

func newVector(column *Column) Vector {
	v := Vector{Column: column}
	switch {
	case column.Type.IsArray():
		v.Children = []Vector{newVector(column.Element())}
		v.Offsets = []int32{0}
	case column.Type == Struct:
		v.Children = newVectors(column.Fields)
	case v.isText():
		v.Offsets = []int32{0}
	}
	return v
}

func (v *Vector) isText() bool {
	switch v.Column.Type { //nolint:exhaustive // The others are not.
	case String, JSON:
		return true
	case Numeric:
		return v.Column.Big
	}
	return false
}

// Len returns how many values the vector has.
func (v *Vector) Len() int { return len(v.Nulls) }

func (v *Vector) reset() {
	v.Nulls, v.Int64s, v.Float64s, v.Bools, v.Units, v.Text = v.Nulls[:0], v.Int64s[:0], v.Float64s[:0], v.Bools[:0], v.Units[:0], v.Text[:0]
	v.Offsets = v.Offsets[:min(len(v.Offsets), 1)]
	for i := range v.Children {
		v.Children[i].reset()
	}
}

func (v *Vector) bytes() int {
	const wordBytes = 8
	bytes := len(v.Nulls) + len(v.Text) + len(v.Bools) + wordBytes*(len(v.Int64s)+len(v.Float64s)+2*len(v.Units)+len(v.Offsets))
	for i := range v.Children {
		bytes += v.Children[i].bytes()
	}
	return bytes
}

// AppendNull appends NULL. An ARRAY is empty instead (D28).
func (v *Vector) AppendNull() {
	v.Nulls = append(v.Nulls, !v.Column.Type.IsArray())
	switch {
	case v.Offsets != nil:
		v.Offsets = append(v.Offsets, v.Offsets[len(v.Offsets)-1])
	case v.Column.Type == Struct:
		for i := range v.Children {
			v.Children[i].AppendNull()
		}
	case v.Column.Type == Float64:
		v.Float64s = append(v.Float64s, 0)
	case v.Column.Type == Numeric:
		v.Units = append(v.Units, Units{})
	case v.Column.Type == Bool:
		v.Bools = append(v.Bools, false)
	default:
		v.Int64s = append(v.Int64s, 0)
	}
}

// End ends a text that was appended to Text, or an ARRAY whose elements were appended to the child.
func (v *Vector) End() error {
	end := len(v.Text)
	if len(v.Children) > 0 {
		end = v.Children[0].Len()
	}
	if end > math.MaxInt32 {
		return ResultTooLarge(MaxResultBytes)
	}
	v.Nulls = append(v.Nulls, false)
	v.Offsets = append(v.Offsets, int32(end))
	return nil
}

// Append appends a value, as [Result] documents it.
func (v *Vector) Append(value any) error {
	if value == nil {
		v.AppendNull()
		return nil
	}
	if err := v.Column.check(value); err != nil {
		return fmt.Errorf("column %q: %w", v.Column.Name, err)
	}
	switch value := value.(type) {
	case int64:
		v.Int64s = append(v.Int64s, value)
	case float64:
		v.Float64s = append(v.Float64s, value)
	case bool:
		v.Bools = append(v.Bools, value)
	case time.Time:
		v.Int64s = append(v.Int64s, v.ofTime(value))
	case string:
		v.Text = append(v.Text, value...)
		return v.End()
	case Decimal:
		if v.Column.Big {
			v.Text = append(v.Text, value...)
			return v.End()
		}
		units, ok := UnitsOf(value)
		if !ok {
			return Errorf(InvalidArgument, "column %s has the number %s; Parquet and Arrow hold at most %d digits before and %d after the point; "+
				"declare the column as BIGNUMERIC, or use another format",
				v.Column.Name, value, numericWhole, NumericScale)
		}
		v.Units = append(v.Units, units)
	case json.RawMessage:
		v.Text = append(v.Text, value...)
		return v.End()
	case []any:
		return v.appendNested(value)
	}
	v.Nulls = append(v.Nulls, false)
	return nil
}

func (v *Vector) appendNested(values []any) error {
	isArray := v.Column.Type.IsArray()
	for i, value := range values {
		child := &v.Children[0]
		if !isArray {
			child = &v.Children[i]
		}
		if err := child.Append(value); err != nil {
			return err
		}
	}
	if isArray {
		return v.End()
	}
	v.Nulls = append(v.Nulls, false)
	return nil
}

const secondsOfDay = 24 * 60 * 60

func (v *Vector) ofTime(value time.Time) int64 {
	if v.Column.Type == Date {
		return (value.Unix() - (value.Unix()%secondsOfDay+secondsOfDay)%secondsOfDay) / secondsOfDay
	}
	return value.UnixMicro()
}

// Value returns a value, as [Result] documents it.
func (v *Vector) Value(n int) any {
	if v.Nulls[n] {
		return nil
	}
	switch v.Column.Type {
	case Int64:
		return v.Int64s[n]
	case Float64:
		return v.Float64s[n]
	case Bool:
		return v.Bools[n]
	case Timestamp, Datetime:
		return time.UnixMicro(v.Int64s[n]).UTC()
	case Date:
		return time.Unix(v.Int64s[n]*secondsOfDay, 0).UTC()
	case String:
		return string(v.TextAt(n))
	case Numeric:
		if !v.Column.Big {
			return v.Units[n].Decimal()
		}
		return Decimal(v.TextAt(n))
	case JSON:
		return json.RawMessage(append([]byte(nil), v.TextAt(n)...))
	case Struct:
		fields := make([]any, len(v.Children))
		for i := range v.Children {
			fields[i] = v.Children[i].Value(n)
		}
		return fields
	}
	elements := make([]any, 0, v.Offsets[n+1]-v.Offsets[n])
	for i := v.Offsets[n]; i < v.Offsets[n+1]; i++ {
		elements = append(elements, v.Children[0].Value(int(i)))
	}
	return elements
}

// TextAt returns a STRING, BIGNUMERIC or JSON, which is valid as long as the vector is unchanged.
func (v *Vector) TextAt(n int) []byte { return v.Text[v.Offsets[n]:v.Offsets[n+1]] }
