package connect

/*
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/types.h>

// The function that reads and sets what DuckDB's allocator, jemalloc, is configured with. DuckDB has none with musl.
__attribute__((weak)) int duckdb_je_mallctl(const char *name, void *old, size_t *old_size, void *value, size_t value_size);

// savedq_time reads a time, and sets it unless value is NULL. It returns an errno, or 0.
static int savedq_time(const char *name, ssize_t *old, ssize_t *value) {
	size_t size = sizeof *old;
	if (!duckdb_je_mallctl) {
		return ENOSYS;
	}
	return duckdb_je_mallctl(name, old, &size, value, value ? sizeof *value : 0);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// freedFor is for how long DuckDB's allocator keeps memory that was freed, for what is allocated next, before the kernel gets
// it back. DuckDB's own time is a second (ADR 076).
const freedFor = 10 * time.Second

// keepFreed makes the allocator keep freed memory for [freedFor]. Later calls do nothing.
//
//nolint:gochecknoglobals // The allocator is one of the process, too.
var keepFreed = sync.OnceValue(func() error {
	keep := C.ssize_t(freedFor.Milliseconds())
	_, err := times(&keep)
	return err
})

// times returns for how long the allocator kept freed memory, in milliseconds, and sets all to keep unless it is nil.
func times(keep *C.ssize_t) (before []C.ssize_t, err error) {
	for _, state := range []string{"dirty", "muzzy"} { // jemalloc's words for what it keeps, and for what the kernel may take
		next := "arenas." + state + "_decay_ms" // of arenas that come later
		for arena := 0; ; arena++ {
			name := C.CString(next)
			var old C.ssize_t
			failed := syscall.Errno(C.savedq_time(name, &old, keep))
			C.free(unsafe.Pointer(name))
			if errors.Is(failed, syscall.ENOENT) && arena > 0 || errors.Is(failed, syscall.ENOSYS) {
				break // there are no more arenas, or there is no jemalloc
			}
			if failed == 0 {
				before = append(before, old)
			} else if !errors.Is(failed, syscall.EFAULT) { // the arena comes later
				return nil, fmt.Errorf("set %s of DuckDB's allocator: %w", next, failed)
			}
			next = fmt.Sprintf("arena.%d.%s_decay_ms", arena, state)
		}
	}
	return before, nil
}
