package duckdb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/internal/text/duckjson"
	"savedq/sqlq"
)

const (
	// batchRows and batchBytes are about how many rows and bytes of a stream are passed on at a time.
	batchRows  = 16_384
	batchBytes = 4 << 20
	// stepRows is how many rows are added between two looks at the size of a batch. Rows can be large.
	stepRows = 256
)

// batches collects the rows of a stream.
type batches struct {
	query *sqlq.SavedQuery
	// full are batches to pass on, and free those to fill.
	full, free chan *sqlq.Batch
	// rows is how many there are, and truncated reports whether there were more than max rows.
	rows      int
	truncated bool
}

func newBatches(query *sqlq.SavedQuery) *batches {
	const count = 2 // one is filled while the other is passed on
	b := &batches{query: query, full: make(chan *sqlq.Batch), free: make(chan *sqlq.Batch, count)}
	for range count {
		b.free <- sqlq.NewBatch(query.Columns)
	}
	return b
}

// pass passes a batch on and returns one to fill.
func (b *batches) pass(ctx context.Context, batch *sqlq.Batch) (*sqlq.Batch, error) {
	select {
	case b.full <- batch:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case batch = <-b.free:
		return batch, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// collect collects the rows of a result.
func (b *batches) collect(ctx context.Context, result *mapping.Result) error {
	batch := <-b.free
	for !b.truncated {
		chunk := mapping.FetchChunk(*result)
		if chunk.Ptr == nil {
			break
		}
		var err error
		batch, err = b.add(ctx, batch, chunk)
		mapping.DestroyDataChunk(&chunk)
		if err != nil {
			return err
		}
	}
	if err := errorOf(result); err != nil {
		return err
	}
	if batch.Len() == 0 {
		return nil
	}
	_, err := b.pass(ctx, batch)
	return err
}

// add adds the rows of a chunk to a batch, and returns the batch for the next ones.
func (b *batches) add(ctx context.Context, batch *sqlq.Batch, chunk mapping.DataChunk) (*sqlq.Batch, error) {
	columns := b.query.Columns
	sources, types := make([]source, len(columns)), []source(nil)
	for i := range columns {
		sources[i] = newSource(&columns[i], mapping.DataChunkGetVector(chunk, mapping.IdxT(i)))
	}
	for i := len(columns); i < int(mapping.DataChunkGetColumnCount(chunk)); i++ { //nolint:gosec // It is small.
		types = append(types, flatSource(mapping.DataChunkGetVector(chunk, mapping.IdxT(i))))
	}
	rows := int(mapping.DataChunkGetSize(chunk)) //nolint:gosec // It is small.
	if room := b.query.MaxRows - b.rows; rows > room {
		rows, b.truncated = room, true
	}
	b.rows += rows
	for start := 0; start < rows; start += stepRows {
		vectors, err := batch.Vectors()
		if err == nil {
			err = appendRows(vectors, sources, types, start, min(start+stepRows, rows))
		}
		if err != nil {
			return nil, err
		}
		if batch.Len() >= batchRows || batch.Bytes() >= batchBytes {
			if batch, err = b.pass(ctx, batch); err != nil {
				return nil, err
			}
		}
	}
	return batch, nil
}

// appendRows appends rows to columns. The columns of JSON have their types in sources of their own.
func appendRows(columns []sqlq.Vector, sources, types []source, start, end int) error {
	for i := range columns {
		column := &columns[i]
		var err error
		if column.Column.Type == sqlq.JSON {
			err = appendJSON(column, &sources[i], &types[0], start, end)
			types = types[1:]
		} else {
			err = sources[i].appendTo(column, start, end)
		}
		if err != nil {
			return fmt.Errorf("column %s: %w", column.Column.Name, err)
		}
	}
	return nil
}

// appendJSON appends JSON values. types has the DuckDB type of each value that can contain a time, and NULL for others.
func appendJSON(to *sqlq.Vector, from, types *source, start, end int) error {
	for n := start; n < end; n++ {
		if from.isNull(n) {
			to.AppendNull()
			continue
		}
		var typeName any
		if !types.isNull(n) {
			typeName = string(types.text(n))
		}
		document, err := toJSON(string(from.text(n)), typeName)
		if err != nil {
			return err
		}
		to.Text = append(to.Text, document...)
		if err := to.End(); err != nil {
			return err
		}
	}
	return nil
}

// source is a vector of DuckDB, and those in it. It is valid as long as its chunk.
type source struct {
	data unsafe.Pointer
	// valid has a bit for each value that is not NULL; nil if none is.
	valid unsafe.Pointer
	// children are the elements of ARRAYs, or the fields of STRUCTs.
	children []source
}

// flatSource returns a vector of values that are not nested.
func flatSource(vector mapping.Vector) source {
	return source{data: mapping.VectorGetData(vector), valid: mapping.VectorGetValidity(vector)}
}

// newSource returns a vector of a column.
func newSource(column *sqlq.Column, vector mapping.Vector) source {
	s := flatSource(vector)
	switch {
	case column.Type.IsArray():
		s.children = []source{newSource(column.Element(), mapping.ListVectorGetChild(vector))}
	case column.Type == sqlq.Struct:
		for i := range column.Fields {
			s.children = append(s.children, newSource(&column.Fields[i], mapping.StructVectorGetChild(vector, mapping.IdxT(i))))
		}
	}
	return s
}

func (s *source) isNull(n int) bool {
	if s.valid == nil {
		return false
	}
	const wordBits = 64
	word := *(*uint64)(unsafe.Add(s.valid, n/wordBits*wordBytes))
	return word>>(n%wordBits)&1 == 0
}

// DuckDB's representation of texts and lists.
const wordBytes = 8

type (
	duckText struct {
		length uint32
		// inlined is a short text, or four bytes of a text and where it is.
		inlined [12]byte
	}
	duckList struct{ offset, length uint64 }
)

// valueAt returns a value in the data of a vector.
func valueAt[T any](s *source, n int) *T {
	var value T
	return (*T)(unsafe.Add(s.data, n*int(unsafe.Sizeof(value))))
}

// valuesAt returns values in the data of a vector. They are valid as long as the chunk.
func valuesAt[T any](s *source, start, end int) []T {
	return unsafe.Slice(valueAt[T](s, start), end-start) //nolint:gosec // They are as many.
}

// text returns a text, which is valid as long as the chunk.
func (s *source) text(n int) []byte {
	const prefixBytes = 4
	text := valueAt[duckText](s, n)
	if int(text.length) <= len(text.inlined) {
		return text.inlined[:text.length]
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&text.inlined[prefixBytes])), text.length) //nolint:gosec // DuckDB has it there.
}

// appendTo appends values, converted as [convertValue] does.
func (s *source) appendTo(to *sqlq.Vector, start, end int) error {
	if s.valid == nil && s.appendEqual(to, start, end) {
		return nil
	}
	for n := start; n < end; n++ {
		if s.isNull(n) {
			to.AppendNull()
			continue
		}
		if err := s.appendValue(to, n); err != nil {
			return err
		}
	}
	return nil
}

// appendEqual appends values all of which are in the vector as DuckDB has them, and reports whether they are. It is the
// fast way.
func (s *source) appendEqual(to *sqlq.Vector, start, end int) bool {
	switch to.Column.Type {
	case sqlq.Bool:
		to.Bools = append(to.Bools, valuesAt[bool](s, start, end)...)
	case sqlq.Int64:
		to.Int64s = append(to.Int64s, valuesAt[int64](s, start, end)...)
	case sqlq.Numeric:
		if to.Column.Big {
			return false
		}
		to.Units = append(to.Units, valuesAt[sqlq.Units](s, start, end)...)
	case sqlq.Float64:
		to.Float64s = append(to.Float64s, valuesAt[float64](s, start, end)...)
	case sqlq.Timestamp, sqlq.Datetime:
		values := valuesAt[int64](s, start, end)
		if slices.ContainsFunc(values, func(value int64) bool { return isInfinity(value, math.MaxInt64) }) {
			return false
		}
		to.Int64s = append(to.Int64s, values...)
	default:
		return false
	}
	to.Nulls = append(to.Nulls, make([]bool, end-start)...)
	return true
}

func (s *source) appendValue(to *sqlq.Vector, n int) error {
	switch to.Column.Type {
	case sqlq.String:
		to.Text = append(to.Text, s.text(n)...)
		return to.End()
	case sqlq.JSON:
		to.Text = append(to.Text, duckjson.Strict(string(s.text(n)))...)
		return to.End()
	case sqlq.Numeric:
		if !to.Column.Big {
			to.Units = append(to.Units, *valueAt[sqlq.Units](s, n))
			break
		}
		number, err := sqlq.ParseDecimal(string(s.text(n)))
		if err != nil {
			return err
		}
		to.Text = append(to.Text, number...)
		return to.End()
	case sqlq.Bool:
		to.Bools = append(to.Bools, *valueAt[bool](s, n))
	case sqlq.Int64:
		to.Int64s = append(to.Int64s, *valueAt[int64](s, n))
	case sqlq.Float64:
		to.Float64s = append(to.Float64s, *valueAt[float64](s, n))
	case sqlq.Timestamp, sqlq.Datetime:
		appendTime(to, *valueAt[int64](s, n), math.MaxInt64)
		return nil
	case sqlq.Date:
		appendTime(to, int64(*valueAt[int32](s, n)), math.MaxInt32)
		return nil
	case sqlq.Struct:
		for i := range s.children {
			if err := s.children[i].appendTo(&to.Children[i], n, n+1); err != nil {
				return fmt.Errorf("field %s: %w", to.Column.Fields[i].Name, err)
			}
		}
	default:
		list := valueAt[duckList](s, n)
		if err := s.children[0].appendTo(&to.Children[0], int(list.offset), int(list.offset+list.length)); err != nil { //nolint:gosec // They are positions in memory.
			return err
		}
		return to.End()
	}
	to.Nulls = append(to.Nulls, false)
	return nil
}

// appendTime appends microseconds or days, and NULL for an infinity (D13).
func appendTime(to *sqlq.Vector, value, infinity int64) {
	if isInfinity(value, infinity) {
		to.AppendNull()
		return
	}
	to.Int64s = append(to.Int64s, value)
	to.Nulls = append(to.Nulls, false)
}

func isInfinity(value, infinity int64) bool { return value == infinity || value == -infinity }
