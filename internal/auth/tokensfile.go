package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"savedq/sqlq"
)

// mostFileBytes bounds a tokens file. It is room for 10,000 tokens without limits,
// which take about half a second to read.
const mostFileBytes = 1 << 20

// ReadFile reads the tokens file at a path; see [ReadTokens].
func ReadFile(path string, endpoints []string) ([]Credential, error) {
	data, err := readBounded(path)
	if err != nil {
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err // the mistake names the file
		}
		return nil, sqlq.FileErrors{{File: path, Message: "cannot be read: " + err.Error()}}
	}
	return ReadTokens(path, data, endpoints)
}

// readBounded reads a file, one byte further than it may be long.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(file, mostFileBytes+1))
}

// ReadTokens reads a tokens file, which may only list endpoints of the given names.
// It is read strictly, and all mistakes are returned at once, as [sqlq.FileErrors].
// Messages do not quote hashes: a secret may stand in their place.
func ReadTokens(file string, data []byte, endpoints []string) ([]Credential, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > mostFileBytes:
		return nil, sqlq.FileErrors{{File: file, Message: fmt.Sprintf("is larger than %d bytes", mostFileBytes)}}
	case !utf8.Valid(data) || bytes.ContainsRune(data, 0):
		return nil, sqlq.FileErrors{{File: file, Message: "is no UTF-8 text"}}
	}
	reader := &tokensReader{
		yaml: yamlReader{file: file}, endpoints: endpoints,
		names: make(map[string]ast.Node), hashes: make(map[Hash]ast.Node),
	}
	if root := reader.yaml.parse(data); root != nil {
		reader.tokens(root)
	}
	if mistakes := reader.yaml.sorted(); len(mistakes) > 0 {
		return nil, mistakes
	}
	return reader.credentials, nil
}

// tokensReader reads a tokens file and remembers what has to be unique.
type tokensReader struct {
	yaml        yamlReader
	endpoints   []string
	credentials []Credential
	names       map[string]ast.Node
	hashes      map[Hash]ast.Node
}

// tokens reads the file as a whole: one key, with a list of entries.
func (r *tokensReader) tokens(root ast.Node) {
	r.yaml.mapping(root, yamlKey{name: "tokens", required: true, read: func(node ast.Node) {
		for _, entry := range r.yaml.list(node, "tokens") {
			r.credentials = append(r.credentials, r.credential(entry))
		}
	}})
}

// credential reads an entry.
func (r *tokensReader) credential(entry ast.Node) Credential {
	var credential Credential
	token := &credential.Token
	given := r.yaml.mapping(entry,
		yamlKey{name: "name", required: true, read: func(node ast.Node) { token.Name = r.name(node) }},
		yamlKey{name: "sha256", required: true, read: func(node ast.Node) { credential.Hash = r.hash(node) }},
		yamlKey{name: "expires", read: func(node ast.Node) { token.Expires = parsed(&r.yaml, node, ParseExpiry) }},
		yamlKey{name: "endpoints", read: func(node ast.Node) { token.Endpoints = r.yaml.texts(node, "endpoints", r.checkEndpoint) }},
		yamlKey{name: "projects", read: func(node ast.Node) { token.Projects = r.yaml.texts(node, "projects", nil) }},
		yamlKey{name: "project_tier", read: func(node ast.Node) { token.MaxTier = parsed(&r.yaml, node, ParseTier) }},
		yamlKey{name: "rate", read: func(node ast.Node) { token.Rate = r.rate(node) }},
		yamlKey{name: "burst", read: func(node ast.Node) { token.Burst = r.burst(node) }},
		yamlKey{name: "ingest", read: func(node ast.Node) { token.Ingest = r.yaml.boolean(node, "ingest") }},
		yamlKey{name: "refresh", read: func(node ast.Node) { token.Refresh = r.yaml.boolean(node, "refresh") }},
	)
	if given["burst"] != nil && given["rate"] == nil {
		r.yaml.mistake(given["burst"], "burst needs a rate")
	}
	return credential
}

// name reads a token's name, which must be new.
func (r *tokensReader) name(node ast.Node) string {
	name := parsed(&r.yaml, node, func(text string) (string, error) { return text, CheckName(text) })
	if other := r.names[name]; other != nil {
		r.yaml.mistake(node, "name %q is already taken in line %d", name, lineOf(other))
	} else if name != "" {
		r.names[name] = node
	}
	return name
}

// hash reads the hash of a token's secret, which must be new.
func (r *tokensReader) hash(node ast.Node) Hash {
	text, _ := scalarText(node)
	hash, ok := parseHash(text)
	if !ok {
		r.yaml.mistake(node, "sha256 must be the 64 hexadecimal digits of the SHA-256 of the token; savedq token new prints both")
		return Hash{}
	}
	if other := r.hashes[hash]; other != nil {
		r.yaml.mistake(node, "sha256 is the same as in line %d; each entry needs a token of its own", lineOf(other))
	} else {
		r.hashes[hash] = node
	}
	return hash
}

// checkEndpoint says whether an endpoint exists.
func (r *tokensReader) checkEndpoint(name string) error {
	if slices.Contains(r.endpoints, name) {
		return nil
	}
	return fmt.Errorf("endpoint %q is unknown; the endpoints are %s", name, strings.Join(r.endpoints, ", "))
}

func (r *tokensReader) rate(node ast.Node) float64 {
	rate := number(node)
	if err := CheckRate(rate); err != nil {
		r.yaml.mistake(node, "%s", err)
		return 0
	}
	return rate
}

func (r *tokensReader) burst(node ast.Node) int {
	burst := wholeNumber(node)
	if err := CheckBurst(burst); err != nil {
		r.yaml.mistake(node, "%s", err)
		return 0
	}
	return burst
}
