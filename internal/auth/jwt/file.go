package jwt

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"savedq/internal/auth"
	"savedq/internal/operations/usage"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// maxFileBytes limits the file of issuers.
	maxFileBytes = 1 << 20
	emptyList    = "must not be an empty list"
)

// issuersReader reads the issuers of a file.
type issuersReader struct {
	directory string
	known     auth.Known
	// source opens the keys at a place.
	source func(place string, algorithms []string) (*keySource, error)
	lines  map[string]int
}

// readIssuers parses a file of issuers strictly. It returns all mistakes at once, as
// [sqlq.FileErrors].
func readIssuers(file string, data []byte, known auth.Known, source func(string, []string) (*keySource, error)) (*issuers, error) {
	yaml := &strictyaml.Reader{MostBytes: maxFileBytes, SecondDocument: "a file of issuers is one document; remove the second one"}
	reader := &issuersReader{directory: filepath.Dir(file), known: known, source: source, lines: make(map[string]int)}
	read := &issuers{byName: make(map[string]*issuer)}
	if m := yaml.Read(data, "issuers"); m != nil {
		m.Require("issuers")
		for _, node := range m.List("issuers", emptyList) {
			if issuer := reader.issuer(node); issuer != nil {
				read.byName[issuer.name] = issuer
			}
		}
	}
	if mistakes := yaml.Mistakes(); len(mistakes) > 0 {
		return nil, sqlq.FileErrorsIn(file, mistakes)
	}
	return read, nil
}

func (r *issuersReader) issuer(node strictyaml.Node) *issuer {
	m := node.Mapping("issuer", "audience", "algorithms", "keys", "bind", "endpoints", "tier", "rate", "budget", "refresh", "sandbox", "explore", "alerts", "deny")
	if m == nil {
		return nil
	}
	m.Require("issuer", "audience", "algorithms", "keys")
	read := &issuer{
		name:       strictyaml.Value(m, "issuer", "", r.name),
		audiences:  strictyaml.Value(m, "audience", nil, textOrList),
		algorithms: strictyaml.Value(m, "algorithms", nil, algorithms),
		bind:       r.bind(m),
		endpoints:  readSetting(m, "endpoints", r.endpoints),
		tier:       readSetting(m, "tier", r.known.ReadTier),
		rate:       readSetting(m, "rate", auth.ReadRate),
		budget:     readBudget(m),
		refresh:    readSetting(m, "refresh", booleanOf),
		sandbox:    readSetting(m, "sandbox", booleanOf),
		explore:    readSetting(m, "explore", booleanOf),
		alerts:     readSetting(m, "alerts", booleanOf),
	}
	if m.Has("deny") {
		if deny := m.At("deny").Mapping("jti", "subjects"); deny != nil {
			read.deniedIDs = strictyaml.Value(deny, "jti", nil, listOf("jti"))
			read.deniedSubjects = strictyaml.Value(deny, "subjects", nil, listOf("subjects"))
		}
	}
	if m.Has("keys") && read.algorithms != nil {
		read.keys = strictyaml.Value(m, "keys", nil, func(node strictyaml.Node) (*keySource, error) {
			place, err := auth.ReadText(node)
			if err != nil {
				return nil, fmt.Errorf("keys %w", err)
			}
			if !isURL(place) && !filepath.IsAbs(place) {
				place = filepath.Join(r.directory, place)
			}
			return r.source(place, read.algorithms)
		})
	}
	return read
}

// name reads the name of an issuer, which must be unique.
func (r *issuersReader) name(node strictyaml.Node) (string, error) {
	name, err := auth.ReadText(node)
	if err != nil {
		return "", fmt.Errorf("issuer %w", err)
	}
	if line, taken := r.lines[name]; taken {
		return "", fmt.Errorf("issuer %q is already in line %d; list each issuer once", name, line)
	}
	r.lines[name] = node.Line()
	return name, nil
}

// algorithms reads the algorithms of an issuer.
func algorithms(node strictyaml.Node) ([]string, error) {
	names, err := listOf("algorithms")(node)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.Contains(algorithmNames(), name) {
			return nil, fmt.Errorf("algorithm %q is not supported; use %s", name, strings.Join(algorithmNames(), ", "))
		}
	}
	if len(names) > 1 && slices.Contains(names, hs256) {
		return nil, errors.New("algorithms must not have HS256 with others, because its key is a secret and the others have public keys")
	}
	return names, nil
}

// bind reads which claims bind which parameters.
func (r *issuersReader) bind(m *strictyaml.Mapping) []boundClaim {
	if !m.Has("bind") {
		return nil
	}
	entries, ok := m.At("bind").Entries()
	if !ok || len(entries) == 0 {
		m.At("bind").Mistakef("bind must be a mapping of parameters to claims, such as project: app_metadata.project")
		return nil
	}
	var bound []boundClaim
	for _, entry := range entries {
		path, err := pathOf(entry.Value)
		switch {
		case err != nil:
			entry.Value.Mistakef("%s: %s", entry.Name, err)
		case !slices.Contains(r.known.Parameters, entry.Name) && entry.Name != auth.ProjectParameter:
			entry.Key.Mistakef("no saved query has a parameter %q; the parameters are %s", entry.Name, strings.Join(r.known.Parameters, ", "))
		default:
			bound = append(bound, boundClaim{parameter: entry.Name, claim: path})
		}
	}
	return bound
}

// readSetting reads a value, or the claim that has it.
func readSetting[T any](m *strictyaml.Mapping, key string, parse func(strictyaml.Node) (T, error)) setting[T] {
	return strictyaml.Value(m, key, setting[T]{}, func(node strictyaml.Node) (setting[T], error) {
		if _, isMapping := node.Entries(); !isMapping {
			value, err := parse(node)
			if err != nil {
				return setting[T]{}, fmt.Errorf("%s: %w", key, err)
			}
			return setting[T]{value: value}, nil
		}
		inner := node.Mapping("claim")
		inner.Require("claim")
		return setting[T]{claim: strictyaml.Value(inner, "claim", nil, pathOf)}, nil
	})
}

// readBudget reads a budget, or the claim that has it.
func readBudget(m *strictyaml.Mapping) setting[usage.Budget] {
	const key = "budget"
	if !m.Has(key) {
		return setting[usage.Budget]{}
	}
	entries, _ := m.At(key).Entries()
	if slices.ContainsFunc(entries, func(entry strictyaml.Entry) bool { return entry.Name == "claim" }) {
		return readSetting(m, key, func(strictyaml.Node) (usage.Budget, error) { return usage.Budget{}, nil })
	}
	return setting[usage.Budget]{value: usage.ReadBudget(m.At(key))}
}

// endpoints reads the names, ids and aliases of saved queries.
func (r *issuersReader) endpoints(node strictyaml.Node) ([]string, error) {
	names, err := list(node)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := r.known.CheckEndpoint(name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func booleanOf(node strictyaml.Node) (bool, error) {
	value, ok := node.Boolean()
	if !ok {
		return false, errors.New("must be true or false, or a claim such as {claim: allowed}")
	}
	return value, nil
}

// pathOf reads the path of a claim: a string, at whose dots it is split, or a list of keys,
// which can have dots.
func pathOf(node strictyaml.Node) (claimPath, error) {
	if _, isList := node.Items(); isList {
		keys, err := list(node)
		return keys, err
	}
	path, err := auth.ReadText(node)
	if err != nil {
		return nil, errors.New("must be the path of a claim, such as app_metadata.project, or a list of keys, such as [https://example.com/claims, project]")
	}
	keys := claimPath(strings.Split(path, "."))
	if slices.Contains(keys, "") {
		return nil, fmt.Errorf("%q is not the path of a claim, such as app_metadata.project; write keys that have dots as a list", path)
	}
	return keys, nil
}

// textOrList reads a string, or a list of them.
func textOrList(node strictyaml.Node) ([]string, error) {
	if _, isList := node.Items(); isList {
		return list(node)
	}
	value, err := auth.ReadText(node)
	if err != nil {
		return nil, err
	}
	return []string{value}, nil
}

func listOf(key string) func(strictyaml.Node) ([]string, error) {
	return func(node strictyaml.Node) ([]string, error) {
		values, err := list(node)
		if err != nil {
			return nil, fmt.Errorf("%s %w", key, err)
		}
		return values, nil
	}
}

// list reads a list of distinct strings.
func list(node strictyaml.Node) ([]string, error) {
	items, ok := node.Items()
	switch {
	case !ok:
		return nil, errors.New("must be a list")
	case len(items) == 0:
		return nil, errors.New(emptyList)
	}
	values := make([]string, 0, len(items))
	for _, item := range items {
		value, err := auth.ReadText(item)
		switch {
		case err != nil:
			return nil, fmt.Errorf("must be a list of strings; one %w", err)
		case slices.Contains(values, value):
			return nil, fmt.Errorf("has %q twice", value)
		}
		values = append(values, value)
	}
	return values, nil
}

func isURL(place string) bool { return strings.Contains(place, "://") }

// checkURL returns an error unless keys can be fetched from a URL without being replaced on
// the way.
func checkURL(place string) error {
	parsed, err := url.Parse(place)
	if err != nil || parsed.Host == "" || parsed.User != nil {
		return errors.New("keys must be a file, or a URL such as https://auth.example.com/.well-known/jwks.json")
	}
	address := net.ParseIP(parsed.Hostname())
	local := parsed.Hostname() == "localhost" || address != nil && address.IsLoopback()
	if parsed.Scheme != "https" && (parsed.Scheme != "http" || !local) {
		return errors.New("the URL of keys must begin with https://, because everybody on the way could replace the keys; http:// is only for this machine")
	}
	return nil
}
