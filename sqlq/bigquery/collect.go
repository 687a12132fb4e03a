package bigquery

import (
	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// collector makes a result from pages, or passes their rows on if the statement has Emit.
type collector struct {
	sqlq.Result
	statement sqlq.Statement
	// bytes is how many the texts of the rows have.
	bytes int
}

func newCollector(statement sqlq.Statement) *collector {
	return &collector{Result: sqlq.Result{Columns: statement.Query.Columns, Rows: [][]any{}}, statement: statement}
}

// take takes a page. Rows beyond those that the saved query may return show that the result is truncated (D24).
func (c *collector) take(page *rest.GetQueryResultsResponse) error {
	c.BytesProcessed = page.TotalBytesProcessed
	if c.statement.Query.Callers != nil && c.RowCount() == 0 { // what the service knows better
		c.Columns = nil
		for _, field := range page.Schema.Fields {
			c.Columns = append(c.Columns, Declare(plannedColumn(field)))
		}
	}
	if c.statement.Emit != nil && c.RowCount() == 0 { // no check precedes the start of a server
		plan := planOf(page.Schema.Fields)
		if mistakes := plan.Compare(c.statement.Query, holds); len(mistakes) > 0 {
			return mistakes
		}
	}
	c.bytes += sizeOf(page.Rows)
	if c.statement.Emit == nil && c.bytes > sqlq.MaxResultBytes {
		return sqlq.ResultTooLarge()
	}
	room := c.statement.Query.MaxRows - c.RowCount()
	c.Truncated = len(page.Rows) > room
	rows, err := convertRows(c.Columns, page.Schema.Fields, page.Rows[:min(len(page.Rows), room)])
	if err != nil || c.statement.Emit == nil {
		c.Rows = append(c.Rows, rows...)
		return err
	}
	c.Streamed += len(rows)
	return c.statement.Emit(sqlq.BatchOf(c.Columns, rows))
}
