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

func (c *commitSize) reset() { *c = commitSize{} }
