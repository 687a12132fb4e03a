package auth

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"savedq/internal/files/secretfile"
	"savedq/internal/operations/usage"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

const (
	// maxFileBytes limits a tokens file. It fits 10,000 tokens without limits, which take
	// about half a second to read.
	maxFileBytes = 1 << 20
	// emptyList is the error for an empty list.
	emptyList = "must not be an empty list"
)

// Known holds the names that a tokens file may use.
type Known struct {
	// Endpoints are the names of the saved queries.
	Endpoints []string
	// Aliases are their ids and aliases, UUIDs in lower case.
	Aliases []string
	// Tiers are the tiers that their parameters allow.
	Tiers []string
	// Parameters are the names of their parameters, in alphabetical order.
	Parameters []string
	// Sources are the log sources.
	Sources sqlq.Tables
	// Any lets a file name any endpoint, tier and source.
	Any bool
}

// SourceTables returns the tables of the sources with the names, each once, or an error that
// lists the sources. Nil stays nil.
func (k *Known) SourceTables(names []string) ([]string, error) {
	var tables []string
	if k.Any {
		return names, nil
	}
	for _, name := range names {
		source, err := k.Sources.Source(name)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(tables, source.Name):
			return nil, fmt.Errorf("%s is listed twice", source.Name)
		}
		tables = append(tables, source.Name)
	}
	return tables, nil
}

// KnownOf returns the names that a tokens file may use with the saved queries.
func KnownOf(queries []*sqlq.SavedQuery) Known {
	known := Known{Tiers: Tiers(queries)}
	for _, query := range queries {
		known.Endpoints = append(known.Endpoints, query.Name)
		known.Aliases = append(append(known.Aliases, query.ID.String()), query.Aliases...)
		for _, param := range query.Params {
			known.Parameters = append(known.Parameters, param.Name)
		}
	}
	slices.Sort(known.Parameters)
	known.Parameters = slices.Compact(known.Parameters)
	return known
}

// UnknownEndpoints returns the names, ids and aliases that no saved query has, in
// alphabetical order.
func (k *Known) UnknownEndpoints(names []string) []string {
	var unknown []string
	for _, name := range names {
		if !k.hasEndpoint(name) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return slices.Compact(unknown)
}

// hasEndpoint reports whether a saved query has a name, an id or an alias.
func (k *Known) hasEndpoint(name string) bool {
	return k.Any || slices.Contains(k.Endpoints, name) || slices.Contains(k.Aliases, canonicalEndpoint(name))
}

// ReadFile reads the tokens file at a path; see [ReadTokens] and [secretfile.Check]. It logs
// a warning if every user of the machine can read the file.
func ReadFile(path string, known Known, logger *slog.Logger) ([]Credential, error) {
	data, readable, err := secretfile.Read(path)
	if err != nil {
		return nil, sqlq.FileErrors{{File: path, Message: "cannot be used: " + err.Error()}}
	}
	if readable {
		logger.Warn("every user of this machine can read the tokens file, which lists what each token may do",
			slog.String("file", path), slog.String("run", "chmod o-r "+path))
	}
	return ReadTokens(path, data, known)
}

// ReadTokens parses a tokens file strictly. The file may only name known endpoints and
// tiers. ReadTokens returns all mistakes at once, as [sqlq.FileErrors]. Messages do not
// quote hashes, because a user may have put a secret in their place.
func ReadTokens(file string, data []byte, known Known) ([]Credential, error) {
	return readTokens(file, data, known, nil)
}

// readTokens is [ReadTokens]. It calls each, unless it is nil, with the entries.
func readTokens(file string, data []byte, known Known, each func(entry strictyaml.Node)) ([]Credential, error) {
	yaml := &strictyaml.Reader{MostBytes: maxFileBytes, SecondDocument: "a tokens file is one document; remove the second one"}
	reader := &tokensReader{known: known, names: make(map[string]int), hashes: make(map[Hash]int)}
	var credentials []Credential
	if m := yaml.Read(data, "tokens"); m != nil {
		m.Require("tokens")
		for _, entry := range m.List("tokens", emptyList) {
			credentials = append(credentials, reader.credential(entry))
			if each != nil {
				each(entry)
			}
		}
	}
	if mistakes := yaml.Mistakes(); len(mistakes) > 0 {
		return nil, sqlq.FileErrorsIn(file, mistakes)
	}
	return credentials, nil
}

// tokensReader reads the entries of a tokens file. It records the lines of names and
// hashes, which must be unique.
type tokensReader struct {
	known  Known
	names  map[string]int
	hashes map[Hash]int
}

// credential reads one entry.
func (r *tokensReader) credential(entry strictyaml.Node) Credential {
	m := entry.Mapping(append([]string{"name", "sha256", "created", "expires", "endpoints", "projects", "project_tier", "rate", "burst", "budget", "sources"}, scopeNames()...)...)
	if m == nil {
		return Credential{}
	}
	m.Require("name", "sha256")
	credential := Credential{
		Token: Token{
			Name:      strictyaml.Value(m, "name", "", r.name),
			Created:   strictyaml.Value(m, "created", time.Time{}, parsed(parseCreated)),
			Expires:   strictyaml.Value(m, "expires", time.Time{}, parsed(ParseExpiry)),
			Endpoints: stringList(m, "endpoints", r.known.CheckEndpoint),
			Projects:  stringList(m, "projects", nil),
			MaxTier:   strictyaml.Value(m, "project_tier", "", r.known.ReadTier),
			Rate:      strictyaml.Value(m, "rate", 0, ReadRate),
			Burst:     strictyaml.Value(m, "burst", 0, burstOf),
		},
		Hash: strictyaml.Value(m, "sha256", Hash{}, r.hash),
	}
	for _, scope := range Scopes() {
		*scope.of(&credential.Token) = m.Boolean(scope.Name, false)
	}
	if m.Has("budget") {
		credential.Token.Budget = usage.ReadBudget(m.At("budget"))
	}
	if m.Has("burst") && !m.Has("rate") {
		m.At("burst").Mistakef("burst needs a rate")
	}
	if m.Has("sources") {
		credential.Token.Sources = r.sources(m)
		if !credential.Token.Ingest {
			m.At("sources").Mistakef("sources needs ingest: true")
		}
	}
	if err := credential.Token.checkManaging(); err != nil {
		m.At("manage_tokens").Mistakef("%s", err)
	}
	return credential
}

// name reads a token's name, which must be unique.
func (r *tokensReader) name(node strictyaml.Node) (string, error) {
	name, err := ReadText(node)
	if err != nil {
		return "", err
	}
	if err := CheckName(name); err != nil {
		return "", err
	}
	if line, taken := r.names[name]; taken {
		return "", fmt.Errorf("name %q is already taken in line %d", name, line)
	}
	r.names[name] = node.Line()
	return name, nil
}

// hash reads the hash of a token's secret, which must be unique.
func (r *tokensReader) hash(node strictyaml.Node) (Hash, error) {
	text, _ := node.Scalar()
	hash, ok := parseHash(text)
	if !ok {
		return Hash{}, errors.New("sha256 must be the 64 hexadecimal digits of the SHA-256 of the token; savedq token new prints both")
	}
	if line, taken := r.hashes[hash]; taken {
		return Hash{}, fmt.Errorf("sha256 is the same as in line %d; each entry needs a token of its own", line)
	}
	r.hashes[hash] = node.Line()
	return hash, nil
}

// ReadTier reads the highest tier that a token allows.
func (k *Known) ReadTier(node strictyaml.Node) (string, error) {
	tier, err := ReadText(node)
	if err != nil {
		return "", err
	}
	if k.Any {
		return tier, nil
	}
	return tier, CheckTier(tier, k.Tiers)
}

// sources reads the sources whose events a token may ingest, as tables.
func (r *tokensReader) sources(m *strictyaml.Mapping) []string {
	tables := []string{}
	stringList(m, "sources", func(name string) error {
		source, err := r.known.SourceTables([]string{name})
		switch {
		case err != nil:
			return err
		case slices.Contains(tables, source[0]):
			return fmt.Errorf("%s is listed twice, under both of its names", source[0])
		}
		tables = append(tables, source[0])
		return nil
	})
	return tables
}

// CheckEndpoint returns an error unless an endpoint exists.
func (k *Known) CheckEndpoint(name string) error {
	if k.hasEndpoint(name) {
		return nil
	}
	return fmt.Errorf("endpoint %q is unknown; the endpoints are %s", name, strings.Join(k.Endpoints, ", "))
}

// stringList reads a list of distinct strings. Each must pass the check, which may be nil.
func stringList(m *strictyaml.Mapping, key string, check func(string) error) []string {
	var values []string
	seen := make(map[string]bool)
	for _, item := range m.List(key, emptyList) {
		value, err := ReadText(item)
		switch {
		case err != nil: // reported below
		case seen[value]:
			err = fmt.Errorf("%q is listed twice", value)
		case check != nil:
			err = check(value)
		}
		if err != nil {
			item.Mistakef("%s", err)
		}
		seen[value] = true
		values = append(values, value)
	}
	return values
}

// parsed returns a function that reads a string and parses it.
func parsed[T any](parse func(string) (T, error)) func(strictyaml.Node) (T, error) {
	return func(node strictyaml.Node) (T, error) {
		text, err := ReadText(node)
		if err != nil {
			var zero T
			return zero, err
		}
		return parse(text)
	}
}

// ReadText reads a string of printable characters that is not empty. A number is read as the
// string that was written.
func ReadText(node strictyaml.Node) (string, error) {
	text, ok := node.Scalar()
	_, boolean := node.Boolean()
	switch {
	case !ok, boolean:
		return "", errors.New("must be a string of one line")
	case text == "":
		return "", errors.New("must not be empty")
	case strings.ContainsFunc(text, isUnprintable):
		return "", errUnprintable
	}
	return text, nil
}

// errUnprintable means that a name holds characters that cannot be seen.
var errUnprintable = errors.New("must have printable characters only")

func isUnprintable(c rune) bool { return !unicode.IsPrint(c) }

// parseCreated parses when a token was created.
func parseCreated(text string) (time.Time, error) {
	if created, ok := parseTime(text); ok {
		return created, nil
	}
	return time.Time{}, errors.New("must be an RFC 3339 time such as 2027-01-31T12:00:00Z, or a date")
}

// ReadRate reads a rate.
func ReadRate(node strictyaml.Node) (float64, error) {
	rate := node.Number()
	return rate, CheckRate(rate)
}

func burstOf(node strictyaml.Node) (int, error) {
	burst := node.WholeNumber()
	return burst, CheckBurst(burst)
}

// EntryYAML returns the entry of a token for a tokens file, indented to follow the key
// "tokens". [ReadTokens] reads the same token from it.
func EntryYAML(token Token, hash Hash) string {
	var entry strings.Builder
	prefix := "  - "
	line := func(key, value string) {
		entry.WriteString(prefix + key + ": " + value + "\n")
		prefix = "    "
	}
	line("name", quoted(token.Name))
	line("sha256", quoted(hash.String()))
	for _, optional := range []struct {
		set        bool
		key, value string
	}{
		{!token.Created.IsZero(), "created", token.Created.UTC().Format(time.RFC3339Nano)},
		{!token.Expires.IsZero(), "expires", token.Expires.UTC().Format(time.RFC3339Nano)},
		{token.Endpoints != nil, "endpoints", quotedList(token.Endpoints)},
		{token.Projects != nil, "projects", quotedList(token.Projects)},
		{token.MaxTier != "", "project_tier", quoted(token.MaxTier)},
		{token.Rate > 0, "rate", strconv.FormatFloat(token.Rate, 'f', -1, 64)},
		{token.Burst > 0, "burst", strconv.Itoa(token.Burst)},
		{token.Budget != usage.Budget{}, "budget", token.Budget.YAML()},
		{token.Sources != nil, "sources", quotedList(token.Sources)},
	} {
		if optional.set {
			line(optional.key, optional.value)
		}
	}
	for _, scope := range token.Scopes() {
		line(scope, "true")
	}
	return entry.String()
}

// quoted returns a string in JSON's quotes, so that YAML always reads it as a string.
func quoted(value string) string { return string(sqlq.AppendValue(nil, sqlq.String, value)) }

func quotedList(values []string) string {
	items := make([]string, len(values))
	for i, value := range values {
		items[i] = quoted(value)
	}
	return "[" + strings.Join(items, ", ") + "]"
}
