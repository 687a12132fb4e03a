package bigquery

import (
	"context"
	"errors"
	"fmt"
	"time"

	rest "google.golang.org/api/bigquery/v2"

	"savedq/sqlq"
)

// longPoll is how long the service may delay the response to a request for rows while the
// job is running.
const longPoll = 10 * time.Second

// read reads the pages of a query, at most one row more than maxRows in all, after it has waited for the job if there is
// one. A page is in the response, or the rows are on one page, unless they are so large that the service splits it.
// take receives each page. The error of a failing service is transient only if the job failed.
func (e *Engine) read(ctx context.Context, started job, response *rest.QueryResponse, maxRows int, take func(page *rest.GetQueryResultsResponse) error) error {
	page, err := e.firstPage(ctx, started, response, maxRows+1)
	if err != nil {
		return err
	}
	if page.Schema == nil {
		return fmt.Errorf("%w: it has no schema", errIncomplete)
	}
	schema, bytes, total, read := page.Schema, page.TotalBytesProcessed, page.TotalRows, 0
	for {
		page.Schema, page.TotalBytesProcessed = schema, bytes
		read += len(page.Rows)
		if err := take(page); err != nil {
			return err
		}
		if read > maxRows || page.PageToken == "" && uint64(read) >= total {
			return nil
		}
		if page.PageToken == "" || len(page.Rows) == 0 || started.id == "" {
			return fmt.Errorf("%w: %d of %d rows arrived", errIncomplete, read, total)
		}
		if page, err = e.page(ctx, started, maxRows+1-read, page.PageToken); err != nil {
			return err
		}
	}
}

// firstPage returns the rows in the response, or the first page of the job.
func (e *Engine) firstPage(ctx context.Context, started job, response *rest.QueryResponse, rows int) (*rest.GetQueryResultsResponse, error) {
	switch {
	case response.JobComplete:
		return &rest.GetQueryResultsResponse{
			Schema: response.Schema, Rows: response.Rows, TotalRows: response.TotalRows,
			PageToken: response.PageToken, TotalBytesProcessed: response.TotalBytesProcessed,
		}, nil
	case started.id == "":
		return nil, fmt.Errorf("%w: it has neither rows nor a job", errIncomplete)
	}
	return e.page(ctx, started, rows, "")
}

// sizeOf returns how many bytes the texts of the rows have.
func sizeOf(rows []*rest.TableRow) (size int) {
	for _, row := range rows {
		if row == nil {
			continue
		}
		for _, cell := range row.F {
			if cell != nil {
				size += sizeOfValue(cell.V)
			}
		}
	}
	return size
}

func sizeOfValue(value any) (size int) {
	switch value := value.(type) {
	case string:
		return len(value)
	case []any:
		for _, element := range value {
			size += sizeOfValue(element)
		}
	case map[string]any:
		for _, element := range value {
			size += sizeOfValue(element)
		}
	}
	return size
}

// page requests a page of a job's rows until the job is complete, even if the service fails
// meanwhile, unless the job itself failed or the context ends. A response without completion
// has no rows yet; it is not an empty result.
func (e *Engine) page(ctx context.Context, started job, rows int, token string) (*rest.GetQueryResultsResponse, error) {
	backoff := newBackoff()
	for {
		page, err := e.requestPage(ctx, started, rows, token)
		switch {
		case err == nil && page.JobComplete:
			return page, nil
		case err == nil:
		case ctx.Err() != nil || !isTransient(err):
			return nil, fmt.Errorf("get the rows: %w", err)
		default:
			if failed := e.ended(ctx, started); failed != nil {
				return nil, failed
			}
		}
		if ended := pause(ctx, backoff.Pause()); ended != nil {
			return nil, errors.Join(ended, err)
		}
	}
}

// requestPage requests a page once.
func (e *Engine) requestPage(ctx context.Context, started job, rows int, token string) (*rest.GetQueryResultsResponse, error) {
	call := e.service.Jobs.GetQueryResults(e.config.Project, started.id).
		MaxResults(int64(rows)).
		TimeoutMs(longPoll.Milliseconds()).
		FormatOptionsUseInt64Timestamp(true).
		Context(ctx)
	if started.location != "" {
		call = call.Location(started.location)
	}
	if token != "" {
		call = call.PageToken(token)
	}
	return call.Do()
}

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
		return sqlq.ResultTooLarge(sqlq.MaxResultBytes)
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
