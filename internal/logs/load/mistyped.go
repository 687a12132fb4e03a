package load

import (
	"cmp"
	"slices"

	"savedq/internal/logs/logstore"
)

// MistypedField is a field whose values statistics ignore because of their type.
type MistypedField struct {
	logstore.MistypedField
	// Count is the number of events that had it.
	Count int
}

// mistypedFields returns the counted fields, the most frequent ones first.
func mistypedFields(counts map[logstore.MistypedField]int) []MistypedField {
	var fields []MistypedField
	for field, count := range counts {
		fields = append(fields, MistypedField{MistypedField: field, Count: count})
	}
	slices.SortFunc(fields, func(a, b MistypedField) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return fields
}
