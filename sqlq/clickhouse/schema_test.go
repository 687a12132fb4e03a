package clickhouse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
	"savedq/sqlq/clickhouse"
)

// The tables of a cluster are replicated, and keep events as long as table.yaml says.
func TestSchema(t *testing.T) {
	t.Parallel()
	text := clickhouse.Schema(sqlq.Tables{
		{Name: "a"}, {Name: "b", Retention: sqlq.KeptForEver}, {Name: "c", Retention: 48 * time.Hour}, {Name: "files", Files: &sqlq.Files{}},
	}, clickhouse.SchemaOptions{Cluster: "my`cluster", Replicated: true, Retention: time.Hour})
	for _, want := range []string{
		"CREATE TABLE IF NOT EXISTS `a` ON CLUSTER `my\\`cluster`\n(\n    `id` String,\n",
		"ENGINE = ReplicatedMergeTree\nPARTITION BY toDate(`timestamp`)\nORDER BY (`project`, `timestamp`, `id`)\nTTL toDateTime(`timestamp`) + toIntervalSecond(3600)\nSETTINGS allow_nullable_key = 1, replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;\n\nCREATE TABLE IF NOT EXISTS `b`",
		"ORDER BY (`project`, `timestamp`, `id`)\nSETTINGS allow_nullable_key = 1, replicated_deduplication_window = 10000;\n\nCREATE TABLE IF NOT EXISTS `c`",
		"toIntervalSecond(172800)\nSETTINGS allow_nullable_key = 1, replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;\n",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "files")
	assert.NotContains(t, text, "metadata_")
	text = clickhouse.Schema(sqlq.Tables{{Name: "edge_logs", Shipped: true}, {Name: "d", ProjectMember: "shop's"}}, clickhouse.SchemaOptions{})
	for _, want := range []string{
		"`metadata_request_path` Nullable(String) MATERIALIZED multiIf(`metadata_typed` = 1, JSONExtract(ifNull(`metadata`, ''), 'request', 'path', 'Nullable(String)'), `metadata_typed` = 2, ",
		"`metadata_shop's` LowCardinality(Nullable(String)) MATERIALIZED multiIf(`metadata_typed` = 1, JSONExtract(ifNull(`metadata`, ''), 'shop\\'s', 'Nullable(String)'), ",
		"ORDER BY (`metadata_shop's`, `timestamp`, `id`)",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, clickhouse.Schema(sqlq.Tables{{Name: "a"}}, clickhouse.SchemaOptions{}), "TTL")
}
