package tables_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/tables"
)

// Every source has fields that its senders usually set; objects hold those in them.
func TestFieldsOf(t *testing.T) {
	t.Parallel()
	for _, source := range tables.Shipped() {
		assert.NotEmpty(t, source.Members, source.Name)
	}
	edge, _ := tables.Shipped().FindSource("edge_logs")
	assert.Contains(t, edge.Members["request"]["cf"], "country")
	assert.Empty(t, edge.Members["request"]["method"])
}
