package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"savedq/internal/files/durable"
	"savedq/internal/files/secretfile"
	"savedq/internal/text/strictyaml"
	"savedq/sqlq"
)

// Errors of changes of a tokens file: it has no token of a name, has one already, or would have none left. The last two
// say what to do.
var (
	ErrNoToken   = errors.New("there is no token of this name")
	ErrTaken     = errors.New("revoke it, or choose another name")
	ErrLastToken = errors.New("a server does not take a file without tokens; add its successor first")
)

// ReadAnyFile reads the tokens file at a path, whose endpoints, tiers and sources may be those of
// saved queries that are not at hand.
func ReadAnyFile(path string) ([]Credential, error) {
	file, err := openTokens(path)
	if err != nil {
		return nil, err
	}
	return file.credentials, nil
}

// AddToFile adds a token to the tokens file at a path, behind the others, and creates the file if there is
// none. It keeps all that is written there, such as comments.
func AddToFile(path string, token Token, hash Hash) error {
	unlock, err := lockTokens(path)
	if err != nil {
		return fmt.Errorf("%s cannot be created: %w", path, sqlq.WithoutPath(err))
	}
	defer unlock()
	entry := EntryYAML(token, hash)
	file, err := openTokens(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := durable.WriteFile(path, []byte("tokens:\n"+entry)); err != nil {
			return fmt.Errorf("%s cannot be created: %w", path, sqlq.WithoutPath(err))
		}
		return nil
	case err != nil:
		return err
	case slices.ContainsFunc(file.credentials, func(other Credential) bool { return other.Token.Name == token.Name }):
		return fmt.Errorf("%s has a token %q already; %w", path, token.Name, ErrTaken)
	}
	const written = "  " // the indentation of EntryYAML
	var lines []string
	for line := range strings.Lines(entry) {
		lines = append(lines, file.indent()+strings.TrimPrefix(line, written))
	}
	if last := len(file.lines) - 1; !strings.HasSuffix(file.lines[last], "\n") {
		file.lines[last] += "\n"
	}
	return file.replace(slices.Concat(file.lines, lines), append(file.credentials, Credential{token, hash}))
}

// RemoveFromFile removes a token from the tokens file at a path. The error is [ErrNoToken] if there is none of
// the name. The last token cannot be removed, because a server does not take a file without tokens.
func RemoveFromFile(path, name string) error {
	unlock, err := lockTokens(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, sqlq.WithoutPath(err))
	}
	defer unlock()
	file, err := openTokens(path)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(file.credentials, func(other Credential) bool { return other.Token.Name == name })
	switch {
	case index < 0:
		return ErrNoToken
	case len(file.credentials) == 1:
		return fmt.Errorf("it is the only token in %s, and %w", path, ErrLastToken)
	}
	first, next := file.starts[index], len(file.lines)
	if index+1 < len(file.starts) {
		next = file.starts[index+1]
		for next > first+1 && strings.HasPrefix(strings.TrimSpace(file.lines[next-1]), "#") {
			next-- // it is about the next token
		}
	}
	return file.replace(slices.Concat(file.lines[:first], file.lines[next:]), slices.Delete(slices.Clone(file.credentials), index, index+1))
}

// lockTokens keeps others from changing a tokens file until unlock is called: a server and commands change the same one.
func lockTokens(path string) (unlock func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return durable.LockDirectory(filepath.Dir(path))
}

// tokensFile is the content of a tokens file.
type tokensFile struct {
	path        string
	lines       []string
	credentials []Credential
	// starts has the index of the line in which each entry begins.
	starts []int
}

// openTokens reads a file with its lines.
func openTokens(path string) (*tokensFile, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, sqlq.WithoutPath(err))
	}
	path = target
	data, _, err := secretfile.Read(path)
	if err != nil {
		return nil, sqlq.FileErrors{{File: path, Message: "cannot be used: " + err.Error()}}
	}
	file := &tokensFile{path: path, lines: slices.Collect(strings.Lines(string(data)))}
	file.credentials, err = readTokens(path, data, Known{Any: true}, func(entry strictyaml.Node) {
		start := entry.Line() - 1
		for start > 0 && !strings.HasPrefix(strings.TrimSpace(file.lines[start]), "-") {
			start-- // the dash is on a line of its own
		}
		file.starts = append(file.starts, start)
	})
	return file, err
}

// indent returns what is before the dash of the entries.
func (f *tokensFile) indent() string {
	indent, _, _ := strings.Cut(f.lines[f.starts[0]], "-")
	return indent
}

// replace writes lines, if they have just these tokens.
func (f *tokensFile) replace(lines []string, want []Credential) error {
	content := []byte(strings.Join(lines, ""))
	got, err := readTokens(f.path, content, Known{Any: true}, nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s is written in a form that savedq does not change, such as [{name: …}]; change it by hand", f.path)
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	return durable.ReplaceFile(f.path, content, info)
}
