package duckdb

import (
	"context"

	"github.com/duckdb/duckdb-go/v2"

	"savedq/sqlq"
)

// Statements returns how many prepared statements are kept.
func (e *Engine) Statements() int {
	e.statements.mutex.Lock()
	defer e.statements.mutex.Unlock()
	count := 0
	for _, prepared := range e.statements.byQuery {
		count += len(prepared.byKey)
	}
	return count
}

// ReasonOfInterrupt returns the error of a stream that ended with an interrupt.
func (e *Engine) ReasonOfInterrupt(ctx context.Context, statement sqlq.Statement, text string) error {
	interrupt := &duckdb.Error{Type: duckdb.ErrorTypeInterrupt, Msg: "INTERRUPT Error: Interrupted!"}
	return (&stream{engine: e}).reason(ctx, statement, text, interrupt)
}
