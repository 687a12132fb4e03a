package clickhousehttp

import (
	"encoding/binary"
	"math"
	"time"
)

// revisionWithSerialization is the version of the protocol from which each column of Native says how it is serialized.
const revisionWithSerialization = 54454

// appendNative appends the rows as one block of ClickHouse's native format. revision is the version of the protocol that the client
// has; 0 means the format of files.
func appendNative(dst []byte, rows *rows, revision int) []byte {
	if revision > 0 {
		const isOverflow, bucket, end = 1, 2, 0
		dst = append(dst, isOverflow, 0, bucket)
		dst = binary.LittleEndian.AppendUint32(dst, math.MaxUint32) // no bucket
		dst = append(dst, end)
	}
	dst = binary.AppendUvarint(dst, uint64(len(rows.names)))
	dst = binary.AppendUvarint(dst, uint64(len(rows.values)))
	column := make([]any, len(rows.values))
	for i, name := range rows.names {
		dst = appendBytes(appendBytes(dst, name), rows.types[i].written)
		if revision >= revisionWithSerialization {
			dst = append(dst, 0) // the usual one
		}
		for n, row := range rows.values {
			column[n] = row[i]
		}
		dst = rows.types[i].appendColumn(dst, column)
	}
	return dst
}

// appendColumn appends the values of a column of Native.
func (t *dataType) appendColumn(dst []byte, values []any) []byte {
	if t.nullable {
		for _, value := range values {
			dst = append(dst, map[bool]byte{true: 1}[value == nil])
		}
	}
	switch t.name {
	case "Array":
		var all []any
		for _, value := range values {
			list, _ := value.([]any)
			all = append(all, list...)
			dst = binary.LittleEndian.AppendUint64(dst, uint64(len(all)))
		}
		return t.inner[0].appendColumn(dst, all)
	case "Map":
		var keys, of []any
		for _, value := range values {
			entries, _ := value.([]entry)
			for _, one := range entries {
				keys, of = append(keys, one.key), append(of, one.value)
			}
			dst = binary.LittleEndian.AppendUint64(dst, uint64(len(keys)))
		}
		return t.inner[1].appendColumn(t.inner[0].appendColumn(dst, keys), of)
	case "Tuple":
		for i, inner := range t.inner {
			members := make([]any, len(values))
			for n, value := range values {
				if list, isList := value.([]any); isList {
					members[n] = list[i]
				}
			}
			dst = inner.appendColumn(dst, members)
		}
		return dst
	}
	for _, value := range values {
		dst = t.appendScalar(dst, value)
	}
	return dst
}

// appendRowBinary appends the rows in RowBinaryWithNamesAndTypes.
func appendRowBinary(dst []byte, rows *rows) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(rows.names)))
	for _, name := range rows.names {
		dst = appendBytes(dst, name)
	}
	for _, typ := range rows.types {
		dst = appendBytes(dst, typ.written)
	}
	for _, row := range rows.values {
		for i, value := range row {
			dst = rows.types[i].appendBinary(dst, value)
		}
	}
	return dst
}

// appendBinary appends a value of RowBinary.
func (t *dataType) appendBinary(dst []byte, value any) []byte {
	if t.nullable {
		if value == nil {
			return append(dst, 1)
		}
		dst = append(dst, 0)
	}
	switch value := value.(type) {
	case []any:
		if t.name == "Array" {
			dst = binary.AppendUvarint(dst, uint64(len(value)))
		}
		for i, one := range value {
			dst = t.inner[min(i, len(t.inner)-1)].appendBinary(dst, one)
		}
		return dst
	case []entry:
		dst = binary.AppendUvarint(dst, uint64(len(value)))
		for _, one := range value {
			dst = t.inner[1].appendBinary(t.inner[0].appendBinary(dst, one.key), one.value)
		}
		return dst
	}
	return t.appendScalar(dst, value)
}

// appendScalar appends a value that no others are in. NULL is 0 or an empty string.
func (t *dataType) appendScalar(dst []byte, value any) []byte {
	bits, _, isInt := t.bits()
	whole, _ := value.(int64)
	at, isTime := value.(time.Time)
	switch {
	case isInt:
		if unsigned, ok := value.(uint64); ok {
			whole = int64(unsigned) //nolint:gosec // These are the same bits.
		}
		return binary.LittleEndian.AppendUint64(dst, uint64(whole))[:len(dst)+bits/8] //nolint:gosec // These are the same bits.
	case t.name == "Float32":
		number, _ := value.(float64)
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(number)))
	case t.name == "Float64":
		number, _ := value.(float64)
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(number))
	case t.name == "Bool":
		return append(dst, map[any]byte{true: 1}[value])
	case t.name == "Nothing":
		return append(dst, '0')
	case t.name == "Date" && isTime:
		return binary.LittleEndian.AppendUint16(dst, uint16(within(at.Unix()/(24*60*60), math.MaxUint16))) //nolint:gosec // It is within the type.
	case t.name == "Date":
		return append(dst, 0, 0)
	case t.name == "DateTime" && isTime:
		return binary.LittleEndian.AppendUint32(dst, uint32(within(at.Unix(), math.MaxUint32))) //nolint:gosec // It is within the type.
	case t.name == "DateTime":
		return append(dst, 0, 0, 0, 0)
	case t.name == "DateTime64":
		if isTime {
			ticks := int64(math.Pow10(t.scale))
			whole = at.Unix()*ticks + int64(at.Nanosecond())/int64(math.Pow10(9-t.scale))
		}
		return binary.LittleEndian.AppendUint64(dst, uint64(whole)) //nolint:gosec // These are the same bits.
	}
	text, _ := value.(string)
	return appendBytes(dst, text)
}

// within returns the closest value that a type has: times before 1970 are 1970 in ClickHouse.
func within(value, most int64) int64 { return max(0, min(value, most)) }

// appendBytes appends a string with its length before it.
func appendBytes(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}
