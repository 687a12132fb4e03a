package alert

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"savedq/internal/files/secretfile"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// Form is the form of the messages of a target.
type Form string

// The forms.
const (
	FormSavedq       Form = "savedq"
	FormSlack        Form = "slack"
	FormAlertmanager Form = "alertmanager"
)

// Target receives messages.
type Target struct {
	Name string
	URL  string
	Form Form
	// Secret signs messages of the form savedq; empty for none.
	Secret  string
	Headers map[string]string
}

// Targets are the targets of a file, by name; nil without a file.
type Targets map[string]Target

const (
	maxFileBytes    = 1 << 20
	leastSecret     = 16
	targetPattern   = `^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`
	headerPattern   = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
	signatureHeader = "X-Savedq-Signature"
	idHeader        = "Idempotency-Key"
)

// ReadTargets reads the file of targets, which must be safe as [secretfile.Check] says. readable
// reports whether every user of the machine can read it. The error is a [sqlq.FileErrors].
func ReadTargets(path string) (targets Targets, readable bool, err error) {
	data, readable, err := secretfile.Read(path)
	if err != nil {
		return nil, false, sqlq.FileErrors{{File: path, Message: "cannot be used: " + err.Error()}}
	}
	targets, err = ParseTargets(path, data)
	return targets, readable, err
}

// ParseTargets parses a file of targets. It returns all mistakes at once, with the targets as far as it could read
// them. Messages quote no URLs, secrets or headers.
func ParseTargets(path string, data []byte) (Targets, error) {
	reader := &strictyaml.Reader{MostBytes: maxFileBytes, SecondDocument: "a file of targets is one document; remove the second one"}
	targets := make(Targets)
	if m := reader.Read(data, "targets"); m != nil {
		m.Require("targets")
		entries, isMapping := m.At("targets").Entries()
		if m.Has("targets") && (!isMapping || len(entries) == 0) {
			m.At("targets").Mistakef("targets must be a mapping of names to targets")
		}
		for _, entry := range entries {
			if !regexp.MustCompile(targetPattern).MatchString(entry.Name) {
				entry.Key.Mistakef("the name of a target has letters, digits, dots, dashes and underscores, at most 64")
			}
			targets[entry.Name] = readTarget(entry)
		}
	}
	if mistakes := reader.Mistakes(); len(mistakes) > 0 {
		return targets, sqlq.FileErrorsIn(path, mistakes)
	}
	return targets, nil
}

func readTarget(entry strictyaml.Entry) Target {
	target := Target{Name: entry.Name}
	m := entry.Value.Mapping("url", "form", "secret", "headers")
	if m == nil {
		return target
	}
	m.Require("url", "form")
	target.URL = strictyaml.Value(m, "url", "", readURL)
	target.Form = Form(m.OneOf("form", string(FormSavedq), string(FormSlack), string(FormAlertmanager)))
	if m.Has("secret") {
		target.Secret = m.Text("secret")
		switch {
		case target.Form != FormSavedq && target.Form != "":
			m.At("secret").Mistakef("secret signs messages of the form savedq; leave it out")
		case target.Secret != "" && len(target.Secret) < leastSecret:
			m.At("secret").Mistakef("secret must have at least %d characters; \"openssl rand -hex 32\" creates one", leastSecret)
		}
	}
	if m.Has("headers") {
		target.Headers = readHeaders(m.At("headers"))
	}
	if target.Form == FormAlertmanager {
		target.URL = alertmanagerURL(target.URL)
	}
	return target
}

// readURL reads a URL. The error must not quote it, since it can hold a secret.
func readURL(node strictyaml.Node) (string, error) {
	text, _ := node.Scalar()
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" || address.Fragment != "" {
		return "", errors.New("url must be an address such as https://example.com/alerts")
	}
	return text, nil
}

func readHeaders(node strictyaml.Node) map[string]string {
	entries, isMapping := node.Entries()
	if !isMapping {
		node.Mistakef("headers must be a mapping of names to values")
	}
	headers := make(map[string]string, len(entries))
	reserved := []string{"Content-Type", "Content-Length", "Host", "Connection", "Transfer-Encoding", idHeader, signatureHeader}
	for _, entry := range entries {
		value, ok := entry.Value.Scalar()
		switch {
		case !regexp.MustCompile(headerPattern).MatchString(entry.Name):
			entry.Key.Mistakef("it is not the name of a header")
		case slices.Contains(reserved, http.CanonicalHeaderKey(entry.Name)):
			entry.Key.Mistakef("the header %s is set for every message", http.CanonicalHeaderKey(entry.Name))
		case !ok || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' }):
			entry.Value.Mistakef("the value of a header must be one line of ASCII characters")
		default:
			headers[entry.Name] = value
		}
	}
	return headers
}

// Mistakes returns a mistake for each name in an alert that is not a target. Without a file of targets it returns
// none.
func (t Targets) Mistakes(queries []*sqlq.SavedQuery) sqlq.FileErrors {
	if t == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(t))
	var mistakes sqlq.FileErrors
	for _, definition := range Definitions(queries) {
		for _, named := range definition.Alert.Notify {
			if _, known := t[named.Name]; !known {
				mistakes = append(mistakes, named.Place.Mistakef("target %q is not in the file of --notify; %s",
					named.Name, sqlq.DidYouMean(named.Name, names, "its targets are "+strings.Join(names, ", "))))
			}
		}
	}
	return mistakes
}
