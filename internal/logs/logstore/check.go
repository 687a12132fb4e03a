package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"savedq/internal/logs/idfile"
	"savedq/internal/logs/parts"
)

// DamagedPart is a file of the store that is missing or damaged.
type DamagedPart struct {
	// Name is the name of the file in the data directory, and Reason what is wrong with it.
	Name, Reason string
	// Part is what the part has; nil for a file that has no events.
	Part *parts.Part
}

// String describes the damage for an operator.
func (d DamagedPart) String() string {
	if d.Part == nil {
		return fmt.Sprintf("%s is damaged: %s; it has the rejected events and the runs of saved queries, and no log events", d.Name, d.Reason)
	}
	return fmt.Sprintf("%s is damaged: %s; it has %s", d.Name, d.Reason, describePart(d.Part))
}

// describePart describes the events of a part: its sources, and their days.
func describePart(part *parts.Part) string {
	var names []string
	var oldest, newest time.Time
	for i, source := range part.Sources {
		names = append(names, source.Name)
		if i == 0 || source.Oldest.Before(oldest) {
			oldest = source.Oldest
		}
		if source.Newest.After(newest) {
			newest = source.Newest
		}
	}
	days := oldest.UTC().Format(time.DateOnly)
	if last := newest.UTC().Format(time.DateOnly); last != days {
		days += " to " + last
	}
	return fmt.Sprintf("%d events of %s (%s)", part.Events(), days, strings.Join(names, ", "))
}

// Check verifies all files of the store in a directory, which may be in use, and calls each for those that are missing or
// damaged. It reads all of them.
func Check(ctx context.Context, directory string, each func(DamagedPart)) error {
	manifest, err := parts.Read(directory)
	if err != nil {
		return fmt.Errorf("check the store in %s: %w", directory, err)
	}
	for i := range manifest.Parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		damaged, err := checkPart(directory, &manifest.Parts[i])
		if err != nil {
			return fmt.Errorf("check the store in %s: %w", directory, err)
		}
		if damaged == nil {
			continue
		}
		needed, err := isNeeded(directory, damaged.Part)
		if err != nil {
			return fmt.Errorf("check the store in %s: %w", directory, err)
		}
		if needed {
			each(*damaged)
		}
	}
	return checkState(ctx, directory, &manifest, each)
}

// isNeeded reports whether the manifest still names a part, which the process with the store may have removed.
func isNeeded(directory string, part *parts.Part) (bool, error) {
	manifest, err := parts.Read(directory)
	return slices.ContainsFunc(manifest.Parts, func(other parts.Part) bool { return other.Number == part.Number }), err
}

// checkPart returns what is wrong with a part, or nil.
func checkPart(directory string, part *parts.Part) (*DamagedPart, error) {
	wrong, err := part.Check(directory)
	if err != nil {
		return nil, err
	}
	if wrong != "" {
		return &DamagedPart{part.FileName(), wrong, part}, nil
	}
	if err := checkIDs(directory, part); err != nil {
		return &DamagedPart{part.IDName(), err.Error(), part}, nil //nolint:nilerr // The damage is the result.
	}
	return nil, nil //nolint:nilnil // Nothing is wrong.
}

// checkIDs returns what is wrong with the ids of a part.
func checkIDs(directory string, part *parts.Part) error {
	path := filepath.Join(directory, parts.Directory, part.IDName())
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it is missing")
	case err != nil:
		return err
	case info.Size() != part.IDBytes:
		return fmt.Errorf("it has %d bytes instead of %d", info.Size(), part.IDBytes)
	}
	file, err := idfile.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Check(), file.Close())
}

// checkState checks the file with everything that is not events. DuckDB's checksums are in it.
func checkState(ctx context.Context, directory string, manifest *parts.Manifest, each func(DamagedPart)) error {
	if manifest.State == 0 {
		return nil
	}
	wrong, err := readAll(ctx, filepath.Join(directory, parts.Directory), manifest.StateName())
	if err != nil || wrong == nil {
		return err
	}
	latest, err := parts.Read(directory)
	if err == nil && latest.State == manifest.State {
		each(DamagedPart{Name: manifest.StateName(), Reason: reasonOf(wrong)})
	}
	return err
}

// readAll reads the state from a file, and returns what is wrong with it.
func readAll(ctx context.Context, directory, name string) (wrong, err error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	config := newConfig("", "", WithReadableDirectories(absolute))
	_, db, err := config.openDuckDB(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, wrong = db.ExecContext(ctx, "ATTACH "+quoted(filepath.Join(absolute, name))+" AS state (READ_ONLY)"); wrong != nil {
		return wrong, nil
	}
	for table := range stateTables() {
		var hash sql.NullString
		if wrong = db.QueryRowContext(ctx, "SELECT sum(hash(rows))::VARCHAR FROM state."+table+" AS rows").Scan(&hash); wrong != nil {
			return wrong, nil
		}
	}
	return nil, nil
}
