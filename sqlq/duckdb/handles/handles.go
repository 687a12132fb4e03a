// Package handles gives access to what DuckDB's C interface has and its driver does not export.
package handles

import (
	"context"
	"fmt"
	"reflect"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Connection returns the handle of a connection of the driver, or of a type that embeds one.
func Connection(conn any) (mapping.Connection, error) {
	return field[mapping.Connection](conn, "conn")
}

// Statement returns the handle of a prepared statement of the driver, or of a type that embeds one.
func Statement(statement any) (*mapping.PreparedStatement, error) {
	return field[*mapping.PreparedStatement](statement, "preparedStmt")
}

func field[T any](of any, name string) (handle T, err error) {
	if value := reflect.Indirect(reflect.ValueOf(of)); value.Kind() == reflect.Struct {
		if field := value.FieldByName(name); field.IsValid() && field.Type() == reflect.TypeFor[T]() {
			return *(*T)(field.Addr().UnsafePointer()), nil
		}
	}
	return handle, fmt.Errorf("the driver of DuckDB has changed: its %T has no field %s", of, name)
}

// InterruptAfter interrupts a connection's statement if the context ends before the returned function is called.
func InterruptAfter(ctx context.Context, handle mapping.Connection) (stop func()) {
	interrupted := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		mapping.Interrupt(handle)
	})
	return func() {
		if !cancel() {
			<-interrupted // or it would interrupt the next statement
		}
	}
}
