package format

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// scraped returns what Prometheus reads of rows: each sample with its labels.
func scraped(t *testing.T, encoded []byte) map[string]float64 {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(encoded))
	require.NoError(t, err, "%s", encoded)
	samples := make(map[string]float64)
	for name, family := range families {
		assert.Equal(t, dto.MetricType_GAUGE, family.GetType(), name)
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", label.GetName(), label.GetValue()))
			}
			slices.Sort(labels)
			key := name + "{" + strings.Join(labels, ",") + "}"
			assert.NotContains(t, samples, key)
			samples[key] = metric.GetGauge().GetValue()
			assert.Nil(t, metric.TimestampMs)
		}
	}
	return samples
}

func TestPrometheus(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{
		Columns: []sqlq.Column{
			{Name: "path", Type: sqlq.String},
			{Name: "ok", Type: sqlq.Bool},
			{Name: "at", Type: sqlq.Timestamp},
			{Name: "more", Type: sqlq.JSON},
			{Name: "n", Type: sqlq.Int64, Description: "Requests,\nwith a \\ in them."},
			{Name: "avg ms", Type: sqlq.Float64},
			{Name: "none", Type: sqlq.Numeric},
		},
		Rows: [][]any{
			{"/a\"\\\n", true, time.Unix(0, 0), nil, int64(1), math.NaN(), nil},
			{nil, false, nil, nil, nil, math.Inf(-1), nil},
			{"\xff", nil, nil, nil, int64(-3), math.Inf(1), nil},
		},
	}
	encoded, err := encodePrometheus("api.usage-counts", result)
	require.NoError(t, err)
	assert.Equal(t, `# HELP savedq_api_usage_counts_n Requests,\nwith a \\ in them.
# TYPE savedq_api_usage_counts_n gauge
savedq_api_usage_counts_n{path="/a\"\\\n",ok="true"} 1
savedq_api_usage_counts_n{path="`+"\ufffd"+`"} -3
# TYPE savedq_api_usage_counts_avg_ms gauge
savedq_api_usage_counts_avg_ms{path="/a\"\\\n",ok="true"} NaN
savedq_api_usage_counts_avg_ms{ok="false"} -Inf
savedq_api_usage_counts_avg_ms{path="`+"\ufffd"+`"} +Inf
`, string(encoded))
	samples := scraped(t, encoded)
	assert.Len(t, samples, 5)
	assert.InDelta(t, 1, samples[`savedq_api_usage_counts_n{ok="true",path="/a\"\\\n"}`], 0)
}

// A row without texts is a sample without labels.
func TestPrometheusSingleRow(t *testing.T) {
	t.Parallel()
	encoded, err := encodePrometheus("total", &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(7)}}})
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"savedq_total_n{}": 7}, scraped(t, encoded))
}

// Rows that Prometheus would misunderstand are an error of the caller, who learns what to change.
func TestPrometheusRefuses(t *testing.T) {
	t.Parallel()
	text, number := sqlq.Column{Name: "t", Type: sqlq.String}, sqlq.Column{Name: "n", Type: sqlq.Int64}
	for name, test := range map[string]struct {
		result sqlq.Result
		want   string
	}{
		"no number":       {sqlq.Result{Columns: []sqlq.Column{text}}, "have no numeric column"},
		"cut off":         {sqlq.Result{Columns: []sqlq.Column{number}, Rows: [][]any{{int64(1)}}, Truncated: true}, "are cut off"},
		"too many":        {sqlq.Result{Columns: []sqlq.Column{number}, Rows: make([][]any, mostPrometheusSamples+1)}, "are 10001 samples, and the most are 10000"},
		"the same labels": {sqlq.Result{Columns: []sqlq.Column{text, number}, Rows: [][]any{{"a", int64(1)}, {"b", int64(1)}, {"a", nil}}}, `have the same labels "{t=\"a\"}" twice, in rows 1 and 3`},
		"NULL and empty":  {sqlq.Result{Columns: []sqlq.Column{text, number}, Rows: [][]any{{nil, int64(1)}, {"", int64(2)}}}, "have the same labels"},
		"names":           {sqlq.Result{Columns: []sqlq.Column{{Name: "a b", Type: sqlq.Int64}, {Name: "a-b", Type: sqlq.Int64}}}, `the columns "a b" and "a-b", which are both savedq_q_a_b`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := encodePrometheus("q", &test.result)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
		})
	}
}

// Whatever the names and values are, Prometheus reads each number.
func FuzzPrometheus(f *testing.F) {
	f.Add("usage.counts", "path", "n", "Requests.", "/a", "/b", 1.5, int64(3))
	f.Add("", "__name__", "1", "a\nb\\", "\"}\n# TYPE", "\x00", math.NaN(), int64(math.MinInt64))
	f.Add("é", "9", "", "", "", "\xff", math.Inf(1), int64(0))
	f.Add("q", "le", "bucket", "", "x\r", "y ", 5e-324, int64(1))
	f.Fuzz(func(t *testing.T, query, label, number, help, first, second string, float float64, integer int64) {
		result := &sqlq.Result{
			Columns: []sqlq.Column{{Name: label, Type: sqlq.String}, {Name: number, Type: sqlq.Float64, Description: help}, {Name: number + "x", Type: sqlq.Int64}},
			Rows:    [][]any{{first, float, integer}, {second, nil, integer}},
		}
		encoded, err := encodePrometheus(query, result)
		if err != nil {
			assert.Equal(t, strings.ToValidUTF8(first, "\ufffd"), strings.ToValidUTF8(second, "\ufffd"), err)
			return
		}
		samples := scraped(t, encoded)
		require.Len(t, samples, 3)
		for _, value := range samples {
			if value != float64(integer) {
				assert.True(t, value == float || math.IsNaN(float), value)
			}
		}
	})
}
