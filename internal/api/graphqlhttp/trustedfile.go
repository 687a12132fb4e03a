package graphqlhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"savedq/graph"
	"savedq/internal/api/graphqlrules"
	"savedq/internal/files/regularfile"
)

// TrustedDocuments are the only documents that a server runs. A request names one
// by its hash, as with persisted queries, or sends the whole document.
type TrustedDocuments struct {
	// byHash has the documents by their SHA-256 hashes, in lower-case hexadecimal digits.
	byHash  map[string]string
	allowed map[string]bool
}

// Len returns the number of trusted documents.
func (t *TrustedDocuments) Len() int { return len(t.byHash) }

// ReadTrustedDocuments reads the only documents that a server runs. The path is a folder
// of <sha256>.graphql files and *.json manifests, or one manifest. A manifest is a JSON
// object from hashes to documents, as client code generators write it, or an Apollo
// persisted query manifest. Files whose names start with a dot are skipped.
//
// Every document must match its hash, with or without a prefix, be valid, and be within
// the limits. The error names all files and documents that do not.
func ReadTrustedDocuments(path string, limits graphqlrules.Limits, schema *graph.Schema) (*TrustedDocuments, error) {
	files, err := trustedFiles(path)
	if err != nil {
		return nil, err
	}
	documents := graphqlrules.NewDocuments(schema, limits)
	trusted := &TrustedDocuments{byHash: make(map[string]string), allowed: make(map[string]bool)}
	var errs []error
	for _, file := range files {
		byHash, err := readTrusted(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		}
		for _, hash := range slices.Sorted(maps.Keys(byHash)) {
			place, text := file, byHash[hash]
			if filepath.Ext(file) == ".json" {
				place += ": document " + shortened(hash)
			}
			digits, supported := hashDigits(hash)
			if !supported {
				errs = append(errs, fmt.Errorf("%s: only %s is allowed before a hash", place, hashPrefix))
			} else if actual := hashOf(text); digits != actual {
				errs = append(errs, fmt.Errorf("%s: the SHA-256 hash of the document is %s", place, actual))
			} else if _, found := documents.Read(text); len(found) > 0 {
				errs = append(errs, fmt.Errorf("%s: %s", place, located(found[0])))
			} else {
				trusted.byHash[digits], trusted.allowed[text] = text, true
			}
		}
	}
	if len(errs) == 0 && trusted.Len() == 0 {
		return nil, fmt.Errorf("%s: has no trusted documents; put <sha256>.graphql files or a manifest there", path)
	}
	return trusted, errors.Join(errs...)
}

// trustedFiles returns the files of a path.
func trustedFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	var files []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	return files, err
}

// readTrusted returns the documents of a file by their hashes. The error is one of the file as a whole.
func readTrusted(file string) (map[string]string, error) {
	extension := filepath.Ext(file)
	if extension != ".graphql" && extension != ".json" {
		return nil, errors.New("is neither <sha256>.graphql nor a manifest <name>.json")
	}
	content, err := regularfile.Read(file)
	switch {
	case err != nil:
		return nil, err
	case extension == ".json":
		return readManifest(content)
	}
	hash := strings.TrimSuffix(filepath.Base(file), extension)
	digits, supported := hashDigits(hash)
	if actual := hashOf(string(content)); supported && digits != actual {
		return nil, fmt.Errorf("the name must be the SHA-256 hash of the document; rename it to %s%s", actual, extension)
	}
	return map[string]string{hash: string(content)}, nil
}

// located returns the message of an error with its location in the document.
func located(err *gqlerror.Error) string {
	if len(err.Locations) == 0 {
		return err.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", err.Locations[0].Line, err.Locations[0].Column, err.Message)
}

// readManifest returns the documents of a manifest by their hashes.
func readManifest(content []byte) (map[string]string, error) {
	const apolloFormat = "apollo-persisted-query-manifest"
	var apollo struct {
		Format     string
		Version    int
		Operations []struct{ ID, Body string }
	}
	if err := json.Unmarshal(content, &apollo); err == nil && apollo.Format != "" {
		if apollo.Format != apolloFormat || apollo.Version != 1 {
			return nil, fmt.Errorf("is a manifest of another format than %s, version 1", apolloFormat)
		}
		byHash := make(map[string]string, len(apollo.Operations))
		for _, operation := range apollo.Operations {
			byHash[operation.ID] = operation.Body
		}
		return byHash, nil
	}
	var byHash map[string]string
	if err := json.Unmarshal(content, &byHash); err != nil {
		return nil, errors.New(`is not a manifest; it must be a JSON object such as {"<sha256>": "<document>"}`)
	}
	return byHash, nil
}
