// Package parquetfooter checks the schema of a Parquet file before DuckDB reads the file. DuckDB 1.5.6 calls itself for
// each group in a group, without a limit: a file of 800 kB would end the process.
package parquetfooter

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	// MaxDepth is how deep groups can be nested. A list or a map takes two levels.
	MaxDepth = 100
	// MaxElements is how many columns and groups a file can have.
	MaxElements = 20_000

	magic      = "PAR1"
	encrypted  = "PARE"
	tailLength = 4 + len(magic)
	// maxDigits is how many digits a DECIMAL of DuckDB has. It reads longer ones as DOUBLE.
	maxDigits = 38
	// maxName is the longest name of a column that is kept.
	maxName = 1 << 10
	// maxNesting is how deep structs and lists of Thrift can be nested. Those of Parquet have fewer levels.
	maxNesting = 32
)

// ErrIncomplete is the error of a file that does not end as a Parquet file, or whose footer is damaged.
var ErrIncomplete = errors.New("it is not a complete Parquet file")

// The other errors of a file.
var (
	ErrEncrypted = errors.New("it is encrypted, which DuckDB cannot read without its key; write it without encryption")
	ErrDepth     = fmt.Errorf("its columns are nested more than %d levels deep", MaxDepth)
	ErrElements  = fmt.Errorf("it has more than %d columns and groups", MaxElements)
	ErrVariant   = errors.New("it has a column of the type VARIANT; write it as JSON")
)

// Schema is what a footer says about the columns.
type Schema struct {
	// Variant reports whether a column has the type VARIANT.
	Variant bool
	// Decimals are the types of columns, or of what is nested in them, with more digits than DuckDB has, by the name of the column.
	Decimals map[string]string
	// Int96 are the names of columns with times of that type, or with such in them. It has nanoseconds, which DuckDB cuts.
	Int96 map[string]bool
}

// Read reads the footer of a file of a size. It takes bounded memory.
func Read(file io.ReaderAt, size int64) (Schema, error) {
	if size < int64(len(magic)+tailLength) {
		return Schema{}, ErrIncomplete
	}
	var tail [tailLength]byte
	if _, err := file.ReadAt(tail[:], size-int64(tailLength)); err != nil {
		return Schema{}, err
	}
	if string(tail[4:]) == encrypted {
		return Schema{}, ErrEncrypted
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if string(tail[4:]) != magic || length > size-int64(len(magic)+tailLength) {
		return Schema{}, ErrIncomplete
	}
	const bufferSize = 16 << 10
	footer := io.NewSectionReader(file, size-int64(tailLength)-length, length)
	r := &reader{input: bufio.NewReaderSize(footer, bufferSize)}
	if err := r.fileMetaData(); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Schema{}, ErrIncomplete
	} else if err != nil {
		return Schema{}, err
	}
	return r.schema, nil
}

// The types of values in Thrift's compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeInt16  = 4
	typeInt32  = 5
	typeInt64  = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
	typeUUID   = 13
)

// reader reads values of Thrift's compact protocol.
type reader struct {
	input  *bufio.Reader
	schema Schema
}

// fileMetaData reads the struct FileMetaData, whose field 2 is the schema.
func (r *reader) fileMetaData() error {
	const schemaField = 2
	found := false
	err := r.fields(func(id, typ int) error {
		if id != schemaField || typ != typeList {
			return r.skip(typ, 1)
		}
		found = true
		return r.elements()
	})
	if err == nil && !found {
		return ErrIncomplete
	}
	return err
}

// elements reads the list of the schema: each group is followed by the elements in it.
func (r *reader) elements() error {
	count, typ, err := r.listHeader()
	switch {
	case err != nil:
		return err
	case typ != typeStruct:
		return ErrIncomplete
	case count > MaxElements:
		return ErrElements
	}
	var left []int // elements that are left in each open group
	column := ""
	for i := range count {
		element, err := r.element()
		if err != nil {
			return err
		}
		if len(left) == 1 { // directly in the root
			column = element.name
		}
		r.note(column, element)
		if i > 0 {
			if len(left) == 0 {
				return ErrIncomplete
			}
			left[len(left)-1]--
		}
		left = append(left, element.children)
		if len(left) > MaxDepth {
			return ErrDepth
		}
		for len(left) > 0 && left[len(left)-1] == 0 {
			left = left[:len(left)-1]
		}
	}
	if len(left) > 0 {
		return ErrIncomplete
	}
	return nil
}

// element is a column, or a group of what is nested in it.
type element struct {
	name string
	// physical is the type in which values are stored, and children the number of elements directly in a group.
	physical, children int
	// scale and precision are of a DECIMAL.
	scale, precision int
}

// note notes what a column has.
func (r *reader) note(column string, of element) {
	const int96 = 3
	if of.precision > maxDigits {
		if r.schema.Decimals == nil {
			r.schema.Decimals = make(map[string]string)
		}
		r.schema.Decimals[column] = fmt.Sprintf("DECIMAL(%d,%d)", of.precision, of.scale)
	}
	if of.physical == int96 && of.children == 0 {
		if r.schema.Int96 == nil {
			r.schema.Int96 = make(map[string]bool)
		}
		r.schema.Int96[column] = true
	}
}

// element reads a SchemaElement.
func (r *reader) element() (read element, err error) {
	const typeField, nameField, childrenField, scaleField, precisionField, logicalTypeField, variant = 1, 4, 5, 7, 8, 10, 16
	numbers := map[int]*int{typeField: &read.physical, childrenField: &read.children, scaleField: &read.scale, precisionField: &read.precision}
	err = r.fields(func(id, typ int) error {
		switch {
		case numbers[id] != nil && typ == typeInt32:
			number, err := r.varint()
			if *numbers[id] = int(int32(number>>1) ^ -int32(number&1)); err == nil && (*numbers[id] < 0 || number > math.MaxUint32) { //nolint:gosec // It is cut to 32 bits on purpose.
				return ErrIncomplete
			}
			return err
		case id == nameField && typ == typeBinary:
			read.name, err = r.text()
			return err
		case id == logicalTypeField && typ == typeStruct: // a union: the id of its field is the type
			return r.fields(func(id, typ int) error {
				r.schema.Variant = r.schema.Variant || id == variant
				return r.skip(typ, 1)
			})
		}
		return r.skip(typ, 1)
	})
	return read, err
}

// text reads a text, of which it returns the beginning.
func (r *reader) text() (string, error) {
	length, err := r.varint()
	if err != nil {
		return "", err
	}
	text := make([]byte, min(length, maxName))
	if _, err := io.ReadFull(r.input, text); err != nil {
		return "", err
	}
	return string(text), r.discard(length - uint64(len(text)))
}

// fields calls read with the id and the type of each field of a struct. It must read the value.
func (r *reader) fields(read func(id, typ int) error) error {
	id := 0
	for {
		head, err := r.input.ReadByte()
		if err != nil || head == 0 {
			return err
		}
		if delta := int(head >> 4); delta > 0 {
			id += delta
		} else {
			number, err := r.varint()
			if err != nil {
				return err
			}
			id = int(int16(number>>1) ^ -int16(number&1)) //nolint:gosec // An id has 16 bits.
		}
		if err := read(id, int(head&0x0f)); err != nil {
			return err
		}
	}
}

// skip reads a value of a field, which is in a number of other values.
func (r *reader) skip(typ, nesting int) error {
	if nesting > maxNesting {
		return ErrIncomplete
	}
	switch typ {
	case typeTrue, typeFalse: // the type is the value
		return nil
	case typeInt16, typeInt32, typeInt64:
		_, err := r.varint()
		return err
	case typeByte:
		return r.discard(1)
	case typeDouble:
		return r.discard(8)
	case typeUUID:
		return r.discard(16)
	case typeBinary:
		length, err := r.varint()
		if err != nil {
			return err
		}
		return r.discard(length)
	case typeList, typeSet:
		count, element, err := r.listHeader()
		if err != nil {
			return err
		}
		return r.skipAll(count, nesting, element)
	case typeMap:
		count, err := r.varint()
		if err != nil || count == 0 {
			return err
		}
		types, err := r.input.ReadByte()
		if err != nil {
			return err
		}
		return r.skipAll(count, nesting, int(types>>4), int(types&0x0f))
	case typeStruct:
		return r.fields(func(_, typ int) error { return r.skip(typ, nesting+1) })
	}
	return ErrIncomplete
}

// skipAll reads the values of a list or a map.
func (r *reader) skipAll(count uint64, nesting int, types ...int) error {
	for range count {
		for _, typ := range types {
			if typ == typeTrue || typ == typeFalse { // which take a byte here
				typ = typeByte
			}
			if err := r.skip(typ, nesting+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// listHeader reads the number and the type of the elements of a list.
func (r *reader) listHeader() (count uint64, typ int, err error) {
	head, err := r.input.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	const long = 15
	if count = uint64(head >> 4); count == long {
		count, err = r.varint()
	}
	return count, int(head & 0x0f), err
}

func (r *reader) varint() (uint64, error) {
	number, err := binary.ReadUvarint(r.input)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, ErrIncomplete // too many bytes, or the file cannot be read
	}
	return number, err
}

// discard skips bytes. What is longer than the footer ends it.
func (r *reader) discard(count uint64) error {
	if count > math.MaxInt32 {
		return ErrIncomplete
	}
	_, err := r.input.Discard(int(count))
	return err
}
