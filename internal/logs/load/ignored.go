package load

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxIgnoredNames limits the number of names, because hostile input could have a new
	// name in every event.
	maxIgnoredNames = 20
	maxIgnoredName  = 64
)

// IgnoredField is a field of an event that is not one of the known fields.
type IgnoredField struct {
	Name string
	// Count is the number of events that had it.
	Count int
}

// fieldCounter counts the fields that were ignored, up to maxIgnoredNames.
type fieldCounter struct {
	counts map[string]int
	// more counts the occurrences of further names.
	more int
}

func (c *fieldCounter) add(names []string) {
	for _, name := range names {
		if len(name) > maxIgnoredName {
			name = strings.ToValidUTF8(name[:maxIgnoredName], "") + "…"
		}
		if _, known := c.counts[name]; !known && len(c.counts) == maxIgnoredNames {
			c.more++
			continue
		}
		c.counts[name]++
	}
}

// fields returns the counted fields, the most frequent ones first.
func (c *fieldCounter) fields() []IgnoredField {
	fields := make([]IgnoredField, 0, len(c.counts))
	for name, count := range c.counts {
		fields = append(fields, IgnoredField{Name: name, Count: count})
	}
	slices.SortFunc(fields, func(a, b IgnoredField) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return fields
}
