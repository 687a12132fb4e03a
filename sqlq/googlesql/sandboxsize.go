package googlesql

// MostRowBytes is the largest budget of callers' SQL for the texts and arrays that it makes of a row. All expressions
// that make them share it. A server with little memory has a smaller one; see [RowBytes].
const MostRowBytes = 128 << 10

// RowBytes returns the budget of a row for an amount of memory. DuckDB makes 2,048 rows per thread before it looks at its
// memory and at interrupts, and holds all rows of a result, usually at most 10,000.
func RowBytes(memory int64, threads int) int {
	const chunk, result, least = 2048, 10_000, 4 << 10
	return int(min(max(memory/int64(max(chunk*threads, result)), least), MostRowBytes))
}

// mostElements limits the arrays that saved queries generate, and mostCallersElements those of constants in callers'
// SQL, which are made once. DuckDB does not count them before they are there.
const mostElements, mostCallersElements = 1 << 20, 256 << 10

// mostCallersBytes limits the SQL of DuckDB for the SQL of a caller.
const mostCallersBytes = 128 << 10
