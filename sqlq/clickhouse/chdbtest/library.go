package main

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is ClickHouse as a library: the functions of libchdb.so that are used here, as its chdb.h declares them.
// A result and a connection are pointers to what the library owns.
type library struct {
	setSignalHandlers func(enabled int32)
	connect           func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConnection   func(connection unsafe.Pointer)
	query             func(connection, query unsafe.Pointer, length uintptr, format string, formatLength uintptr) unsafe.Pointer
	stream            func(connection, query unsafe.Pointer, length uintptr, format string, formatLength uintptr) unsafe.Pointer
	fetch             func(connection, stream unsafe.Pointer) unsafe.Pointer
	destroy           func(result unsafe.Pointer)
	buffer            func(result unsafe.Pointer) unsafe.Pointer
	length            func(result unsafe.Pointer) uintptr
	failure           func(result unsafe.Pointer) string
	rowsRead          func(result unsafe.Pointer) uint64
	bytesRead         func(result unsafe.Pointer) uint64
}

// loadLibrary loads libchdb.so.
func loadLibrary(path string) (*library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("load ClickHouse as a library: %w", err)
	}
	loaded := new(library)
	for name, function := range map[string]any{
		"chdb_set_signal_handlers_enabled": &loaded.setSignalHandlers,
		"chdb_connect":                     &loaded.connect,
		"chdb_close_conn":                  &loaded.closeConnection,
		"chdb_query_n":                     &loaded.query,
		"chdb_stream_query_n":              &loaded.stream,
		"chdb_stream_fetch_result":         &loaded.fetch,
		"chdb_destroy_query_result":        &loaded.destroy,
		"chdb_result_buffer":               &loaded.buffer,
		"chdb_result_length":               &loaded.length,
		"chdb_result_error":                &loaded.failure,
		"chdb_result_storage_rows_read":    &loaded.rowsRead,
		"chdb_result_storage_bytes_read":   &loaded.bytesRead,
	} {
		purego.RegisterLibFunc(function, handle, name)
	}
	loaded.setSignalHandlers(0) // they are Go's
	return loaded, nil
}

// connection is a connection to the database of this process, with settings and parameters of its own.
type connection struct {
	library *library
	// handle is a pointer to the pointer that the functions take.
	handle unsafe.Pointer
}

// open connects to the database in a directory. All connections of a process must have the same one.
func (l *library) open(directory string) (*connection, error) {
	arguments := [][]byte{[]byte("clickhouse\x00"), []byte("--path=" + directory + "\x00")}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pointers := make([]unsafe.Pointer, len(arguments))
	for i := range arguments {
		pinner.Pin(&arguments[i][0])
		pointers[i] = unsafe.Pointer(&arguments[i][0])
	}
	handle := l.connect(int32(len(pointers)), unsafe.Pointer(&pointers[0]))
	if handle == nil {
		return nil, errors.New("ClickHouse does not open " + directory)
	}
	return &connection{library: l, handle: handle}, nil
}

func (c *connection) close() { c.library.closeConnection(c.handle) }

// output is what a query returned.
type output struct {
	data []byte
	// rowsRead and bytesRead are what the query read of tables.
	rowsRead, bytesRead uint64
}

// run runs a query to its end.
func (c *connection) run(query []byte, format string) (output, error) {
	query = append(query, 0) // the library needs a pointer even to an empty query
	result := c.library.query(*(*unsafe.Pointer)(c.handle), unsafe.Pointer(&query[0]), uintptr(len(query)-1), format, uintptr(len(format)))
	runtime.KeepAlive(query)
	return c.library.take(result)
}

// stream runs a query, and passes on its output in parts.
func (c *connection) stream(query []byte, format string, emit func(output) error) error {
	query = append(query, 0)
	stream := c.library.stream(*(*unsafe.Pointer)(c.handle), unsafe.Pointer(&query[0]), uintptr(len(query)-1), format, uintptr(len(format)))
	runtime.KeepAlive(query)
	if stream == nil {
		return nil
	}
	defer c.library.destroy(stream)
	if failure := c.library.failure(stream); failure != "" {
		return errors.New(failure)
	}
	for {
		part, err := c.library.take(c.library.fetch(*(*unsafe.Pointer)(c.handle), stream))
		if err != nil || len(part.data) == 0 {
			return err
		}
		if err := emit(part); err != nil {
			return err
		}
	}
}

// take copies a result, and gives it back to the library.
func (l *library) take(result unsafe.Pointer) (output, error) {
	if result == nil {
		return output{}, nil
	}
	defer l.destroy(result)
	if failure := l.failure(result); failure != "" {
		return output{}, errors.New(failure)
	}
	taken := output{rowsRead: l.rowsRead(result), bytesRead: l.bytesRead(result)}
	if data := l.buffer(result); data != nil {
		taken.data = append(taken.data, unsafe.Slice((*byte)(data), l.length(result))...)
	}
	return taken, nil
}
