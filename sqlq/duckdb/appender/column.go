package appender

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"savedq/sqlq"
)

const (
	// chunkRows is the number of rows of a data chunk, STANDARD_VECTOR_SIZE of DuckDB.
	chunkRows = 2048
	// maskBits is the number of rows in a word of a validity mask.
	maskBits = 64
)

// column is a column of a data chunk of DuckDB. It writes to the memory of its vector.
type column struct {
	vector mapping.Vector
	kind   mapping.Type
	// words are the values: one word each, and two for strings and numbers of 38 digits.
	words []uint64
	// bytes and halves are the values of a BOOLEAN and a DATE.
	bytes  []bool
	halves []int32
	// valid has a bit for each value that is not NULL. It is nil until there is a NULL.
	valid []uint64
}

func newColumn(columnType mapping.LogicalType, vector mapping.Vector) (column, error) {
	c := column{vector: vector, kind: mapping.GetTypeId(columnType)}
	words := chunkRows
	switch c.kind {
	case mapping.TypeVarchar, mapping.TypeDecimal:
		words = 2 * chunkRows
	case mapping.TypeBoolean:
		c.bytes = unsafe.Slice((*bool)(mapping.VectorGetData(vector)), chunkRows) //nolint:gosec // The vector has that size.
		return c, nil
	case mapping.TypeDate:
		c.halves = unsafe.Slice((*int32)(mapping.VectorGetData(vector)), chunkRows) //nolint:gosec // The vector has that size.
		return c, nil
	case mapping.TypeTimestamp, mapping.TypeBigInt, mapping.TypeUBigInt, mapping.TypeDouble:
	default:
		return column{}, fmt.Errorf("cannot append to type %d of DuckDB", c.kind)
	}
	c.words = unsafe.Slice((*uint64)(mapping.VectorGetData(vector)), words) //nolint:gosec // The vector has that size.
	return c, nil
}

// set sets the value of a row.
func (c *column) set(row int, value driver.Value, texts *texts) error {
	switch value := value.(type) {
	case nil:
		c.setNull(row)
		return nil
	case *string:
		if value == nil {
			c.setNull(row)
			return nil
		}
		return c.setText(row, *value, texts)
	case *json.RawMessage:
		if *value == nil {
			c.setNull(row)
			return nil
		}
		return c.setText(row, unsafe.String(unsafe.SliceData(*value), len(*value)), texts) //nolint:gosec // It is only read, and only here.
	case string:
		return c.setText(row, value, texts)
	case *time.Time:
		return c.setWord(row, mapping.TypeTimestamp, uint64(value.UnixMicro()))
	case time.Time:
		return c.setWord(row, mapping.TypeTimestamp, uint64(value.UnixMicro()))
	case int64:
		return c.setWord(row, mapping.TypeBigInt, uint64(value)) //nolint:gosec // The bits are meant.
	case uint64:
		return c.setWord(row, mapping.TypeUBigInt, value)
	case float64:
		return c.setWord(row, mapping.TypeDouble, math.Float64bits(value))
	case sqlq.Decimal:
		if units, ok := sqlq.UnitsOf(value); ok && c.kind == mapping.TypeDecimal {
			c.words[2*row], c.words[2*row+1] = units.Low, uint64(units.High) //nolint:gosec // The bits are meant.
			return nil
		}
	case bool:
		if c.kind == mapping.TypeBoolean {
			c.bytes[row] = value
			return nil
		}
	case sqlq.EpochDay:
		if c.kind == mapping.TypeDate {
			c.halves[row] = int32(value)
			return nil
		}
	}
	return fmt.Errorf("cannot append a value of type %T", value)
}

func (c *column) setWord(row int, kind mapping.Type, word uint64) error {
	if c.kind != kind {
		return fmt.Errorf("cannot append a value of type %d of DuckDB to type %d", kind, c.kind)
	}
	c.words[row] = word
	return nil
}

// setText sets a string. It has the layout of duckdb_string_t: its length, and up to 12 bytes
// in place, or otherwise the first 4 and the address of all.
func (c *column) setText(row int, text string, texts *texts) error {
	if c.kind != mapping.TypeVarchar {
		return fmt.Errorf("cannot append a string to type %d of DuckDB", c.kind)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD") // DuckDB stores nothing else
	}
	if uint64(len(text)) > math.MaxUint32 {
		return fmt.Errorf("cannot append a string of %d bytes", len(text))
	}
	const lengthBytes, prefixBytes, inPlace, wordBytes = 4, 4, 12, 8
	var value [lengthBytes + inPlace]byte
	binary.LittleEndian.PutUint32(value[:], uint32(len(text))) //nolint:gosec // It was checked.
	if len(text) <= inPlace {
		copy(value[lengthBytes:], text)
	} else {
		copy(value[lengthBytes:], text[:prefixBytes])
		binary.LittleEndian.PutUint64(value[wordBytes:], uint64(texts.add(text)))
	}
	c.words[2*row] = binary.LittleEndian.Uint64(value[:])
	c.words[2*row+1] = binary.LittleEndian.Uint64(value[wordBytes:])
	return nil
}

func (c *column) setNull(row int) {
	if c.valid == nil {
		mapping.VectorEnsureValidityWritable(c.vector)
		c.valid = unsafe.Slice((*uint64)(mapping.VectorGetValidity(c.vector)), chunkRows/maskBits) //nolint:gosec // The mask has that size.
	}
	c.valid[row/maskBits] &^= 1 << (row % maskBits)
	if c.kind == mapping.TypeVarchar {
		c.words[2*row], c.words[2*row+1] = 0, 0 // not an address of freed memory
	}
}

// reset makes all values valid again, for the next rows.
func (c *column) reset() {
	for i := range c.valid {
		c.valid[i] = math.MaxUint64
	}
}
