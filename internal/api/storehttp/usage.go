package storehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"savedq/internal/api/format"
	"savedq/internal/api/usagehttp"
	"savedq/internal/operations/usage"
	"savedq/sqlq"
)

// maxUsageBytes limits a report, which has at most 10,000 rows.
const maxUsageBytes = 64 << 20

// Usage returns what the tokens of the server used, by dimensions; none means all. values are parameters of
// [usagehttp.Path].
func (c *Client) Usage(ctx context.Context, by []usage.Dimension, values url.Values) (result *sqlq.Result, err error) {
	if len(by) == 0 {
		by = usage.Dimensions()
	}
	response, err := c.respond(ctx, http.MethodGet, usagehttp.Path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	var body struct {
		Result []map[string]any `json:"result"`
	}
	decoder := json.NewDecoder(io.LimitReader(response.Body, maxUsageBytes))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return nil, fmt.Errorf("%s is not a savedq server, or its response was cut off: %w", c.URL, err)
	}
	result = &sqlq.Result{Columns: usagehttp.Columns(by), Truncated: response.Header.Get(format.TruncatedHeader) != ""}
	for _, object := range body.Result {
		row := make([]any, len(result.Columns))
		for i, column := range result.Columns {
			if row[i], err = valueOf(column.Type, object[column.Name]); err != nil {
				return nil, fmt.Errorf("%s responds with a column %s that cannot be read: %w", c.URL, column.Name, err)
			}
		}
		result.Rows = append(result.Rows, row)
	}
	return result, nil
}

// valueOf returns the value of a result for one in JSON.
func valueOf(of sqlq.Type, decoded any) (any, error) {
	switch text := strings.TrimSpace(fmt.Sprint(decoded)); {
	case decoded == nil:
		return nil, nil //nolint:nilnil // nil is the value NULL.
	case of == sqlq.Int64:
		return json.Number(text).Int64()
	case of == sqlq.Float64:
		return json.Number(text).Float64()
	case of == sqlq.Date:
		return time.Parse(time.DateOnly, text)
	default:
		return text, nil
	}
}
