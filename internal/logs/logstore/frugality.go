package logstore

// They take the place of flushBytes and checkpointBytes in a frugal store.
const (
	frugalFlushBytes      = 8 << 20
	frugalCheckpointBytes = 32 << 20
)

// WithFrugality keeps what DuckDB takes beside its memory limit small, at the price of
// slower loads: events are written in smaller commits, memory is returned to the system as
// soon as it is free, and strings are not compressed by dictionary. (To find out whether that
// is worth it takes more memory than all else in a checkpoint.)
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
