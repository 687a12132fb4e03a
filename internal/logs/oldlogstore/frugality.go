package logstore

// They replace flushBytes and checkpointBytes in a frugal store.
const (
	frugalFlushBytes      = 8 << 20
	frugalCheckpointBytes = 32 << 20
)

// WithFrugality reduces the memory that DuckDB uses beyond its limit, and makes loads
// slower. Events are written in smaller commits, free memory is returned to the system at
// once, and strings are not dictionary-compressed: analysing them takes more memory than
// anything else in a checkpoint.
func WithFrugality() Option {
	return func(c *config) {
		c.flushBytes, c.checkpointBytes = frugalFlushBytes, frugalCheckpointBytes
		c.settings = append(c.settings,
			"SET GLOBAL allocator_flush_threshold = '1MiB'",
			"SET GLOBAL allocator_bulk_deallocation_flush_threshold = '1MiB'",
			"SET GLOBAL disabled_compression_methods = 'dictionary'",
		)
	}
}
