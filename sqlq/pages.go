package sqlq

import "slices"

// Pages declares how the SQL of a saved query goes on after a row, so that callers can read rows in pages. Its rows
// are in an order that ends in a unique key.
type Pages struct {
	// Limit is the name of the parameter with the most rows of a page.
	Limit string
	// After are the parameters that take columns of the last row of a page. Without them, the SQL begins with the
	// first row.
	After []PageKey
}

// PageKey is a parameter that takes a column of the last row.
type PageKey struct {
	Param string
	// Column is the index of the column.
	Column int
}

// AfterParam is the name under which interfaces take the cursor of the page before.
const AfterParam = "after"

// MostCursorBytes limits a cursor, because it is in headers and URLs.
const MostCursorBytes = 8192

// Paged returns the saved query with the parameter [AfterParam] as its last one, as interfaces describe it, if it has
// pages.
func (q *SavedQuery) Paged() *SavedQuery {
	if q.Pages == nil {
		return q
	}
	paged := *q
	paged.Params = append(slices.Clone(q.Params), Param{
		Name: AfterParam, Type: String, MaxLength: MostCursorBytes,
		Description: "Cursor of the page before: only rows after it are returned. The other parameters must be the same as for that page, except " + q.Pages.Limit + ".",
	})
	return &paged
}
