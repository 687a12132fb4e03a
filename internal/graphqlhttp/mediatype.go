package graphqlhttp

import "savedq/internal/http/accept"

// The media types that a response can have. They differ in the status of a
// request whose document is refused.
const (
	jsonMediaType    = "application/json"
	graphqlMediaType = "application/graphql-response+json"
)

// responseMediaType chooses the media type that the Accept headers like best
// (RFC 9110, section 12.5.1): of two that are liked alike the one that is named
// first, and JSON where neither is named. Who says nothing gets JSON. It is false
// where the headers allow neither, which then are answered in JSON too.
func responseMediaType(headers []string) (mediaType string, acceptable bool) {
	if len(headers) == 0 || len(headers) == 1 && (headers[0] == "*/*" || headers[0] == jsonMediaType) {
		return jsonMediaType, true // which is what nearly all ask for
	}
	asJSON, asGraphQL, understood := preference{}, preference{}, 0
	for item := range accept.Items(headers) {
		understood++
		given := preference{weight: item.Quality, place: understood} // a malformed quality counts as 1
		asJSON.take(given, item.Value, jsonMediaType)
		asGraphQL.take(given, item.Value, graphqlMediaType)
	}
	switch {
	case asGraphQL.isOver(asJSON):
		return graphqlMediaType, true
	default:
		return jsonMediaType, asJSON.weight > 0 || understood == 0
	}
}

// preference is how much a media type is liked. The zero value is one that nothing
// is said about.
type preference struct {
	weight float64
	// precision is that of the media range that says so: 3 for the type itself.
	precision int
	// place is where the range stands.
	place int
}

// take takes over what a media range says about a media type, unless a more precise
// one has been heard.
func (p *preference) take(given preference, mediaRange, mediaType string) {
	switch mediaRange {
	case mediaType:
		given.precision = 3
	case "application/*":
		given.precision = 2
	case "*/*":
		given.precision = 1
	default:
		return
	}
	if given.precision > p.precision {
		*p = given
	}
}

// isOver says whether the media type is chosen over another one.
func (p preference) isOver(other preference) bool {
	if p.weight == other.weight { // the other one is JSON, and wins unless it is named later
		return p.weight > 0 && p.precision == 3 && (other.precision < 3 || p.place < other.place)
	}
	return p.weight > other.weight
}
