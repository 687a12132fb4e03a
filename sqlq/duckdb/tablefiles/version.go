package tablefiles

import (
	"time"

	"savedq/sqlq"
)

const (
	// versionAge is how long a version is used without looking at the files again.
	versionAge = time.Second
	// refreshAge is the age at which the next look begins, so that nobody waits for it while a version is in use.
	refreshAge = versionAge / 2
)

// version is the version of the files of a pattern at a time. The mutex of Files guards it.
type version struct {
	// text is empty before the first look ends.
	text string
	asOf time.Time
	// looking is closed when the look in flight ends; nil if none is in flight.
	looking chan struct{}
}

// Version returns the version of a table's files, as it was within the last second. If they cannot be read, it
// returns why. While it is called more than once in half a second, it waits for no look at the files.
func (f *Files) Version(table *sqlq.Table) string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	v := f.versions[table.Files.Pattern]
	if v == nil {
		v = new(version)
		f.versions[table.Files.Pattern] = v
	}
	called := f.clock()
	for waited := false; ; waited = true {
		age := called.Sub(v.asOf)
		known := v.text != "" && age < versionAge && (age >= 0 || waited) // or the clock was set back
		if (!known || age >= refreshAge) && v.looking == nil {
			f.look(table, v)
		}
		if known {
			return v.text
		}
		looking := v.looking
		f.mutex.Unlock()
		<-looking
		f.mutex.Lock()
	}
}

// look looks at the files on a goroutine. The mutex must be held.
func (f *Files) look(table *sqlq.Table, v *version) {
	looking, asOf := make(chan struct{}), f.clock()
	v.looking = looking
	go func() {
		var text string
		if listing, err := f.List(table); err != nil {
			text = err.Error()
		} else {
			text = listing.Version
		}
		f.mutex.Lock()
		defer f.mutex.Unlock()
		v.text, v.asOf, v.looking = text, asOf, nil
		close(looking)
	}()
}
