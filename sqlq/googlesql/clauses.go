package googlesql

import "slices"

// clauses are what can stand behind or before the arguments of an aggregate or a window function.
type clauses int

const (
	takesDistinct clauses = 1 << iota
	takesIgnore
	takesRespect
	takesOrder
	takesLimit
	takesHaving

	takesNulls = takesIgnore | takesRespect
)

// checkClauses fails if a call has a clause that no entry takes: without it, the call would return another value.
func checkClauses(x *callExpr, entries []*function) {
	for _, clause := range []struct {
		written bool
		clauses clauses
		name    string
	}{
		{x.distinct, takesDistinct, "DISTINCT"},
		{x.nulls == "IGNORE", takesIgnore, "IGNORE NULLS"},
		{x.nulls == "RESPECT", takesRespect, "RESPECT NULLS"},
		{x.order != nil, takesOrder, "ORDER BY"},
		{x.limit != nil, takesLimit, "LIMIT"},
		{x.having != "", takesHaving, "HAVING " + x.having},
	} {
		if clause.written && (x.star || !slices.ContainsFunc(entries, func(f *function) bool { return f.takes&clause.clauses != 0 })) {
			fail(x.place, "%s does not take %s here", x.name, clause.name)
		}
	}
}
