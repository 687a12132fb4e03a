//go:build !linux

package connect

// keepFreed does nothing: DuckDB uses the allocator of the system.
func keepFreed() error { return nil }
