package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Tags of flags that [checkGiven] reads.
const (
	// needsTag names the flag without which the flag has no effect, as in needs:"to" or
	// needs:"engine=bigquery".
	needsTag = "needs"
	// unlessTag names the flags with which the flag has no effect, as in unless:"to,url".
	unlessTag = "unless"
	// minTag is the minimum of the flag, as in min:"1" or min:"1s".
	minTag = "min"
)

// checkGiven returns an error if a value is below its minimum, or if a flag on the command line
// would be silently ignored: because its value is empty, such as an unset variable of a shell, or
// because of the other flags. Flags that environment variables set are ignored where they have no
// effect, because a variable can be meant for other commands.
func checkGiven(parsed *kong.Context) error {
	var given []*kong.Flag
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved && !slices.Contains(given, path.Flag) {
			given = append(given, path.Flag)
		}
	}
	mistakes := checkMinimums(parsed)
	for _, flag := range given {
		if flag.Enum == "" && isEmpty(reflect.ValueOf(parsed.FlagValue(flag))) {
			advice := "; leave the flag out for its default"
			if flag.Required {
				advice = ""
			}
			mistakes = append(mistakes, fmt.Errorf("--%s: must not be empty%s", flag.Name, advice))
			continue
		}
		if need := flag.Tag.Get(needsTag); need != "" && !inEffect(parsed, need) {
			mistakes = append(mistakes, fmt.Errorf("--%s: needs --%s", flag.Name, strings.ReplaceAll(need, "=", " ")))
		}
		for other := range strings.SplitSeq(flag.Tag.Get(unlessTag), ",") {
			if other != "" && inEffect(parsed, other) {
				mistakes = append(mistakes, fmt.Errorf("--%s: cannot be combined with --%s; use one of them", flag.Name, other))
			}
		}
	}
	return errors.Join(mistakes...)
}

// checkMinimums returns an error for each flag that has an effect and is below its minimum.
func checkMinimums(parsed *kong.Context) []error {
	var mistakes []error
	for _, path := range parsed.Path {
		if path.Flag == nil || !path.Flag.Tag.Has(minTag) {
			continue
		}
		if need := path.Flag.Tag.Get(needsTag); need != "" && !inEffect(parsed, need) {
			continue
		}
		flag, text, minimum := path.Flag, path.Flag.Tag.Get(minTag), reflect.New(path.Flag.Target.Type()).Elem()
		if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: kong.ScanAsType(kong.FlagValueToken, text)}, minimum); err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		value := reflect.Indirect(reflect.ValueOf(parsed.FlagValue(flag)))
		if value.Int() < reflect.Indirect(minimum).Int() {
			mistakes = append(mistakes, fmt.Errorf("--%s: must be at least %s, not %v", flag.Name, text, value.Interface()))
		}
	}
	return mistakes
}

// isEmpty reports whether the value of a flag is an empty string, or a list or map with nothing
// in it but empty strings.
func isEmpty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String, reflect.Map:
		return value.Len() == 0
	case reflect.Pointer:
		return !value.IsNil() && isEmpty(value.Elem())
	case reflect.Slice:
		for i := range value.Len() {
			if !isEmpty(value.Index(i)) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// inEffect reports whether a flag of the command is set, by the command line or a variable. The
// name may be followed by = and the value that it must have.
func inEffect(parsed *kong.Context, flagAndValue string) bool {
	name, want, hasWant := strings.Cut(flagAndValue, "=")
	for _, flag := range parsed.Flags() {
		if flag.Name != name {
			continue
		}
		value := reflect.ValueOf(parsed.FlagValue(flag))
		if hasWant {
			return fmt.Sprint(value) == want
		}
		return value.IsValid() && !value.IsZero()
	}
	return false
}
