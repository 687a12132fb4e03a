package live_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// infinityQuery is a query of the Infinity data source, as a dashboard has it.
type infinityQuery struct {
	Type, Source, Parser, Format, URL string
	Options                           struct {
		Method string
		Params []struct{ Key, Value string }
	} `json:"url_options"`
	Columns []struct{ Selector, Text, Type string }
}

// dashboard is what this test reads of a dashboard.
type dashboard struct {
	Templating struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
			Current    struct{ Value string }
		}
	}
	Panels []struct {
		Title   string
		Targets []infinityQuery
	}
}

// dataSource is what this test reads of the configuration of a data source.
type dataSource struct {
	Datasources []struct {
		UID, Type, URL string
		JSONData       struct {
			AuthMethod   string   `yaml:"auth_method"`
			KeyName      string   `yaml:"apiKeyKey"`
			KeyType      string   `yaml:"apiKeyType"`
			AllowedHosts []string `yaml:"allowedHosts"`
		} `yaml:"jsonData"`
		Secure struct {
			Key string `yaml:"apiKeyValue"`
		} `yaml:"secureJsonData"`
	}
}

// grafana sends the requests that Grafana would.
type grafana struct {
	source    *dataSource
	server    *server
	variables map[string]string
}

// expand replaces the variables of the dashboard and the time range, in ISO 8601, as Grafana does.
func (g *grafana) expand(text string) string {
	return regexp.MustCompile(`\$\{([^}]+)\}`).ReplaceAllStringFunc(text, func(use string) string {
		return g.variables[strings.Trim(use, "${}")]
	})
}

// rows returns the rows of a query, without the header, read as its columns say. Infinity takes values of no other
// form for numbers and times.
func (g *grafana) rows(t *testing.T, query *infinityQuery) [][]string {
	t.Helper()
	require.Equal(t, []string{"csv", "url", "backend", http.MethodGet}, []string{query.Type, query.Source, query.Parser, query.Options.Method})
	params := make(url.Values)
	for _, param := range query.Options.Params {
		params.Set(param.Key, g.expand(param.Value))
		assert.NotEmpty(t, params.Get(param.Key), param.Value)
	}
	source := g.source.Datasources[0]
	require.Equal(t, "apiKey header", source.JSONData.AuthMethod+" "+source.JSONData.KeyType)
	require.Contains(t, source.JSONData.AllowedHosts, source.URL)
	require.Equal(t, "$SAVEDQ_TOKEN", source.Secure.Key)
	base := strings.Replace(source.URL, "http://127.0.0.1:8080", g.server.url, 1)
	response := ask(t, http.MethodGet, base+query.URL+"?"+params.Encode(), nil,
		source.JSONData.KeyName, g.server.token, "Accept", "application/json, text/csv, */*")
	defer func() { _ = response.Body.Close() }()
	lines, err := csv.NewReader(response.Body).ReadAll()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s: %v", query.URL, lines)
	require.NotEmpty(t, lines)
	at := make(map[string]int)
	for i, name := range lines[0] {
		at[name] = i
	}
	for _, column := range query.Columns {
		require.Contains(t, at, column.Selector, query.URL)
		for _, row := range lines[1:] {
			value := row[at[column.Selector]]
			switch column.Type {
			case "number":
				_, err = strconv.ParseFloat(value, 64)
			case "timestamp":
				_, err = time.Parse(time.RFC3339, value)
			default:
				assert.Equal(t, "string", column.Type)
			}
			require.NoError(t, err)
		}
	}
	return lines[1:]
}

// The files in examples/grafana are what the guide says: Grafana's requests get rows of the types that the dashboard
// declares, and Prometheus reads the metrics of a scrape. Grafana itself is not run.
func TestGrafana(t *testing.T) {
	t.Parallel()
	examples := filepath.Join(root, "examples", "grafana")
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(examples, name))
		require.NoError(t, err)
		return content
	}
	var source dataSource
	require.NoError(t, yaml.Unmarshal(read("datasource.yaml"), &source))
	var board dashboard
	require.NoError(t, json.Unmarshal(read("dashboard.json"), &board))
	data := filepath.Join(t.TempDir(), "data")
	loadDemo(t, data)
	s := serve(t, "--demo", "--data", data, "--queries", filepath.Join(examples, "queries"))
	const iso = "2006-01-02T15:04:05.000Z"
	now := time.Now().UTC()
	g := &grafana{&source, s, map[string]string{"__from:date:iso": now.Add(-6 * time.Hour).Format(iso), "__to:date:iso": now.Format(iso)}}
	for _, variable := range board.Templating.List {
		if variable.Type != "query" {
			g.variables[variable.Name] = variable.Current.Value
			continue
		}
		var query struct{ InfinityQuery infinityQuery }
		require.NoError(t, json.Unmarshal(variable.Query, &query))
		values := g.rows(t, &query.InfinityQuery)
		require.NotEmpty(t, values)
		g.variables[variable.Name] = values[0][0]
	}
	require.Len(t, board.Panels, 2)
	assert.NotEmpty(t, g.rows(t, &board.Panels[0].Targets[0]))

	type scrapes struct {
		Configs []struct {
			Path   string                `yaml:"metrics_path"`
			Params map[string][]string   `yaml:"params"`
			Auth   struct{ Type string } `yaml:"authorization"`
		} `yaml:"scrape_configs"`
	}
	var configured scrapes
	require.NoError(t, yaml.Unmarshal(read("prometheus.yml"), &configured))
	scrape := configured.Configs[0]
	require.Eventually(t, func() bool { // runs are written every three seconds, and the response is cached for ten
		response := ask(t, http.MethodGet, s.url+scrape.Path+"?"+url.Values(scrape.Params).Encode(), nil,
			"Authorization", scrape.Auth.Type+" "+s.token, "Cache-Control", "no-cache")
		defer func() { _ = response.Body.Close() }()
		require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", response.Header.Get("Content-Type"))
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(response.Body)
		require.NoError(t, err)
		return families["savedq_ops_runs_runs"] != nil && families["savedq_ops_runs_slowest_ms"].GetHelp() == "Milliseconds of the slowest run."
	}, time.Minute, 500*time.Millisecond)
	assert.NotEmpty(t, g.rows(t, &board.Panels[1].Targets[0]))
	require.Equal(t, 0, s.stop(t), s.stderr)
}

// Prometheus accepts the configuration of the scrape.
func TestScrapeConfiguration(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is missing; install prometheus")
	}
	directory := t.TempDir()
	content, err := os.ReadFile(filepath.Join(root, "examples", "grafana", "prometheus.yml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(directory, "prometheus.yml"), content, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(directory, "savedq.token"), []byte("x"), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	printed, err := exec.CommandContext(ctx, promtool, "check", "config", filepath.Join(directory, "prometheus.yml")).CombinedOutput()
	require.NoError(t, err, "%s", printed)
}
