package logstore

import "savedq/internal/logs/logevent"

// commitSize is what a commit has appended.
type commitSize struct {
	total eventSize
	// incomplete is the number of bytes in row groups that are not complete. DuckDB holds
	// them in memory.
	incomplete int
	// growing is the incomplete row group of each table.
	growing map[string]eventSize
}

// add adds events that were appended to a table.
func (c *commitSize) add(table string, events []logevent.Event) {
	if c.growing == nil {
		c.growing = make(map[string]eventSize)
	}
	group := c.growing[table]
	for i := range events {
		c.total.add(&events[i])
		before := group.bytes
		group.add(&events[i])
		c.incomplete += group.bytes - before
		if group.events == rowGroup {
			c.incomplete -= group.bytes
			group = eventSize{}
		}
	}
	c.growing[table] = group
}

// diskBytes returns about how much the commit adds to DuckDB's write-ahead log, and not less: the
// log is not compressed, columns repeat parts of the metadata, and events have ids and times.
func (c *commitSize) diskBytes() int64 {
	const fixed, perEvent = 1 << 20, 512
	return int64(fixed + c.total.bytes + c.total.bytes/4 + perEvent*c.total.events)
}

func (c *commitSize) reset() { *c = commitSize{} }
