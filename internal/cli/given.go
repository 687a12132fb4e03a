package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// Tags of flags that [checkGiven] reads.
const (
	// needsTag names the flag without which the flag has no effect, as in needs:"to" or
	// needs:"engine=bigquery".
	needsTag = "needs"
	// unlessTag names the flags with which the flag has no effect, as in unless:"to,url".
	unlessTag = "unless"
	// withTag names the flag with which the flag is required, as in with:"engine=bigquery".
	withTag = "with"
	// minTag is the minimum of the flag, as in min:"1" or min:"1s".
	minTag = "min"
	// isTag names what each value of the flag must be; see [mistakeIn].
	isTag = "is"
	// newTag names the flag with which the first directory need not exist, as in new:"dev".
	newTag = "new"
	// calledTag has the names that the flag has in other programs, as in called:"port,listen".
	calledTag = "called"
)

// suggestFlag returns the error of an unknown flag with the flag that other programs call so, or the error
// as it is.
func suggestFlag(err *kong.ParseError) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag --")
	if !unknown || err.Context == nil {
		return err
	}
	name, _, _ = strings.Cut(name, ",")
	for _, flag := range err.Context.Flags() {
		if slices.Contains(strings.Split(flag.Tag.Get(calledTag), ","), name) {
			return fmt.Errorf("unknown flag --%s, did you mean %q, as in --%s=%s?", name, "--"+flag.Name, flag.Name, cmp.Or(flag.Default, flag.PlaceHolder))
		}
	}
	return err
}

// checkGiven returns an error if a value is below its minimum or not of its kind, if a flag that others
// require is missing, or if a flag on the command line would be silently ignored: because its value is
// empty, such as an unset variable of a shell, or because of the other flags. Flags that environment
// variables set are ignored where they have no effect, because a variable can be meant for other commands.
func checkGiven(parsed *kong.Context) error {
	var given []*kong.Flag
	for _, path := range parsed.Path {
		if path.Flag != nil && !path.Resolved && !slices.Contains(given, path.Flag) {
			given = append(given, path.Flag)
		}
	}
	mistakes := checkMinimums(parsed)
	for _, flag := range parsed.Flags() {
		value, with := parsed.FlagValue(flag), flag.Tag.Get(withTag)
		if isEmpty(reflect.ValueOf(value)) {
			if with != "" && inEffect(parsed, with) {
				mistakes = append(mistakes, fmt.Errorf("--%s: is required with --%s", flag.Name, strings.ReplaceAll(with, "=", " ")))
			}
			continue
		}
		for i, text := range textsOf(value) {
			if need := flag.Tag.Get(newTag); i == 0 && need != "" && inEffect(parsed, need) {
				text = existing(text)
			}
			if mistake := mistakeIn(flag.Tag.Get(isTag), text); mistake != "" {
				mistakes = append(mistakes, fmt.Errorf("--%s: %s", flag.Name, mistake))
				break
			}
		}
	}
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

// textsOf returns the value of a flag that is a string or a list of them.
func textsOf(value any) []string {
	if text, isText := value.(string); isText {
		return []string{text}
	}
	texts, _ := value.([]string)
	return texts
}

// existing returns a path, or the directory in which it can be created if it does not exist.
func existing(path string) string {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return filepath.Dir(filepath.Clean(path))
	}
	return path
}

// mistakeIn returns why a value is not of a kind; an empty string if it is. kong's type for existing
// directories is not used, because it makes paths in messages absolute.
func mistakeIn(kind, text string) string {
	switch kind {
	case "directory":
		if info, err := os.Stat(text); err != nil || !info.IsDir() {
			return text + " is not a directory"
		}
	case "address":
		const maxPort = 65535
		_, port, err := net.SplitHostPort(text)
		if err != nil {
			return fmt.Sprintf("%q is not an address such as 127.0.0.1:8080", text)
		}
		if number, err := strconv.Atoi(port); err == nil && (number < 0 || number > maxPort) {
			return fmt.Sprintf("%s: the port must be 0 to %d", text, maxPort)
		}
	case "server":
		address, err := url.Parse(text)
		if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.RawQuery != "" || address.Fragment != "" {
			return fmt.Sprintf("%q is not the address of a server, such as http://127.0.0.1:8080 or https://savedq.example.com", text)
		}
	case "shipped":
		known := catalog.ShippedNames()
		if text == allShipped || slices.Contains(known, text) {
			return ""
		}
		advice := "use some of " + strings.Join(known, ", ") + ", or " + allShipped
		if closest := sqlq.ClosestName(text, known); closest != "" {
			advice = fmt.Sprintf("did you mean %q?", closest)
		}
		return fmt.Sprintf("there is no shipped saved query %s; %s", sqlq.Quote(text), advice)
	}
	return ""
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
		if minimum.Kind() == reflect.Pointer {
			minimum.Set(reflect.New(minimum.Type().Elem()))
		}
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
