package clickhouse

import (
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// SchemaOptions say how tables of savedq's own are created.
type SchemaOptions struct {
	// Cluster names the cluster on which they are created; empty means the server itself.
	Cluster string
	// Replicated means that the tables are replicated, with the paths and names of the server's configuration.
	Replicated bool
	// Retention is how long events of sources are kept that do not say it themselves; zero means for ever.
	Retention time.Duration
}

// Schema returns the statements that create a table for each log source, ordered by project and time. Metadata is JSON text,
// of which the columns that queries filter by are typed columns: an INSERT can leave them out.
func Schema(sources sqlq.Tables, options SchemaOptions) string {
	var text strings.Builder
	for _, source := range sources {
		if !source.IsSource() {
			continue
		}
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(createTable(source, options))
	}
	return text.String()
}

// rememberedInsertions is of how many insertions a table knows that it has them, so that each can be repeated.
const rememberedInsertions = 10_000

// createTable returns the statement that creates the table of a source.
func createTable(source *sqlq.Table, options SchemaOptions) string {
	onCluster, engine, deduplication := "", "MergeTree", "non_replicated_deduplication_window"
	if options.Cluster != "" {
		onCluster = " ON CLUSTER " + quoteName(options.Cluster)
	}
	if options.Replicated {
		engine, deduplication = "ReplicatedMergeTree", "replicated_deduplication_window"
	}
	columns := []string{
		"`id` String",
		"`timestamp` DateTime64(6, 'UTC') CODEC(Delta, ZSTD)",
		"`event_message` Nullable(String) CODEC(ZSTD)",
		"`project` LowCardinality(Nullable(String))" + projectDefault(source),
		"`metadata` Nullable(String) CODEC(ZSTD)",
		"`accepted` DateTime64(6, 'UTC') DEFAULT now64(6) CODEC(Delta, ZSTD)",
		"INDEX accepted accepted TYPE minmax",
	}
	for _, field := range source.Fields {
		columns = append(columns, fmt.Sprintf("%s %s DEFAULT %s", quoteName(field.Name), fieldType(field.Type), fieldDefault(field)))
	}
	for _, derived := range derivedColumns() {
		if !hasField(source, derived.name) {
			columns = append(columns, fmt.Sprintf("%s %s MATERIALIZED %s", quoteName(derived.name), derived.kind, derived.expression))
		}
	}
	columns = append(columns, metadataColumns(source)...)
	retention, dropping := "", ", ttl_only_drop_parts = 1"
	switch kept := source.Retention; {
	case kept == sqlq.KeptForEver, kept == 0 && options.Retention == 0:
		dropping = ""
	case kept == 0:
		retention = ttl(options.Retention)
	default:
		retention = ttl(kept)
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s\n(\n    %s\n)\nENGINE = %s\nPARTITION BY toDate(`timestamp`)\nORDER BY (%s, `timestamp`, `id`)%s\nSETTINGS allow_nullable_key = 1, %s = %d%s;\n",
		quoteName(source.Name), onCluster, strings.Join(columns, ",\n    "), engine, quoteName(projectColumn(source)), retention, deduplication, rememberedInsertions, dropping)
}

// projectColumn returns the column of the project by which queries find the events of one: that which metadata has, if a
// source has it there.
func projectColumn(source *sqlq.Table) string {
	for _, column := range source.MetadataColumns() {
		if len(column.Path) == 1 && column.Path[0] == source.ProjectMember {
			return column.Name
		}
	}
	return "project"
}

// ttl returns the clause that deletes events after a time, a partition at a time.
func ttl(kept time.Duration) string {
	return fmt.Sprintf("\nTTL toDateTime(`timestamp`) + toIntervalSecond(%d)", int64(kept.Seconds()))
}

// derivedColumn is a column of all sources that is read from metadata.
type derivedColumn struct{ name, kind, expression string }

// derivedColumns are those by which queries filter, as the specification defines them.
func derivedColumns() []derivedColumn {
	status := coalesce("response.status_code", "status")
	return []derivedColumn{
		{"status", "Nullable(UInt16)", "if(match(assumeNotNull(" + status + "), '^[0-9]{3}$'), toUInt16OrNull(" + status + "), NULL)"},
		{"method", "LowCardinality(Nullable(String))", coalesce("request.method", "method")},
		{"path", "Nullable(String)", coalesce("request.path", "request.pathname", "path")},
		{"level", "LowCardinality(Nullable(String))", coalesce("level", "parsed.error_severity")},
	}
}

// coalesce returns the first text at some paths that is there.
func coalesce(paths ...string) string {
	texts := make([]string, len(paths))
	for i, path := range paths {
		texts[i] = textAt(strings.Split(path, "."))
	}
	return "coalesce(" + strings.Join(texts, ", ") + ")"
}

// textAt returns the text of a single value in metadata, whose objects are plain, or all in lists of one.
func textAt(path []string) string {
	members := strings.Join(path, "\x00")
	at := func(between string) string {
		return quoteText("$" + between + `."` + strings.ReplaceAll(members, "\x00", `"`+between+`."`) + `"`)
	}
	return "nullIf(concat(JSON_VALUE(`metadata`, " + at("") + "), JSON_VALUE(`metadata`, " + at("[0]") + ")), '')"
}

// projectDefault returns where an event says its project, if that is not the column.
func projectDefault(source *sqlq.Table) string {
	if source.ProjectMember == "" {
		return ""
	}
	return " DEFAULT " + textAt([]string{source.ProjectMember})
}

func hasField(source *sqlq.Table, name string) bool {
	for _, field := range source.Fields {
		if field.Name == name {
			return true
		}
	}
	return false
}

// fieldType returns the type of a field's column.
func fieldType(declared sqlq.Type) string {
	switch declared { //nolint:exhaustive // A field has no other type.
	case sqlq.Int64:
		return "Nullable(Int64)"
	case sqlq.Float64:
		return "Nullable(Float64)"
	case sqlq.Numeric:
		return fmt.Sprintf("Nullable(Decimal(38, %d))", sqlq.NumericScale)
	case sqlq.Bool:
		return "Nullable(Bool)"
	case sqlq.Timestamp:
		return "Nullable(DateTime64(6, 'UTC'))"
	case sqlq.Date:
		return "Nullable(Date32)"
	}
	return "Nullable(String)"
}

// fieldDefault returns the value of a field in metadata; NULL if it is not of the type.
func fieldDefault(field sqlq.Field) string {
	text := textAt(field.Path)
	switch field.Type { //nolint:exhaustive // A field has no other type.
	case sqlq.Int64:
		return "toInt64OrNull(" + text + ")"
	case sqlq.Float64:
		return "toFloat64OrNull(" + text + ")"
	case sqlq.Numeric:
		return fmt.Sprintf("toDecimal128OrNull(%s, %d)", text, sqlq.NumericScale)
	case sqlq.Bool:
		return "accurateCastOrNull(" + text + ", 'Bool')"
	case sqlq.Timestamp:
		return "parseDateTime64BestEffortOrNull(" + text + ", 6, 'UTC')"
	case sqlq.Date:
		return "toDate32OrNull(" + text + ")"
	}
	return text
}
