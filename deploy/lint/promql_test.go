package lint

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Prometheus takes the rules: their queries, durations, labels and templates.
func TestAlerts(t *testing.T) {
	t.Parallel()
	groups, errs := rulefmt.ParseFile("../prometheus-alerts.yaml", false, model.UTF8Validation)
	assert.Empty(t, errs)
	require.NotNil(t, groups)
	assert.NotEmpty(t, groups.Groups)
}

// Prometheus can read every query of the dashboard, with what Grafana puts in the
// place of its variables.
func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../grafana-dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	variables := strings.NewReplacer("$__rate_interval", "1m", "$job", "savedq", "$instance", ".*")
	count := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			count++
			query := variables.Replace(target.Expr)
			assert.NotContains(t, query, "$", panel.Title)
			_, err := parser.ParseExpr(query)
			assert.NoError(t, err, "%s: %s", panel.Title, query)
		}
	}
	assert.Greater(t, count, 15)
}
