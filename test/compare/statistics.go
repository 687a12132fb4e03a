package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"
)

// statistic is a shipped saved query, and the same for PostgreSQL. Its SQL has the parameters $1, a project, and
// $2, the first bucket, and returns the columns in the order of fields after the bucket.
type statistic struct {
	name     string
	endpoint string
	interval string
	fields   []string
	sql      string
}

func statistics() []statistic {
	invocations := func(unit string) string {
		return `WITH invocations AS (
  SELECT date_trunc('` + unit + `', timestamp) AS bucket,
    (body->'metadata'->>'execution_time_ms')::float8 AS ms, (body->'metadata'->'response'->>'status_code')::int AS status
  FROM function_edge_logs WHERE timestamp >= $2 AND body->'metadata'->>'project_ref' = $1
), buckets AS (
  SELECT bucket, min(ms) AS low, max(ms) AS high, avg(ms) AS mean,
    percentile_disc(ARRAY[0.95, 0.99]) WITHIN GROUP (ORDER BY ms) AS percentiles,
    count(*) AS count, count(*) FILTER (WHERE status >= 400) AS errors
  FROM invocations GROUP BY bucket
)
SELECT series.bucket, low, high, mean, coalesce(count, 0)::float8, coalesce(errors, 0)::float8
FROM generate_series($2::timestamp, now() AT TIME ZONE 'UTC', interval '1 ` + unit + `') AS series(bucket)
LEFT JOIN buckets ON buckets.bucket = series.bucket ORDER BY 1`
	}
	fields := []string{"min_execution_time", "max_execution_time", "avg_execution_time", "count", "error_count"}
	return []statistic{
		{"statistics by hour, 1 day", "functions.invocation-stats", "1day", fields, invocations("hour")},
		{"statistics by day, 7 days", "functions.invocation-stats", "7day", fields, invocations("day")},
	}
}

// buckets are the values of each bucket by its time in microseconds; NaN is null.
type buckets map[int64][]float64

// measurePostgres loads all events into PostgreSQL, and asks it and savedq for the same statistics, alternately.
func (r *run) measurePostgres(ctx context.Context, savedq *server, disk int64) (comparison, error) {
	r.progress("loading PostgreSQL")
	p, err := startPostgres(ctx, r.directory)
	if err != nil {
		return comparison{}, err
	}
	defer p.stop(ctx)
	version, err := p.version(ctx)
	if err != nil {
		return comparison{}, err
	}
	if err := p.load(ctx, r.corpus); err != nil {
		return comparison{}, err
	}
	size, err := p.size(ctx)
	if err != nil {
		return comparison{}, err
	}
	found := comparison{other: version, rows: []row{{"disk", in("MB", whole), float64(disk) / 1e6, float64(size) / 1e6}}}
	for _, s := range statistics() {
		r.progress("%s", s.name)
		var times [2][]float64
		for project := range projectCount { // each once, because savedq caches responses
			ours, took, err := s.askSavedq(ctx, savedq, projectName(project))
			if err != nil {
				return found, err
			}
			theirs, tookThem, err := s.askPostgres(ctx, p, projectName(project), ours.first())
			if err != nil {
				return found, err
			}
			if err := ours.differ(theirs, s.fields); err != nil {
				return found, fmt.Errorf("%s of %s: %w", s.name, projectName(project), err)
			}
			if project > 0 { // the first one warms up
				times[0], times[1] = append(times[0], milliseconds(took)), append(times[1], milliseconds(tookThem))
			}
		}
		found.rows = append(found.rows, row{s.name, in("ms", significant), median(times[0]), median(times[1])})
	}
	return found, nil
}

func (s statistic) askSavedq(ctx context.Context, server *server, project string) (buckets, time.Duration, error) {
	path := "/api/endpoints/" + s.endpoint + "?" + url.Values{"project": {project}, "interval": {s.interval}}.Encode()
	begin := time.Now()
	header, body, err := server.do(ctx, http.MethodGet, path, nil)
	took := time.Since(begin)
	if err == nil {
		err = server.fresh(header)
	}
	if err != nil {
		return nil, 0, err
	}
	var response struct {
		Result []map[string]*float64 `json:"result"`
	}
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, 0, err
	}
	found := make(buckets, len(response.Result))
	for _, line := range response.Result {
		values := make([]float64, len(s.fields))
		for i, field := range s.fields {
			values[i] = orNaN(line[field])
		}
		found[int64(orNaN(line["timestamp"]))] = values
	}
	return found, took, nil
}

func (s statistic) askPostgres(ctx context.Context, p *postgres, project string, first time.Time) (buckets, time.Duration, error) {
	begin := time.Now()
	rows, err := p.Query(ctx, s.sql, project, first)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	found := make(buckets)
	for rows.Next() {
		var bucket time.Time
		values := make([]*float64, len(s.fields))
		into := []any{&bucket}
		for i := range values {
			into = append(into, &values[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, 0, err
		}
		line := make([]float64, len(values))
		for i, value := range values {
			line[i] = orNaN(value)
		}
		found[bucket.UnixMicro()] = line
	}
	return found, time.Since(begin), rows.Err()
}

func orNaN(value *float64) float64 {
	if value == nil {
		return math.NaN()
	}
	return *value
}

// first returns the time of the earliest bucket.
func (b buckets) first() time.Time {
	first := int64(math.MaxInt64)
	for bucket := range b {
		first = min(first, bucket)
	}
	return time.UnixMicro(first).UTC()
}

// differ returns an error that names the first value in which two answers differ, or nil.
func (b buckets) differ(other buckets, fields []string) error {
	if len(b) != len(other) {
		return fmt.Errorf("savedq has %d buckets, and PostgreSQL %d", len(b), len(other))
	}
	for bucket, values := range b {
		theirs, ok := other[bucket]
		for i, field := range fields {
			if !ok || math.Abs(values[i]-theirs[i]) > 1e-9*math.Abs(values[i]) || math.IsNaN(values[i]) != math.IsNaN(theirs[i]) {
				return fmt.Errorf("%s of the bucket %s is %v, and in PostgreSQL %v",
					field, time.UnixMicro(bucket).UTC().Format(time.RFC3339), values, theirs)
			}
		}
	}
	return nil
}
