package scaffold

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"savedq/sqlq"
)

// Table is a new table of files, with what is known of it.
type Table struct {
	Name string
	// Files is the path as table.yaml has it, and File the name of the file.
	Files, File string
	// Separator is what stands between the values of a CSV file; empty if its name says it.
	Separator string
	Columns   []sqlq.Column
	// Remarks are what a person should know of the file, and of columns by their names.
	Remarks       []string
	ColumnRemarks map[string][]string
}

// YAML returns the table.yaml.
func (t *Table) YAML() []byte {
	var w bytes.Buffer
	writeRemarks(&w, "", t.Remarks)
	fmt.Fprintf(&w, "name: %s\ndescription: %s # TODO: say what a row is\nfiles: %s\n", t.Name, yamlText("Rows of "+t.File+"."), yamlText(t.Files))
	if t.Separator != "" {
		fmt.Fprintf(&w, "separator: %s\n", yamlText(t.Separator))
	}
	w.WriteString("columns:\n")
	for _, column := range t.Columns {
		writeRemarks(&w, "  ", t.ColumnRemarks[column.Name])
		fmt.Fprintf(&w, "  - {name: %s, type: %s}\n", yamlText(column.Name), column.Type)
	}
	return w.Bytes()
}

// writeRemarks writes comments, each on a line.
func writeRemarks(w *bytes.Buffer, indent string, remarks []string) {
	for _, remark := range remarks {
		line := strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, remark)
		fmt.Fprintf(w, "%s# %s\n", indent, line)
	}
}
