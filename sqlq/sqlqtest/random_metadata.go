package sqlqtest

import (
	"encoding/json"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// missing is drawn for a field that the event does not have.
type missing struct{}

// randomMetadata makes metadata of random elements: NULL, an empty list, mostly
// one element, or several.
func randomMetadata(element *rapid.Generator[map[string]any]) *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		if rapid.IntRange(0, 19).Draw(t, "is NULL") == 19 {
			return nil
		}
		text, err := json.Marshal(randomList(element).Draw(t, "elements"))
		if err != nil {
			t.Fatalf("metadata: %v", err)
		}
		return text
	})
}

// randomList makes lists that mostly have one element.
func randomList(element *rapid.Generator[map[string]any]) *rapid.Generator[[]map[string]any] {
	return rapid.Custom(func(t *rapid.T) []map[string]any {
		length := rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 0, 2, 3}).Draw(t, "length")
		list := make([]map[string]any, length)
		for i := range list {
			list[i] = element.Draw(t, "element")
		}
		return list
	})
}

// randomNested makes the value of a field that holds a nested object: a list of
// objects, or missing, null or empty.
func randomNested(element *rapid.Generator[map[string]any]) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 19).Draw(t, "kind") {
		case 19:
			return missing{}
		case 18:
			return nil
		default:
			return randomList(element).Draw(t, "nested")
		}
	})
}

// randomObject makes objects of the fields, leaving the missing ones out.
func randomObject(fields map[string]*rapid.Generator[any]) *rapid.Generator[map[string]any] {
	names := slices.Sorted(maps.Keys(fields)) // a generator draws in the same order every time
	return rapid.Custom(func(t *rapid.T) map[string]any {
		object := map[string]any{}
		for _, name := range names {
			value := fields[name].Draw(t, name)
			if _, isMissing := value.(missing); !isMissing {
				object[name] = value
			}
		}
		return object
	})
}

func sampled(values ...any) *rapid.Generator[any] { return rapid.SampledFrom(values) }

// randomFunctionMetadata makes metadata of function invocations.
func randomFunctionMetadata() *rapid.Generator[json.RawMessage] {
	response := randomObject(map[string]*rapid.Generator[any]{
		"status_code": sampled(200, 200, 204, 301, 399, 400, 400.5, 404, 499, 500, 503, 399.9, 100, nil, missing{}),
	})
	request := randomObject(map[string]*rapid.Generator[any]{
		"method":   sampled("GET", "POST", nil, missing{}),
		"pathname": sampled("/rest", "/heartbeat", "", nil, missing{}),
	})
	return randomMetadata(randomObject(map[string]*rapid.Generator[any]{
		"project_ref": sampled("acme", "acme", "acme", "acme", "acme", "acme", "ACME", "acme2", "a.c", "abc", "", nil, missing{}),
		"function_id": sampled("f1", "f1", "f1", "f2", "F1", "", nil, missing{}),
		"execution_time_ms": rapid.OneOf(
			rapid.IntRange(0, 5000).AsAny(),
			rapid.IntRange(0, 5).AsAny(),
			sampled(0.1, 12.5, 1e6, 0, nil, missing{}),
		),
		"response": randomNested(response),
		"request":  randomNested(request),
	}))
}

// randomEdgeMetadata makes metadata of edge requests.
func randomEdgeMetadata() *rapid.Generator[json.RawMessage] {
	request := randomObject(map[string]*rapid.Generator[any]{
		"url": sampled(
			"https://acme.example.com/", "https://acme.example.com/", "https://acme.example.com/rest/v1/items?id=eq.1",
			"https://ACME.example.com/", "https://acme2.example.com/", "https://a.c.example.com/", "https://abc.example.com/",
			"https://a%25.example.com/", "https://[acme]+(1).example.com/", "first line\nacme", "", nil, missing{},
		),
		"path": sampled(
			"/rest/v1/items", "/storage/v1/object/x", "/auth/v1/token", "/realtime/v1/websocket",
			"/rest/auth/storage/realtime", "/v1/rest", "/restaurant", "/rest/rest", "rest", "/REST/v1", "/r/est",
			"/functions/v1/f", "", nil, missing{},
		),
		"method": sampled("GET", "POST", missing{}),
	})
	response := randomObject(map[string]*rapid.Generator[any]{
		"status_code": sampled(200, 200, 404, 400.5, 503, 99, 1000, nil, missing{}),
	})
	parsed := randomObject(map[string]*rapid.Generator[any]{"error_severity": sampled("LOG", "FATAL", "WARNING", missing{})})
	return randomMetadata(randomObject(map[string]*rapid.Generator[any]{
		"request":  randomNested(request),
		"response": randomNested(response),
		"parsed":   randomNested(parsed),
		"status":   sampled("200", "404", "500", "0200", "some status", "", nil, missing{}, missing{}),
		"method":   sampled("GET", "get", "", nil, missing{}, missing{}),
		"path":     sampled("/rest/v1", "/token", "", nil, missing{}, missing{}),
		"level":    sampled("info", "error", "Critical", "warn", "errors", "", nil, missing{}, missing{}),
		"project":  sampled("acme", "globex", missing{}, missing{}),
		"big":      sampled(json.Number("9007199254740993"), json.Number("1.0"), nil, missing{}),
		"tags":     sampled([]string{}, []string{"a", "b"}, missing{}, missing{}),
	}))
}
