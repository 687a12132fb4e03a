package clickhouse

import (
	"encoding/json"
	"maps"
	"time"

	clickhouse "github.com/ClickHouse/clickhouse-go/v2"

	"savedq/sqlq"
)

// settings returns the settings of every query.
func (c Config) settings(query *sqlq.SavedQuery) clickhouse.Settings {
	comment, err := json.Marshal(c.labels(query.Name))
	if err != nil { // cannot happen with strings
		comment = nil
	}
	settings := clickhouse.Settings{
		// A query reads, and can change settings but this one. A user whose profile has 2 can send it, too.
		"readonly": 2,
		// The server ends a query of which nobody waits for the rows.
		"cancel_http_readonly_queries_on_client_close": 1,
		// Limits end a query with an error, and never with a part of the rows.
		"max_execution_time":    seconds(c.Timeout),
		"timeout_overflow_mode": "throw",
		"max_bytes_to_read":     c.MaxBytes,
		"read_overflow_mode":    "throw",
		"max_memory_usage":      c.MaxMemory,
		// Times without a zone are in UTC.
		"session_timezone": "UTC",
		// An answer from ClickHouse's cache could be of another "now"; savedq has a cache of its own.
		"use_query_cache": 0,
		// The types in a response have no line breaks.
		"print_pretty_type_names": 0,
		// JSON comes as text.
		"output_format_binary_write_json_as_string": 1,
		// It names the saved query in system.query_log.
		"log_comment": string(comment),
	}
	if query.Translation != nil {
		maps.Copy(settings, ofGoogleSQL())
	}
	return settings
}

// ofGoogleSQL returns the settings that give printed GoogleSQL its meaning. All else it says itself.
func ofGoogleSQL() clickhouse.Settings {
	const queryBytes, elements, expanded, depth = 8 << 20, 1_000_000, 5_000_000, 10_000
	return clickhouse.Settings{
		// The columns of a row without a partner are NULL.
		"join_use_nulls": 1,
		// The columns that a grouping set leaves out are NULL.
		"group_by_use_nulls": 1,
		// A branch of IF, CASE or COALESCE is computed for its rows only, so that its errors are theirs.
		"short_circuit_function_evaluation": "force_enable",
		// Times before 1970 and after 2105 keep their values.
		"enable_extended_results_for_datetime_functions": 1,
		// The text of a FLOAT64 is read without rounding.
		"precise_float_parsing": 1,
		// IN has three values.
		"transform_null_in": 0,
		// The type of a CAST is the one that is written.
		"cast_keep_nullable": 0,
		// A subquery can read the columns of the query around it.
		"allow_experimental_correlated_subqueries": 1,
		// ORDER BY takes aliases. Columns are written with their tables.
		"prefer_column_name_to_alias": 0,
		// Aggregates over nothing are NULL where the SQL says so.
		"aggregate_functions_null_for_empty": 0,
		// An overflow is an error.
		"decimal_check_overflow": 1,
		// Branches have one type.
		"use_variant_as_common_type": 0,
		// The text can be longer than what people write.
		"max_query_size": queryBytes, "max_ast_elements": elements, "max_expanded_ast_elements": expanded, "max_ast_depth": depth,
	}
}

// ofRows returns the settings of a query whose rows are collected: the server sends them once it has all of at most
// limit rows, so that it can still say that it failed, and what it has read.
func ofRows(limit int) clickhouse.Settings {
	return clickhouse.Settings{
		"wait_end_of_query": 1,
		"limit":             limit,
		// A row takes more in the memory of the server than its text here.
		"max_result_bytes":     int64(2 * sqlq.MaxResultBytes),
		"result_overflow_mode": "throw",
	}
}

// labels returns the labels of a saved query.
func (c Config) labels(name string) map[string]string {
	labels := map[string]string{endpointLabel: name}
	maps.Copy(labels, c.Labels)
	return labels
}

// seconds returns a limit of time, which ClickHouse has in whole seconds or in fractions.
func seconds(limit time.Duration) float64 { return limit.Seconds() }
