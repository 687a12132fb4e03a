package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/sqltree"
)

// evaluateTimeout limits the evaluation of an expression.
const evaluateTimeout = time.Second

// buckets reports which expressions give the start of a bucket. It evaluates them with DuckDB, for the
// first and the last microsecond of buckets in various years, and compares the values with the buckets
// that the windows declare.
type buckets struct {
	ctx   context.Context //nolint:containedctx // It lasts as long as a search.
	db    sqltree.Database
	query *sqlq.SavedQuery
	// samples is a table of times with their buckets.
	samples string
	// known holds which conditions hold.
	known map[string]bool
}

// The columns of the samples: a time in a bucket, the bucket's start, its end, its width, and the
// value of the parameter that selects the window.
const (
	sampleTime  = "savedq_time"
	sampleStart = "savedq_start"
	sampleEnd   = "savedq_end"
	sampleWidth = "savedq_width"
	sampleParam = "savedq_param"
)

func newBuckets(ctx context.Context, db sqltree.Database, query *sqlq.SavedQuery) *buckets {
	var windows []string
	for value, window := range query.Series.Windows {
		windows = append(windows, fmt.Sprintf("('%s', %d)", strings.ReplaceAll(value, "'", "''"), window.Bucket.Microseconds()))
	}
	samples := fmt.Sprintf(`(
		SELECT make_timestamp(start + age) AS %s, make_timestamp(start) AS %s, make_timestamp(start + count * width) AS %s, to_microseconds(width) AS %s, value AS %s
		FROM (
			SELECT value, width, count, epoch_us(moment) // width * width AS start, unnest([0, width // 2, width - 1]) AS age
			FROM (VALUES %s) AS windows(value, width), (VALUES (1), (3)) AS counts(count), unnest([
				TIMESTAMP '1970-01-01 00:00:00', TIMESTAMP '2024-02-29 23:17:03', TIMESTAMP '2025-12-31 12:30:30',
				TIMESTAMP '2026-03-29 01:59:59', TIMESTAMP '2026-10-25 02:01:07', TIMESTAMP '2026-11-22 00:00:00'
			]) AS moments(moment)
		))`, sampleTime, sampleStart, sampleEnd, sampleWidth, sampleParam, strings.Join(windows, ", "))
	return &buckets{ctx: ctx, db: db, query: query, samples: samples, known: make(map[string]bool)}
}

// isStart reports whether an expression gives the start of the bucket for each time in it. kindOf
// returns the kind of a column; it must be the only one.
func (b *buckets) isStart(expression sqltree.Node, kindOf func(path []string) kind) bool {
	found, unknown := other, false
	replaced := inDuckDB(expression).Map(func(node sqltree.Node) sqltree.Node {
		path := node.Names("column_names")
		if len(path) == 0 {
			return b.constant(node)
		}
		column := kindOf(path)
		unknown = unknown || column == other || found != other && column != found
		found = column
		if found == bucket {
			return columnNode(sampleStart)
		}
		return columnNode(sampleTime)
	})
	return !unknown && found != other && b.holds(replaced, "CAST(%s AS TIMESTAMP) IS NOT DISTINCT FROM "+sampleStart)
}

// isList reports whether an expression gives the list of the buckets from the start of the range to its end,
// or one row for each.
func (b *buckets) isList(expression sqltree.Node) bool {
	if expression.Name("function_name") == "unnest" && len(expression.List("children")) == 1 {
		expression = expression.List("children")[0]
	}
	ranges, columns := 0, false
	replaced := inDuckDB(expression).Map(func(node sqltree.Node) sqltree.Node {
		switch path := node.Names("column_names"); {
		case node.Class() == "PARAMETER" && node.Name("identifier") == sqlq.FromParam:
			ranges++
			return columnNode(sampleStart)
		case node.Class() == "PARAMETER" && node.Name("identifier") == sqlq.ToParam:
			ranges++
			return columnNode(sampleEnd)
		case len(path) > 0:
			columns = true
		}
		return b.constant(node)
	})
	return ranges > 0 && !columns && b.holds(replaced, "list_sort(CAST(%s AS TIMESTAMP[])) IS NOT DISTINCT FROM range("+sampleStart+", "+sampleEnd+", "+sampleWidth+")")
}

// constant replaces the parameter that selects the window.
func (b *buckets) constant(node sqltree.Node) sqltree.Node {
	series := b.query.Series
	if node.Class() == "PARAMETER" && series.Param >= 0 && node.Text("identifier") == b.query.Params[series.Param].Name {
		return columnNode(sampleParam)
	}
	return nil
}

// holds reports whether a condition about an expression holds for all samples.
func (b *buckets) holds(expression sqltree.Node, condition string) bool {
	isOther := false
	expression.Walk(func(node sqltree.Node) bool {
		isOther = isOther || slices.Contains([]string{"SUBQUERY", "WINDOW", "PARAMETER", "STAR"}, node.Class())
		return !isOther
	})
	if isOther {
		return false
	}
	key, err := json.Marshal(expression)
	if err != nil {
		return false
	}
	if known, ok := b.known[string(key)+condition]; ok {
		return known
	}
	holds := b.evaluate(expression, condition)
	b.known[string(key)+condition] = holds
	return holds
}

func (b *buckets) evaluate(expression sqltree.Node, condition string) bool {
	ctx, stop := context.WithTimeout(b.ctx, evaluateTimeout)
	defer stop()
	text, err := sqltree.Print(ctx, b.db, expression)
	if err != nil {
		return false
	}
	var holds bool
	err = b.db.QueryRowContext(ctx, "SELECT bool_and("+fmt.Sprintf(condition, text)+") FROM "+b.samples).Scan(&holds)
	return err == nil && holds
}

func columnNode(name string) sqltree.Node {
	return sqltree.Node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "query_location": 0, "column_names": []any{name}}
}
