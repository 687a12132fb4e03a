package jwt

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// claims are the decoded claims of a token. Numbers are a [json.Number].
type claims map[string]any

// claimPath names a claim: the keys that lead to it through nested objects.
type claimPath []string

// String returns the path as the file spells it.
func (p claimPath) String() string {
	if slices.ContainsFunc(p, func(key string) bool { return strings.Contains(key, ".") }) {
		return "[" + strings.Join(p, ", ") + "]"
	}
	return strings.Join(p, ".")
}

// at returns the value of a claim; nil if there is none.
func (c claims) at(path claimPath) any {
	value := any(map[string]any(c))
	for _, key := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}

// text returns a claim that is a string; empty if it is missing or anything else.
func (c claims) text(name string) string {
	text, _ := c[name].(string)
	return text
}

// date returns a time of the registered claims, in seconds since 1970. ok is false if the claim
// is anything else.
func (c claims) date(name string) (at time.Time, ok bool) {
	const highest = 253402300799 // the end of the year 9999
	number, isNumber := c[name].(json.Number)
	if !isNumber {
		return time.Time{}, false
	}
	seconds, err := number.Float64()
	if err != nil || seconds < 0 || seconds > highest {
		return time.Time{}, false
	}
	whole, fraction := math.Modf(seconds)
	return time.Unix(int64(whole), int64(fraction*float64(time.Second))).UTC(), true
}

// audiences returns the audiences of a token: a string, or a list of strings.
func (c claims) audiences() []string {
	switch audience := c["aud"].(type) {
	case string:
		return []string{audience}
	case []any:
		var audiences []string
		for _, item := range audience {
			text, ok := item.(string)
			if !ok {
				return nil
			}
			audiences = append(audiences, text)
		}
		return audiences
	}
	return nil
}

// texts returns the text of a string, a number or a boolean, or the texts of a list of them. ok is
// false for anything else, and for an empty string or list, which must not mean "all".
func texts(value any) (values []string, ok bool) {
	if list, isList := value.([]any); isList {
		for _, item := range list {
			text, ok := scalarText(item)
			if !ok {
				return nil, false
			}
			values = append(values, text)
		}
		return values, len(values) > 0
	}
	text, ok := scalarText(value)
	return []string{text}, ok
}

func scalarText(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, value != ""
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	}
	return "", false
}
