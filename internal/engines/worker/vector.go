package worker

import (
	"errors"

	"savedq/sqlq"
)

// vector is a [sqlq.Vector] without its column, which both sides know.
type vector struct {
	Nulls    []byte
	Int64s   []int64
	Float64s []float64
	Bools    []byte
	Text     []byte
	Offsets  []int32
	Children []vector
}

// textual returns columns whose numbers of type NUMERIC are texts, which hold all digits, as the rows of a result do.
func textual(columns []sqlq.Column) []sqlq.Column {
	changed := make([]sqlq.Column, len(columns))
	for i, column := range columns {
		column.Big = column.Big || column.Type.Innermost() == sqlq.Numeric
		column.Fields = textual(column.Fields)
		changed[i] = column
	}
	return changed
}

// vectorsOf returns vectors as they are sent. They share their memory.
func vectorsOf(vectors []sqlq.Vector) []vector {
	sent := make([]vector, len(vectors))
	for i := range vectors {
		v := &vectors[i]
		sent[i] = vector{Nulls: bytesOf(v.Nulls), Int64s: v.Int64s, Float64s: v.Float64s, Bools: bytesOf(v.Bools), Text: v.Text, Offsets: v.Offsets, Children: vectorsOf(v.Children)}
	}
	return sent
}

// bytesOf returns a byte for each value; none if all are false.
func bytesOf(values []bool) []byte {
	var all []byte
	for i, value := range values {
		if !value {
			continue
		}
		if all == nil {
			all = make([]byte, len(values))
		}
		all[i] = 1
	}
	return all
}

// boolsOf is the inverse of [bytesOf].
func boolsOf(all []byte, count int) []bool {
	values := make([]bool, count)
	for i, value := range all {
		values[i] = value != 0
	}
	return values
}

// errMalformed is the error for a batch that is not one of the columns. The process that sent it may have damaged memory.
var errMalformed = errors.New("the process for SQL of callers has sent malformed rows")

// fill fills the vectors of an empty batch with those that were received, each with a number of values. It checks that
// every value is there.
func fill(vectors []sqlq.Vector, received []vector, count int) error {
	if len(vectors) != len(received) || count < 0 {
		return errMalformed
	}
	for i := range vectors {
		if err := fillOne(&vectors[i], &received[i], count); err != nil {
			return err
		}
	}
	return nil
}

func fillOne(to *sqlq.Vector, from *vector, count int) error {
	isArray, isStruct, hasOffsets := to.Column.Type.IsArray(), to.Column.Type == sqlq.Struct, to.Offsets != nil
	isWrong := len(from.Nulls) != 0 && len(from.Nulls) != count || len(from.Bools) != 0 && len(from.Bools) != count
	switch {
	case hasOffsets:
		isWrong = isWrong || !areOffsets(from.Offsets, count) || !isArray && int(from.Offsets[count]) != len(from.Text)
	case isStruct, to.Column.Type == sqlq.Bool:
	case to.Column.Type == sqlq.Float64:
		isWrong = isWrong || len(from.Float64s) != count
	default:
		isWrong = isWrong || len(from.Int64s) != count
	}
	if isWrong {
		return errMalformed
	}
	to.Nulls, to.Int64s, to.Float64s, to.Text = boolsOf(from.Nulls, count), from.Int64s, from.Float64s, from.Text
	if to.Column.Type == sqlq.Bool {
		to.Bools = boolsOf(from.Bools, count)
	}
	if hasOffsets {
		to.Offsets = from.Offsets
	}
	if isArray {
		count = int(from.Offsets[count])
	}
	return fill(to.Children, from.Children, count)
}

// areOffsets reports whether offsets fit a number of values.
func areOffsets(offsets []int32, count int) bool {
	if len(offsets) != count+1 || offsets[0] != 0 {
		return false
	}
	for i := range count {
		if offsets[i] > offsets[i+1] {
			return false
		}
	}
	return true
}
