package sqlq

import (
	"slices"
	"strings"
)

// Translation is the SQL that an engine runs for a text in GoogleSQL (D38).
type Translation struct {
	SQL string
	// Written is the text of the author.
	Written string
	// Origins say where the parts of SQL are from, in their order.
	Origins []Origin
}

// Origin says that SQL from the offset At on is from the offset From of the written text, in bytes.
type Origin struct{ At, From int }

// place returns the line and the column in the written text of a line and a column of SQL.
func (t *Translation) place(line, column int) (int, int) {
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(t.SQL[offset:], '\n') + 1
	}
	offset = min(offset+column-1, len(t.SQL))
	i, _ := slices.BinarySearchFunc(t.Origins, offset+1, func(o Origin, offset int) int { return o.At - offset })
	if i == 0 {
		return 1, 1
	}
	return LineAndColumn(t.Written, t.Origins[i-1].From)
}

// LineAndColumn returns the place of an offset in a text; both count from 1.
func LineAndColumn(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

// PlaceInSQL returns the place in the file of a line and a column of the SQL that the engine runs.
func (q *SavedQuery) PlaceInSQL(line, column int) Place {
	if q.Translation != nil && line > 0 && column > 0 {
		line, column = q.Translation.place(line, column)
	}
	return Place{File: q.SQLFile, Line: line, Column: column}
}

// Written returns the SQL as its author wrote it, and the name of its language.
func (q *SavedQuery) Written() (sql, language string) {
	if q.Translation != nil {
		return q.Translation.Written, "googlesql"
	}
	return q.SQL, q.Engine
}
