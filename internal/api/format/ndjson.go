package format

import (
	"io"

	"savedq/sqlq"
)

// ndjsonWriter writes a JSON object per row, each on a line of its own.
type ndjsonWriter struct {
	out     io.Writer
	encoder *sqlq.RowEncoder
	lines   []byte
}

func beginNDJSON(w io.Writer, columns []sqlq.Column) (Writer, error) {
	return &ndjsonWriter{out: w, encoder: sqlq.NewRowEncoder(columns)}, nil
}

func (n *ndjsonWriter) Write(batch *sqlq.Batch) error {
	n.lines = n.lines[:0]
	for row := range batch.Rows() {
		n.lines = append(n.encoder.AppendJSON(n.lines, row), '\n')
	}
	_, err := n.out.Write(n.lines)
	return err
}

func (n *ndjsonWriter) End(bool) error { return nil }
