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

// jobRows is what a job returned.
type jobRows struct {
	schema         []*rest.TableFieldSchema
	rows           []*rest.TableRow
	truncated      bool
	bytesProcessed int64
}

// read reads the rows of a query, at most maxRows of them, after it has waited for the job if
// there is one. They are in the response or on one page, unless they are so large that the
// service splits it. The error of a failing service is transient only if the job failed.
func (e *Engine) read(ctx context.Context, started job, response *rest.QueryResponse, maxRows int) (*jobRows, error) {
	page, err := e.firstPage(ctx, started, response, maxRows+1)
	if err != nil {
		return nil, err
	}
	if page.Schema == nil {
		return nil, fmt.Errorf("%w: it has no schema", errIncomplete)
	}
	all := &jobRows{schema: page.Schema.Fields, rows: page.Rows, bytesProcessed: page.TotalBytesProcessed}
	total, size := page.TotalRows, sizeOf(page.Rows)
	for size <= sqlq.MaxResultBytes && len(all.rows) <= maxRows && (page.PageToken != "" || uint64(len(all.rows)) < total) {
		if page.PageToken == "" || len(page.Rows) == 0 || started.id == "" {
			return nil, fmt.Errorf("%w: %d of %d rows arrived", errIncomplete, len(all.rows), total)
		}
		if page, err = e.page(ctx, started, maxRows+1-len(all.rows), page.PageToken); err != nil {
			return nil, err
		}
		all.rows = append(all.rows, page.Rows...)
		size += sizeOf(page.Rows)
	}
	if size > sqlq.MaxResultBytes {
		return nil, sqlq.ResultTooLarge()
	}
	all.truncated = len(all.rows) > maxRows
	all.rows = all.rows[:min(len(all.rows), maxRows)]
	return all, nil
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
