package sqlq

import (
	"slices"
	"strings"
)

// Translation is the SQL that an engine runs for a text in another language: GoogleSQL (D38), or ClickHouse's over the table logs.
type Translation struct {
	SQL string
	// TypedSQL is the same for tables all of whose rows are typed; see [MetadataTyped]. It fails with [UntypedRowsMessage]
	// if there are others. Empty means that there is none.
	TypedSQL string
	// Written is the text of the author, and Language names its language.
	Written, Language string
	// Origins say where the parts of SQL are from, in their order.
	Origins []Origin
}

// Origin says that SQL from the offset At on is from the offset From of the written text, in bytes. From is
// negative if it is from another text.
type Origin struct{ At, From int }

// OriginOf returns the offset in the written text of what is at an offset of the SQL; it is negative if that is
// from another text.
func OriginOf(origins []Origin, offset int) int {
	i, _ := slices.BinarySearchFunc(origins, offset+1, func(o Origin, offset int) int { return o.At - offset })
	if i == 0 {
		return 0
	}
	return origins[i-1].From
}

// place returns the line and the column in the written text of a line and a column of SQL.
func (t *Translation) place(line, column int) (int, int) {
	offset := 0
	for range line - 1 {
		offset += strings.IndexByte(t.SQL[offset:], '\n') + 1
	}
	origin := OriginOf(t.Origins, min(offset+column-1, len(t.SQL)))
	if origin < 0 {
		return 0, 0
	}
	return LineAndColumn(t.Written, origin)
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
		return q.Translation.Written, q.Translation.Language
	}
	return q.SQL, q.Engine
}
