package cache

import (
	"encoding/json"
	"time"
	"unsafe"

	"savedq/sqlq"
)

// itemOverhead is what an item costs besides its content, in bytes: what the cache,
// the map and eviction note about it, and its places in two schedules.
const itemOverhead = 896

// size returns the memory that an entry takes, in bytes.
func (e *Entry) size() int64 {
	if e.Bytes > 0 {
		return e.Bytes
	}
	const (
		slice = int64(unsafe.Sizeof([]any{}))
		cell  = int64(unsafe.Sizeof(any(nil)))
		arg   = int64(unsafe.Sizeof(sqlq.Arg{}))
	)
	size := int64(unsafe.Sizeof(Entry{}) + unsafe.Sizeof(sqlq.Result{}))
	for _, value := range e.Args {
		size += arg + sizeOfValue(value.Value)
	}
	for _, row := range e.Result.Rows {
		size += slice + cell*int64(cap(row))
		for _, value := range row {
			size += sizeOfValue(value)
		}
	}
	return size
}

// size returns the memory that an encoding takes, in bytes.
func (e *Encoded) size() int64 {
	size := int64(unsafe.Sizeof(Encoded{})) + int64(cap(e.Body))
	for name, texts := range e.Texts {
		size += int64(len(name))
		for _, text := range texts {
			size += int64(unsafe.Sizeof(name)) + int64(len(text))
		}
	}
	return size
}

// sizeOfValue returns the size of a value without the cell that points to it.
func sizeOfValue(value any) int64 {
	const header, number, point = int64(unsafe.Sizeof("")), 8, int64(unsafe.Sizeof(time.Time{}))
	switch value := value.(type) {
	case string:
		return header + int64(len(value))
	case sqlq.Decimal:
		return header + int64(len(value))
	case json.RawMessage:
		return point + int64(cap(value)) // a slice's header is as large as a time
	case time.Time:
		return point
	case []any:
		size := point + int64(unsafe.Sizeof(any(nil)))*int64(cap(value))
		for _, element := range value {
			size += sizeOfValue(element)
		}
		return size
	case nil, bool:
		return 0
	default:
		return number
	}
}
