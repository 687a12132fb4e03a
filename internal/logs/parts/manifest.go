// Package parts knows the files of a store: immutable parts that hold events, and the manifest that names them. A
// part is written once, becomes visible when the manifest is replaced, and is removed whole. This package does not
// read events.
package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"savedq/internal/files/durable"
)

const (
	// ManifestName is the name of the manifest in the data directory.
	ManifestName = "manifest.json"
	// Directory is the name of the directory with the parts, in the data directory.
	Directory = "parts"
	// format is the version of the manifest and of the parts that this program writes. A program reads no later one.
	format = 1
)

// Manifest says what a store holds. It is replaced as a whole, so its values must not be changed in place.
type Manifest struct {
	Format int `json:"format"`
	// Store is what distinguishes the store from others. Its copies have the same.
	Store string `json:"store"`
	// Program is the program that wrote the manifest, for messages of older programs.
	Program string `json:"program"`
	// Written is when the manifest was made. Manifests of earlier programs do not have it.
	Written time.Time `json:"written,omitzero"`
	// Position is the sequence number in the write-ahead log of ingest up to which all events are in parts.
	Position uint64 `json:"position"`
	// HoldsOtherLogs is true once the store holds logs that are not demo logs.
	HoldsOtherLogs bool `json:"holds_other_logs"`
	// Replaces is the file of an earlier version in the data directory whose events are all in parts. It is removed when the
	// store is opened.
	Replaces string `json:"replaces,omitempty"`
	// Next is the number of the next file.
	Next uint64 `json:"next"`
	// Tables are the log sources of authors, as they were last declared.
	Tables json.RawMessage `json:"tables,omitempty"`
	// State is the number of the file with everything that is not events, or 0.
	State uint64 `json:"state,omitempty"`
	Parts []Part `json:"parts"`
}

// Part is a file with events.
type Part struct {
	Number uint64 `json:"number"`
	// Level counts how often the events were merged.
	Level int `json:"level"`
	// Sources are the sources of its events, by name.
	Sources []Source `json:"sources"`
	// Records is the number of records of events that do not have exactly one.
	Records int64 `json:"records,omitempty"`
	// Shared is the number of its events that belong to several projects.
	Shared int64 `json:"shared,omitempty"`
	// Accepted is when the newest of its events arrived.
	Accepted time.Time `json:"accepted"`
	// UUIDs is true if all ids are UUIDs in lower case with hyphens, and stored as such.
	UUIDs bool `json:"uuids,omitempty"`
	// Typed is true if it says which of its events are typed (ADR 062). Parts of earlier programs do not have it.
	Typed bool `json:"typed,omitempty"`
	// Places is true if it says which of its events are placed (ADR 074), and Unplaced is how many are not.
	Places   bool  `json:"places,omitempty"`
	Unplaced int64 `json:"unplaced,omitempty"`
	// Fields are the columns of sources of authors that it has.
	Fields []string `json:"fields,omitempty"`
	// Bytes and Checksum are of the file with the events; see [Sum].
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"checksum"`
	// IDBytes is the size of the file with the hashes of ids, which has a checksum of its own.
	IDBytes int64 `json:"id_bytes"`
	// Hidden are events that are deleted, but still in the file.
	Hidden []Selection `json:"hidden,omitempty"`
}

// Source is what a part has of a source.
type Source struct {
	Name   string `json:"name"`
	Events int64  `json:"events"`
	// Untyped is how many of its events are not typed, in a part with that column.
	Untyped int64     `json:"untyped,omitempty"`
	Oldest  time.Time `json:"oldest"`
	Newest  time.Time `json:"newest"`
}

// Selection selects events.
type Selection struct {
	// Source is the table of the source.
	Source string `json:"source"`
	// Project selects the events of a project (D23); empty means all.
	Project string `json:"project,omitempty"`
	// Before selects events with an earlier timestamp; the zero time means all.
	Before time.Time `json:"before,omitzero"`
}

// Events returns the number of events.
func (p *Part) Events() int64 {
	total := int64(0)
	for _, source := range p.Sources {
		total += source.Events
	}
	return total
}

// Source returns what the part has of a source.
func (p *Part) Source(name string) (Source, bool) {
	at := slices.IndexFunc(p.Sources, func(source Source) bool { return source.Name == name })
	if at < 0 {
		return Source{}, false
	}
	return p.Sources[at], true
}

// Hide returns the part with events hidden, or the part itself if it has none of them. A selection replaces those that
// select less.
func (p Part) Hide(selection Selection) Part {
	source, found := p.Source(selection.Source)
	if !found || !selection.Before.IsZero() && !source.Oldest.Before(selection.Before) {
		return p
	}
	p.Hidden = slices.DeleteFunc(slices.Clone(p.Hidden), func(other Selection) bool {
		return other.Source == selection.Source && (selection.Project == "" || other.Project == selection.Project) &&
			(selection.Before.IsZero() || !other.Before.IsZero() && !other.Before.After(selection.Before))
	})
	p.Hidden = append(p.Hidden, selection)
	return p
}

// IsHidden reports whether no event of the part is visible, as far as the manifest tells.
func (p *Part) IsHidden() bool {
	for _, source := range p.Sources {
		hides := func(hidden Selection) bool {
			return hidden.Source == source.Name && hidden.Project == "" && (hidden.Before.IsZero() || source.Newest.Before(hidden.Before))
		}
		if !slices.ContainsFunc(p.Hidden, hides) {
			return false
		}
	}
	return true
}

// FileName returns the name of the part's file in [Directory], and IDName that of its ids.
func (p *Part) FileName() string { return fileName(p.Number) + eventSuffix }

// IDName returns the name of the file with the hashes of ids in [Directory].
func (p *Part) IDName() string { return fileName(p.Number) + idSuffix }

// StateName returns the name of the file with everything that is not events in [Directory].
func (m *Manifest) StateName() string { return fileName(m.State) + stateSuffix }

const (
	eventSuffix = ".events"
	idSuffix    = ".ids"
	stateSuffix = ".state"
	// recentSuffix ends the names of files with recent events for another process. No manifest names them.
	recentSuffix = ".recent"
)

// RecentName returns the name of a file in [Directory] with recent events.
func RecentName(number uint64) string { return fileName(number) + recentSuffix }

func fileName(number uint64) string { return fmt.Sprintf("%08d", number) }

// Read reads the manifest of a data directory. The error is [fs.ErrNotExist] if there is none.
func Read(directory string) (Manifest, error) {
	content, err := os.ReadFile(filepath.Join(directory, ManifestName))
	if err != nil {
		return Manifest{}, err
	}
	return Decode(directory, content)
}

// Decode returns the manifest that the file in a data directory has.
func Decode(directory string, content []byte) (Manifest, error) {
	var found Manifest
	if err := json.Unmarshal(content, &found); err != nil || found.Format == 0 {
		return Manifest{}, fmt.Errorf("%s is damaged; restore it from a backup, it was not changed", filepath.Join(directory, ManifestName))
	}
	if found.Format > format {
		return Manifest{}, fmt.Errorf("the store in %s was written by %s and has the format %d, but this savedq reads formats up to %d; use that program or a newer one, or choose another --data directory",
			directory, found.Program, found.Format, format)
	}
	return found, nil
}

// Write replaces the manifest of a data directory. A crash leaves the old one or the new one.
func (m Manifest) Write(directory string) error {
	content, err := m.Encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(directory, ManifestName), content); err != nil {
		return fmt.Errorf("replace the manifest of the store: %w", err)
	}
	return nil
}

// IsIn reports whether the file in a data directory has this manifest. Writing it can fail after that.
func (m Manifest) IsIn(directory string) bool {
	content, err := m.Encode()
	found, readErr := os.ReadFile(filepath.Join(directory, ManifestName))
	return err == nil && readErr == nil && bytes.Equal(found, content)
}

// Encode returns the content of the manifest's file.
func (m Manifest) Encode() ([]byte, error) {
	m.Format = format
	content, err := json.MarshalIndent(m, "", " ")
	return append(content, '\n'), err
}

// With returns the manifest with other parts in the place of some, by their numbers.
func (m Manifest) With(removed, added []Part) Manifest {
	m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(part Part) bool {
		return slices.ContainsFunc(removed, func(other Part) bool { return other.Number == part.Number })
	})
	m.Parts = append(m.Parts, added...)
	return m
}

// RemoveOthers removes the files in a data directory that the manifest does not name: a crash leaves behind what it
// has not named yet, and what it names no more.
func (m *Manifest) RemoveOthers(directory string) error {
	named := map[string]bool{m.StateName(): m.State != 0}
	for i := range m.Parts {
		named[m.Parts[i].FileName()], named[m.Parts[i].IDName()] = true, true
	}
	entries, err := os.ReadDir(filepath.Join(directory, Directory))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if IsFile(entry.Name()) && !named[entry.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(directory, Directory, entry.Name())))
		}
	}
	return err
}

// IsFile reports whether a name in [Directory] is one that a store gives its files.
func IsFile(name string) bool {
	number, suffix, _ := strings.Cut(strings.TrimSuffix(name, ".wal"), ".")
	_, err := strconv.ParseUint(number, 10, 64)
	return err == nil && slices.Contains([]string{eventSuffix, idSuffix, stateSuffix, recentSuffix}, "."+suffix)
}
