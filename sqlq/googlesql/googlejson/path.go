package googlejson

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Step of a path is the name of a member, or the index of an element.
type Step struct {
	Name    string
	Index   int
	IsIndex bool
}

// mostIndex limits the indexes of paths, at which a change would make an array.
const mostIndex = 1_000_000

var stepPattern = regexp.MustCompile(`^(?:\.([A-Za-z_\p{L}][\w\p{L}-]*)|\.?\[([0-9]+)\]|\."([^"]*)"|\['([^']*)'\]|\["([^"]*)"\])`)

// ParsePath returns the steps of a path such as $.a[0]."b c". An error completes "JSON_VALUE does not take ".
func ParsePath(text string) ([]Step, error) {
	rest, found := strings.CutPrefix(text, "$")
	if !found {
		return nil, fmt.Errorf("the path %q; it begins with $", text)
	}
	var steps []Step
	for rest != "" {
		match := stepPattern.FindStringSubmatch(rest)
		if match == nil {
			return nil, fmt.Errorf("the path %q; it takes names and indexes, such as $.a[0]", text)
		}
		rest = rest[len(match[0]):]
		if match[2] == "" {
			steps = append(steps, Step{Name: match[1] + match[3] + match[4] + match[5]})
			continue
		}
		index, err := strconv.Atoi(match[2])
		if err != nil || index > mostIndex {
			return nil, fmt.Errorf("the path %q; it takes indexes up to %d", text, mostIndex)
		}
		steps = append(steps, Step{Index: index, IsIndex: true})
	}
	return steps, nil
}
