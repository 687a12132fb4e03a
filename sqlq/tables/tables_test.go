package tables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/tables"
)

// Every source has fields that its senders usually set; objects hold those in them.
func TestFieldsOf(t *testing.T) {
	t.Parallel()
	for _, source := range tables.Sources() {
		assert.NotEmpty(t, tables.FieldsOf(source.Table), source.Table)
	}
	assert.Contains(t, tables.FieldsOf("edge_logs")["request"]["cf"], "country")
	assert.Empty(t, tables.FieldsOf("edge_logs")["request"]["method"])
	assert.Empty(t, tables.FieldsOf("orders"))
}
