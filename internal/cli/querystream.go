package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"savedq/internal/format"
	"savedq/sqlq/runner"
)

// printStream runs a saved query with stream and prints its rows while they arrive.
func printStream(ctx context.Context, queries *runner.Runner, request runner.Request, w io.Writer, name string) (*runner.Response, error) {
	output, found := format.Find(name)
	if !found || output.Begin == nil {
		return nil, fmt.Errorf("the rows of %s are a stream; use --format with one of %s", request.Query.Name, format.Served(true))
	}
	buffer := bufio.NewWriter(w)
	rows, err := output.Begin(buffer, request.Query.Columns)
	if err != nil {
		return nil, err
	}
	request.Emit = rows.Write
	response, err := queries.Run(ctx, request)
	if err != nil {
		_ = buffer.Flush() // the rows before the error, as they would be in a pipe
		return nil, err
	}
	if err := rows.End(response.Result.Truncated); err != nil {
		return nil, err
	}
	return response, buffer.Flush()
}
