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
	"savedq/internal/graphqlrules"
	"savedq/internal/regularfile"
)

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
	reader := trustedReader{
		documents: graphqlrules.NewDocuments(schema, limits),
		found:     &TrustedDocuments{byHash: make(map[string]string), allowed: make(map[string]bool)},
	}
	for _, file := range files {
		if err := reader.file(file); err != nil {
			reader.errs = append(reader.errs, fmt.Errorf("%s: %w", file, err))
		}
	}
	if len(reader.errs) == 0 && reader.found.Len() == 0 {
		return nil, fmt.Errorf("%s: has no trusted documents; put <sha256>.graphql files or a manifest there", path)
	}
	return reader.found, errors.Join(reader.errs...)
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

// trustedReader collects documents and their errors.
type trustedReader struct {
	documents *graphqlrules.Documents
	found     *TrustedDocuments
	errs      []error
}

// file reads one file. It collects the errors of its documents, and returns an error of
// the file as a whole.
func (r *trustedReader) file(file string) error {
	extension := filepath.Ext(file)
	if extension != ".graphql" && extension != ".json" {
		return errors.New("is neither <sha256>.graphql nor a manifest <name>.json")
	}
	content, err := regularfile.Read(file)
	if err != nil {
		return err
	}
	if extension == ".graphql" {
		hash := strings.TrimSuffix(filepath.Base(file), extension)
		digits, supported := hashDigits(hash)
		if actual := hashOf(string(content)); supported && digits != actual {
			return fmt.Errorf("the name must be the SHA-256 hash of the document; rename it to %s%s", actual, extension)
		}
		r.add(file, hash, string(content))
		return nil
	}
	byHash, err := readManifest(content)
	if err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(byHash)) {
		r.add(file+": document "+shortened(hash), hash, byHash[hash])
	}
	return nil
}

// add adds a document, or collects its error.
func (r *trustedReader) add(place, hash, text string) {
	digits, err := r.check(hash, text)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", place, err))
		return
	}
	r.found.byHash[digits], r.found.allowed[text] = text, true
}

// check returns the digits of a document's hash, or an error of the hash or document.
func (r *trustedReader) check(hash, text string) (digits string, err error) {
	digits, supported := hashDigits(hash)
	if !supported {
		return "", fmt.Errorf("only %s is allowed before a hash", hashPrefix)
	}
	if actual := hashOf(text); digits != actual {
		return "", fmt.Errorf("the SHA-256 hash of the document is %s", actual)
	}
	if _, errs := r.documents.Read(text); len(errs) > 0 {
		return "", errors.New(located(errs[0]))
	}
	return digits, nil
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
