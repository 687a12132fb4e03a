package catalog

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/tables"
)

// Reuse returns the same catalog with the values of the previous one for saved queries that
// are equal, so that what others keep for these values stays of use. It also returns the
// saved queries that are new or changed.
func (c *Catalog) Reuse(previous *Catalog) (reused *Catalog, changed []*sqlq.SavedQuery) {
	values := make(map[*sqlq.SavedQuery]*sqlq.SavedQuery, len(c.queries))
	reused = &Catalog{tables: c.tables, byName: maps.Clone(c.byName), byID: maps.Clone(c.byID)}
	for _, query := range c.queries {
		value := query
		if old := previous.byName[query.Name]; old != nil && reflect.DeepEqual(old, query) {
			value = old
		} else {
			changed = append(changed, query)
		}
		values[query] = value
		reused.queries = append(reused.queries, value)
	}
	for name, query := range reused.byName {
		reused.byName[name] = values[query]
	}
	for id, query := range reused.byID {
		reused.byID[id] = values[query]
	}
	return reused, changed
}

// Fingerprint identifies the content of all files that [Read] reads.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of the directories. If it is the same before and
// after [Read], no file changed meanwhile.
func FingerprintOf(dialect sqlq.Dialect, ofTables []tables.Directory, directories ...Directory) Fingerprint {
	hash := sha256.New()
	for _, directory := range ofTables {
		tables.Visit(directory, func(name string, content []byte, err error) { note(hash, directory.Path+"/"+name, content, err) })
	}
	for _, directory := range directories {
		entries, err := fs.ReadDir(directory.FS, ".")
		note(hash, directory.Path, nil, err)
		for _, entry := range entries {
			for _, file := range []string{queryFileName, sqlFileName(dialect), sqlFileName(googlesql.AnyEngine())} {
				name := entry.Name() + "/" + file
				content, err := fs.ReadFile(directory.FS, name)
				note(hash, name, content, err)
			}
		}
	}
	return Fingerprint(hash.Sum(nil))
}

// note writes a file to a hash. A hash never returns an error.
func note(hash io.Writer, name string, content []byte, err error) {
	state := ""
	if err != nil {
		state = sqlq.WithoutPath(err).Error()
		if errors.Is(err, fs.ErrNotExist) {
			state = "missing"
		}
	}
	_, _ = fmt.Fprintf(hash, "%q %q %d\n", name, state, len(content))
	_, _ = hash.Write(content)
}
