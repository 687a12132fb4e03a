package auth

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"savedq/internal/secretfile"
	"savedq/internal/strictyaml"
	"savedq/sqlq"
)

const (
	// mostFileBytes bounds a tokens file. It is room for 10,000 tokens without limits,
	// which take about half a second to read.
	mostFileBytes = 1 << 20
	// emptyList is what is wrong with a list of nothing.
	emptyList = "must not be an empty list"
)

// Known is what a tokens file may name.
type Known struct {
	// Endpoints are the names of the saved queries.
	Endpoints []string
	// Tiers are the tiers that their parameters take.
	Tiers []string
}

// KnownOf returns what a tokens file may name beside saved queries.
func KnownOf(queries []*sqlq.SavedQuery) Known {
	known := Known{Tiers: Tiers(queries)}
	for _, query := range queries {
		known.Endpoints = append(known.Endpoints, query.Name)
	}
	return known
}

// ReadFile reads the tokens file at a path; see [ReadTokens] and [secretfile.Check]. The
// log has a warning where every user of the machine can read the file.
func ReadFile(path string, known Known, logger *slog.Logger) ([]Credential, error) {
	data, exposure, err := secretfile.Read(path, mostFileBytes+1)
	if err != nil {
		return nil, sqlq.FileErrors{{File: path, Message: "cannot be used: " + err.Error()}}
	}
	if exposure.Readable {
		logger.Warn("every user of this machine can read the tokens file, which says who may do what; run: chmod o-r",
			slog.String("file", path))
	}
	return ReadTokens(path, data, known)
}

// ReadTokens reads a tokens file, which may only name endpoints and tiers that are known.
// It is read strictly, and all mistakes are returned at once, as [sqlq.FileErrors].
// Messages do not quote hashes: a secret may stand in their place.
func ReadTokens(file string, data []byte, known Known) ([]Credential, error) {
	yaml := &strictyaml.Reader{MostBytes: mostFileBytes, SecondDocument: "a tokens file is one document; remove the second one"}
	reader := &tokensReader{known: known, names: make(map[string]int), hashes: make(map[Hash]int)}
	var credentials []Credential
	if m := yaml.Read(data, "tokens"); m != nil {
		m.Require("tokens")
		for _, entry := range m.List("tokens", emptyList) {
			credentials = append(credentials, reader.credential(entry))
		}
	}
	if mistakes := yaml.Mistakes(); len(mistakes) > 0 {
		return nil, sqlq.FileErrorsIn(file, mistakes)
	}
	return credentials, nil
}

// tokensReader reads the entries of a tokens file and remembers in which lines stands
// what has to be unique.
type tokensReader struct {
	known  Known
	names  map[string]int
	hashes map[Hash]int
}

// credential reads an entry.
func (r *tokensReader) credential(entry strictyaml.Node) Credential {
	m := entry.Mapping("name", "sha256", "expires", "endpoints", "projects", "project_tier", "rate", "burst", "ingest", "refresh", "metrics")
	if m == nil {
		return Credential{}
	}
	m.Require("name", "sha256")
	credential := Credential{
		Token: Token{
			Name:      strictyaml.Value(m, "name", "", r.name),
			Expires:   strictyaml.Value(m, "expires", time.Time{}, parsed(ParseExpiry)),
			Endpoints: texts(m, "endpoints", r.checkEndpoint),
			Projects:  texts(m, "projects", nil),
			MaxTier:   strictyaml.Value(m, "project_tier", "", r.tier),
			Rate:      strictyaml.Value(m, "rate", 0, rateOf),
			Burst:     strictyaml.Value(m, "burst", 0, burstOf),
			Ingest:    m.Boolean("ingest", false),
			Refresh:   m.Boolean("refresh", false),
			Metrics:   m.Boolean("metrics", false),
		},
		Hash: strictyaml.Value(m, "sha256", Hash{}, r.hash),
	}
	if m.Has("burst") && !m.Has("rate") {
		m.At("burst").Mistakef("burst needs a rate")
	}
	return credential
}

// name reads a token's name, which must be new.
func (r *tokensReader) name(node strictyaml.Node) (string, error) {
	name, err := text(node)
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

// hash reads the hash of a token's secret, which must be new.
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

// tier reads the highest tier of a token.
func (r *tokensReader) tier(node strictyaml.Node) (string, error) {
	tier, err := text(node)
	if err != nil {
		return "", err
	}
	return tier, CheckTier(tier, r.known.Tiers)
}

// checkEndpoint says whether an endpoint exists.
func (r *tokensReader) checkEndpoint(name string) error {
	if slices.Contains(r.known.Endpoints, name) {
		return nil
	}
	return fmt.Errorf("endpoint %q is unknown; the endpoints are %s", name, strings.Join(r.known.Endpoints, ", "))
}

// texts reads a list of different texts, each of which the check, if there is one,
// finds nothing wrong with.
func texts(m *strictyaml.Mapping, key string, check func(string) error) []string {
	var texts []string
	seen := make(map[string]bool)
	for _, item := range m.List(key, emptyList) {
		text, err := text(item)
		switch {
		case err != nil: // is reported below
		case seen[text]:
			err = fmt.Errorf("%q is listed twice", text)
		case check != nil:
			err = check(text)
		}
		if err != nil {
			item.Mistakef("%s", err)
		}
		seen[text] = true
		texts = append(texts, text)
	}
	return texts
}

// parsed reads a text that parse takes.
func parsed[T any](parse func(string) (T, error)) func(strictyaml.Node) (T, error) {
	return func(node strictyaml.Node) (T, error) {
		text, err := text(node)
		if err != nil {
			var none T
			return none, err
		}
		return parse(text)
	}
}

// text reads a text of printable characters that is not empty. What looks like a number
// is taken as it is written.
func text(node strictyaml.Node) (string, error) {
	text, ok := node.Scalar()
	_, boolean := node.Boolean()
	switch {
	case !ok, boolean:
		return "", errors.New("must be a text of one line")
	case text == "":
		return "", errors.New("must not be empty")
	case strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }):
		return "", errors.New("must be of printable characters")
	}
	return text, nil
}

func rateOf(node strictyaml.Node) (float64, error) {
	rate := node.Number()
	return rate, CheckRate(rate)
}

func burstOf(node strictyaml.Node) (int, error) {
	burst := node.WholeNumber()
	return burst, CheckBurst(burst)
}
