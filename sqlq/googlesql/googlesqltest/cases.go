// Package googlesqltest reads the cases of GoogleSQL's functions, for the test of the translation and for the
// test that asks the emulator of BigQuery.
//
// A file of cases has one expression a line, and behind an arrow what it returns:
//
//	SUBSTR('abc', -2) → "bc"
//	1 / 0 → error
//	RAND() → refused: not deterministic
//	INITCAP('o\'neil') → "O'Neil" (https://…)
//
// Results are what [Text] makes of them: the results of the emulator, unless an address of the documentation
// follows: there the emulator is wrong, or lacks the function. Empty lines, and lines that begin with #, are
// comments.
package googlesqltest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Case is an expression, and what it returns.
type Case struct {
	SQL string
	// Want is what the expression returns: a text that [Text] returns, [Error], or [Refused] with a part of the
	// message of the translation.
	Want string
	// Documented is the address of the documentation that says so; empty if the emulator does.
	Documented string
}

// Results that are no values.
const (
	Error   = "error"
	Refused = "refused: "
)

const (
	arrow   = " → "
	address = " (https://"
)

// File is a file of cases.
type File struct {
	Path  string
	Cases []Case
	lines []string
	// at is the line of each case.
	at []int
}

// Read returns the files of cases in a directory.
func Read(directory string) ([]*File, error) {
	paths, err := filepath.Glob(filepath.Join(directory, "*.txt"))
	if err != nil {
		return nil, err
	}
	var files []*File
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file := &File{Path: path, lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n")}
		for i, line := range file.lines {
			if line != "" && line[0] != '#' {
				file.Cases = append(file.Cases, parseCase(line))
				file.at = append(file.at, i)
			}
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no cases", directory)
	}
	return files, nil
}

func parseCase(line string) Case {
	i := strings.LastIndex(line, arrow)
	if i < 0 {
		return Case{SQL: line}
	}
	c := Case{SQL: line[:i], Want: line[i+len(arrow):]}
	if i := strings.LastIndex(c.Want, address); i >= 0 && strings.HasSuffix(c.Want, ")") {
		c.Want, c.Documented = c.Want[:i], c.Want[i+2:len(c.Want)-1]
	}
	return c
}

func (c Case) String() string {
	line := c.SQL + arrow + c.Want
	if c.Documented != "" {
		line += " (" + c.Documented + ")"
	}
	return line
}

// IsEmulated reports whether the emulator knows what the case returns.
func (c Case) IsEmulated() bool { return c.Documented == "" && !strings.HasPrefix(c.Want, Refused) }

// Write writes the cases back, with what they want now.
func (f *File) Write() error {
	for i, c := range f.Cases {
		f.lines[f.at[i]] = c.String()
	}
	return os.WriteFile(f.Path, []byte(strings.Join(f.lines, "\n")+"\n"), 0o644) //nolint:gosec // Cases are for everybody.
}
