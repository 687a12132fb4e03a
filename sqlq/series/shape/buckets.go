package shape

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"savedq/sqlq"
)

// Database is a database of DuckDB, which is not changed.
type Database interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// evaluateTimeout limits the evaluation of an expression.
const evaluateTimeout = time.Second

// buckets reports which expressions give the start of a bucket. It evaluates them with DuckDB, for the
// first and the last microsecond of buckets in various years, and compares the values with the buckets
// that the windows declare.
type buckets struct {
	ctx   context.Context //nolint:containedctx // It lasts as long as a search.
	db    Database
	text  *Text
	query *sqlq.SavedQuery
	// samples is a table of times with their buckets.
	samples string
	// known holds which conditions hold.
	known map[string]bool
}

// SampleTable is the table of samples, and SampleRow is the number of one. SampleValue is the value of an expression.
const (
	SampleTable = "savedq_samples"
	SampleRow   = "savedq_row"
	SampleValue = "savedq_value"
)

// The other columns of the samples: a time in a bucket, the bucket's start, its end, its width, and the
// value of the parameter that selects the window.
const (
	sampleTime  = "savedq_time"
	sampleStart = "savedq_start"
	sampleEnd   = "savedq_end"
	sampleWidth = "savedq_width"
	sampleParam = "savedq_param"
)

// Sample says which columns of the samples stand for parts of an expression.
type Sample struct {
	// Column stands for all columns of the expression. It is a time without a zone, as those for the parameters are, except
	// for WindowParam, which is a text.
	Column string
	// Params holds what stands for parameters, by their names in lower case.
	Params map[string]string
	// WindowParam is the column for the parameter that selects the window.
	WindowParam string
}

func newBuckets(ctx context.Context, db Database, text *Text, query *sqlq.SavedQuery) *buckets {
	var windows []string
	for value, window := range query.Series.Windows {
		windows = append(windows, fmt.Sprintf("('%s', %d)", strings.ReplaceAll(value, "'", "''"), window.Bucket.Microseconds()))
	}
	samples := fmt.Sprintf(`(
		SELECT row_number() OVER () AS %s, make_timestamp(start + age) AS %s, make_timestamp(start) AS %s, make_timestamp(start + count * width) AS %s, to_microseconds(width) AS %s, value AS %s
		FROM (
			SELECT value, width, count, epoch_us(moment) // width * width AS start, unnest([0, width // 2, width - 1]) AS age
			FROM (VALUES %s) AS windows(value, width), (VALUES (1), (3)) AS counts(count), unnest([
				TIMESTAMP '1970-01-01 00:00:00', TIMESTAMP '2024-02-29 23:17:03', TIMESTAMP '2025-12-31 12:30:30',
				TIMESTAMP '2026-03-29 01:59:59', TIMESTAMP '2026-10-25 02:01:07', TIMESTAMP '2026-11-22 00:00:00'
			]) AS moments(moment)
		))`, SampleRow, sampleTime, sampleStart, sampleEnd, sampleWidth, sampleParam, strings.Join(windows, ", "))
	return &buckets{ctx: ctx, db: db, text: text, query: query, samples: samples, known: make(map[string]bool)}
}

// sample returns what stands for the parameter that selects the window.
func (b *buckets) sample(column string) Sample {
	sample := Sample{Column: column, Params: make(map[string]string), WindowParam: sampleParam}
	if at := b.query.Series.Param; at >= 0 {
		sample.Params[strings.ToLower(b.query.Params[at].Name)] = sampleParam
	}
	return sample
}

// isStart reports whether an expression gives the start of the bucket for each time in it. kindOf
// returns the kind of a column; it must be the only one.
func (b *buckets) isStart(expression *Expression, kindOf func(path []string) kind) bool {
	found, unknown := other, false
	expression.Walk(func(part *Expression) bool {
		if len(part.Column) > 0 {
			column := kindOf(part.Column)
			unknown = unknown || column == other || found != other && column != found
			found = column
		}
		return !unknown
	})
	if unknown || found == other {
		return false
	}
	sample := b.sample(sampleTime)
	if found == bucket {
		sample.Column = sampleStart
	}
	return b.holds(expression, sample, "CAST("+SampleValue+" AS TIMESTAMP) IS NOT DISTINCT FROM "+sampleStart)
}

// isList reports whether an expression gives the list of the buckets from the start of the range to its end,
// or one row for each.
func (b *buckets) isList(expression *Expression) bool {
	if expression.Function == "unnest" && len(expression.Parts) == 1 {
		expression = expression.Parts[0]
	}
	sample := b.sample("")
	sample.Params[sqlq.FromParam], sample.Params[sqlq.ToParam] = sampleStart, sampleEnd
	ranges, columns := false, false
	expression.Walk(func(part *Expression) bool {
		name := strings.ToLower(part.Param)
		ranges = ranges || name == sqlq.FromParam || name == sqlq.ToParam
		columns = columns || len(part.Column) > 0
		return !columns
	})
	return ranges && !columns && b.holds(expression, sample,
		"list_sort(CAST("+SampleValue+" AS TIMESTAMP[])) IS NOT DISTINCT FROM range("+sampleStart+", "+sampleEnd+", "+sampleWidth+")")
}

// holds reports whether a condition about an expression holds for all samples.
func (b *buckets) holds(expression *Expression, sample Sample, condition string) bool {
	isOther := false
	expression.Walk(func(part *Expression) bool {
		_, isKnown := sample.Params[strings.ToLower(part.Param)]
		isOther = isOther || part.Query != nil || part.IsWindow || part.IsStar || part.Param != "" && !isKnown
		return !isOther
	})
	if isOther {
		return false
	}
	ctx, stop := context.WithTimeout(b.ctx, evaluateTimeout)
	defer stop()
	values, err := b.text.Values(ctx, expression, sample)
	if err != nil {
		return false
	}
	key := values + condition
	if known, ok := b.known[key]; ok {
		return known
	}
	var holds bool
	err = b.db.QueryRowContext(ctx, "WITH "+SampleTable+" AS MATERIALIZED "+b.samples+
		" SELECT bool_and("+condition+") FROM ("+values+") JOIN "+SampleTable+" USING ("+SampleRow+")").Scan(&holds)
	b.known[key] = err == nil && holds
	return b.known[key]
}
