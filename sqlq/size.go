package sqlq

import (
	"encoding/json"
	"time"
	"unsafe"
)

// entryOverhead is what an entry costs beside its content, in bytes: what the cache,
// go-cache and eviction note about it, and its places on two timelines.
const entryOverhead = 1024

// sizeOf is the memory that an answer takes, in bytes.
func sizeOf(answer *Answer) int64 {
	const (
		slice = int64(unsafe.Sizeof([]any{}))
		cell  = int64(unsafe.Sizeof(any(nil)))
		arg   = int64(unsafe.Sizeof(Arg{}))
	)
	size := int64(unsafe.Sizeof(Answer{}) + unsafe.Sizeof(Result{}))
	for _, value := range answer.Args {
		size += arg + sizeOfValue(value.Value)
	}
	for _, row := range answer.Result.Rows {
		size += slice + cell*int64(cap(row))
		for _, value := range row {
			size += sizeOfValue(value)
		}
	}
	return size
}

// sizeOfValue is what a value takes beside the cell that points to it.
func sizeOfValue(value any) int64 {
	const header, number, point = int64(unsafe.Sizeof("")), 8, int64(unsafe.Sizeof(time.Time{}))
	switch value := value.(type) {
	case string:
		return header + int64(len(value))
	case json.RawMessage:
		return point + int64(cap(value)) // a slice's header is as large as a time
	case time.Time:
		return point
	case nil, bool:
		return 0
	default:
		return number
	}
}
