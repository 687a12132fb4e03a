package eventrow

import (
	"crypto/md5" //nolint:gosec // DuckDB has the same function; it protects nothing.
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"savedq/internal/text/jsontext"
)

// projectsIn returns the projects that metadata names in a member of its elements, each once. They are the elements that are
// not NULL of DuckDB's json_extract_string(metadata, '$[*]."member"').
func projectsIn(metadata jsontext.Value, member string) (projects []string) {
	for element := range metadata.Elements() {
		value := element.Get(member)
		if value.IsNull() {
			continue
		}
		if project := string(text(value)); !slices.Contains(projects, project) {
			projects = append(projects, project)
		}
	}
	return projects
}

// listOf returns texts as a list in JSON.
func listOf(texts []string) json.RawMessage {
	output := []byte{'['}
	for _, text := range texts {
		output = append(appendQuoted(output, text), ',')
	}
	return closed(output, ']')
}

const (
	// mostKeys limits the projects whose keys are cached, and longestKeyed their lengths.
	mostKeys     = 1024
	longestKeyed = 128
)

// projectKeys caches the keys of projects, so that few are computed.
type projectKeys map[string]driver.Value

// keyOf returns the key of a project, which is a uint64.
func keyOf[T string | []byte](keys projectKeys, project T) driver.Value {
	if key, found := keys[string(project)]; found {
		return key
	}
	var key driver.Value = ProjectKey(project)
	if len(project) <= longestKeyed {
		if len(keys) == mostKeys {
			clear(keys)
		}
		keys[strings.Clone(string(project))] = key
	}
	return key
}

// ProjectKey returns what DuckDB's md5_number_lower has for a project.
func ProjectKey[T string | []byte](project T) uint64 {
	sum := md5.Sum([]byte(project)) //nolint:gosec // As above.
	return binary.LittleEndian.Uint64(sum[md5.Size/2:])
}
