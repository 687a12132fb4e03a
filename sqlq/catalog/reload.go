package catalog

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"reflect"

	"savedq/sqlq"
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

// Fingerprint identifies the content of the files in the folders of directories.
type Fingerprint [sha256.Size]byte

// FingerprintOf returns the fingerprint of the directories. If it is the same before and
// after [Read] and [tables.Read], no file changed meanwhile.
func FingerprintOf(directories ...Directory) Fingerprint {
	hash := sha256.New()
	for _, directory := range directories {
		entries, err := fs.ReadDir(directory.FS, ".")
		_, _ = fmt.Fprintf(hash, "%q %v\n", directory.Path, sqlq.WithoutPath(err)) // a hash never returns an error
		for _, entry := range entries {
			_, _ = fmt.Fprintf(hash, "%q\n", entry.Name()) // a folder can be empty
		}
		for _, pattern := range []string{"*/*.yaml", "*/*.sql"} {
			names, _ := fs.Glob(directory.FS, pattern) // the patterns are valid
			for _, name := range names {
				content, err := fs.ReadFile(directory.FS, name)
				_, _ = fmt.Fprintf(hash, "%q %v %d\n%s", name, sqlq.WithoutPath(err), len(content), content)
			}
		}
	}
	return Fingerprint(hash.Sum(nil))
}
