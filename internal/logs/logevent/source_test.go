package logevent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/logs/logevent"
	"savedq/sqlq/tables"
)

// D23: an event is found by its project, wherever its source has it.
func TestPlaceProject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source, project, metadata, want string
	}{
		"in the column":        {"edge_logs", "acme", `[{"a":1}]`, `[{"a":1}]`},
		"project_ref":          {"function_logs", "acme", `[{"a":1}]`, `[{"project_ref":"acme","a":1}]`},
		"function_edge_logs":   {"function_edge_logs", "acme", `[{"a":1},{"b":2}]`, `[{"project_ref":"acme","a":1},{"b":2}]`},
		"project":              {"realtime_logs", `a"b`, `[{"a":1}]`, `[{"project":"a\"b","a":1}]`},
		"an empty object":      {"storage_logs", "acme", `[{}]`, `[{"project":"acme"}]`},
		"an empty list":        {"storage_logs", "acme", `[]`, `[{"project":"acme"}]`},
		"no metadata":          {"storage_logs", "acme", "", `[{"project":"acme"}]`},
		"no project":           {"storage_logs", "", `[{"a":1}]`, `[{"a":1}]`},
		"metadata that has it": {"storage_logs", "acme", `[{"a":1,"project":"globex"}]`, `[{"a":1,"project":"globex"}]`},
		"a null":               {"storage_logs", "acme", `[{"a":1,"project":null,"b":2}]`, `[{"a":1,"project":"acme","b":2}]`},
		"an empty name":        {"storage_logs", "acme", `[{"project":""}]`, `[{"project":"acme"}]`},
		"a later object":       {"storage_logs", "acme", `[{"a":1},{"project":"globex"}]`, `[{"a":1},{"project":"globex"}]`},
		"another key":          {"storage_logs", "acme", `[{"project_ref":"globex"}]`, `[{"project":"acme","project_ref":"globex"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := tables.Shipped().FindSource(test.source)
			event := logevent.Event{Project: &test.project, Metadata: json.RawMessage(test.metadata)}
			logevent.PlaceProject(source, &event)
			assert.Equal(t, test.want, string(event.Metadata))
		})
	}
}
