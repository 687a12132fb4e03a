package format

import (
	"io"

	"savedq/sqlq"
)

// ndjsonWriter writes a JSON object per row, each on a line of its own.
type ndjsonWriter struct {
	out     io.Writer
	columns []sqlq.Column
	lines   []byte
}

func beginNDJSON(w io.Writer, columns []sqlq.Column) (Writer, error) {
	return &ndjsonWriter{out: w, columns: columns}, nil
}

func (n *ndjsonWriter) Write(rows [][]any) error {
	encoder := sqlq.NewRowEncoder(n.columns)
	n.lines = n.lines[:0]
	for _, row := range rows {
		n.lines = append(encoder.AppendJSON(n.lines, row), '\n')
	}
	_, err := n.out.Write(n.lines)
	return err
}

func (n *ndjsonWriter) End(bool) error { return nil }
