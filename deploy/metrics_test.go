package deploy_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/authoring/reference"
)

// served returns the metrics of a server, by name.
func served(t *testing.T) map[string]reference.Metric {
	t.Helper()
	all, err := reference.Metrics()
	require.NoError(t, err)
	found := make(map[string]reference.Metric)
	for _, metric := range all {
		found[metric.Name] = metric
	}
	return found
}

// usedMetric matches the name of a metric in a query, with what stands in its braces.
var usedMetric = regexp.MustCompile(`\b((?:savedq|go|process)_[a-z_]+)(?:\{([^}]*)\})?`)

// recordedName matches the name of what a rule records.
var recordedName = regexp.MustCompile(`\b[a-z_]+:[a-z_]+:[a-z0-9_]+\b`)

// checkQuery holds the metrics and labels that a query names against those there are.
func checkQuery(t *testing.T, there map[string]reference.Metric, query string) {
	t.Helper()
	ofTargets := []string{"job", "instance"}
	for _, use := range usedMetric.FindAllStringSubmatch(recordedName.ReplaceAllString(query, ""), -1) {
		name, found := use[1], false
		of := reference.Metric{}
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			base, has := strings.CutSuffix(name, suffix)
			if candidate, exists := there[base]; has && exists && (suffix == "" || candidate.Kind == "histogram") {
				of, found = candidate, true
			}
		}
		if !assert.True(t, found, "there is no metric %s: %s", name, query) {
			continue
		}
		for _, matcher := range regexp.MustCompile(`([a-z_]+)\s*[=!]`).FindAllStringSubmatch(use[2], -1) {
			assert.Contains(t, append(ofTargets, of.Labels...), matcher[1], "%s has no such label: %s", name, query)
		}
	}
}

// Files of the figures at which alerts are raised, for promtool.
const (
	triedAtOnce = "testdata/alerts.yaml"
	triedByDay  = "testdata/alerts-by-day.yaml"
)

// ruleFile is a file of rules of Prometheus.
type ruleFile struct {
	Groups []struct {
		Name     string `yaml:"name"`
		Interval string `yaml:"interval"`
		Rules    []struct {
			Alert       string            `yaml:"alert"`
			Record      string            `yaml:"record"`
			Expr        string            `yaml:"expr"`
			For         string            `yaml:"for"`
			Labels      map[string]string `yaml:"labels"`
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// Alerts read metrics that exist, say how urgent they are and what they mean, and each
// is tried.
func TestAlerts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("prometheus-alerts.yaml")
	require.NoError(t, err)
	var file ruleFile
	require.NoError(t, yaml.UnmarshalWithOptions(text, &file, yaml.Strict()))
	var tried strings.Builder
	for _, file := range []string{triedAtOnce, triedByDay} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tried.Write(text)
	}
	there := served(t)
	var records, alerts []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			checkQuery(t, there, rule.Expr)
			if rule.Record != "" {
				records = append(records, rule.Record)
				continue
			}
			alerts = append(alerts, rule.Alert)
			assert.Contains(t, []string{"critical", "warning"}, rule.Labels["severity"], rule.Alert)
			assert.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
			assert.Regexp(t, `alertname[:=] ?"?`+rule.Alert+`\b`, tried.String(), "the alert is not tried")
		}
	}
	assert.GreaterOrEqual(t, len(alerts), 10)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(alerts))), len(alerts), "each has a name of its own")
	for _, use := range recordedName.FindAllString(string(text), -1) {
		assert.Contains(t, records, use)
	}
}

// Prometheus' own tool takes the rules, and raises each alert when it should and not
// otherwise.
func TestAlertsAreRaised(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (on Debian it is in the package prometheus): only the names in the rules are checked")
	}
	for _, arguments := range [][]string{{"check", "rules", "prometheus-alerts.yaml"}, {"test", "rules", triedAtOnce, triedByDay}} {
		output, err := exec.CommandContext(t.Context(), promtool, arguments...).CombinedOutput()
		require.NoError(t, err, "%s", output)
		assert.Contains(t, string(output), "SUCCESS")
	}
}

// The dashboard is valid, queries metrics that exist, and its panels do not
// overlap.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("grafana-dashboard.json")
	require.NoError(t, err)
	type position struct{ X, Y, W, H int }
	var dashboard struct {
		Title, UID string
		Templating struct {
			List []struct{ Name, Definition string }
		}
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos position
			Targets []struct{ Expr, RefID, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	assert.Equal(t, "savedq", dashboard.Title)
	assert.Equal(t, "savedq", dashboard.UID)
	there := served(t)
	for _, variable := range dashboard.Templating.List {
		checkQuery(t, there, variable.Definition)
	}
	ids, cells := make(map[int]bool), make(map[[2]int]string)
	for _, panel := range dashboard.Panels {
		assert.False(t, ids[panel.ID], "panel %q has the id of another", panel.Title)
		ids[panel.ID] = true
		assert.LessOrEqual(t, panel.GridPos.X+panel.GridPos.W, 24, panel.Title)
		for x := range panel.GridPos.W {
			for y := range panel.GridPos.H {
				cell := [2]int{panel.GridPos.X + x, panel.GridPos.Y + y}
				assert.Empty(t, cells[cell], "%q lies on another panel", panel.Title)
				cells[cell] = panel.Title
			}
		}
		if panel.Type == "row" {
			continue
		}
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			assert.Regexp(t, usedMetric, target.Expr, panel.Title)
			assert.Contains(t, target.Expr, `job="$job",instance=~"$instance"`, panel.Title)
			assert.NotEmpty(t, target.LegendFormat, panel.Title)
			checkQuery(t, there, target.Expr)
		}
	}
	for name := range there {
		if strings.HasPrefix(name, "savedq_") {
			assert.True(t, strings.Contains(string(text), name), "the metric %s is on no panel", name) //nolint:testifylint // Contains would print the whole dashboard.
		}
	}
}
