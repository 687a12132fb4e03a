package logstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"savedq/internal/files/durable"
	"savedq/internal/logs/parts"
)

// BackupWriter writes a backup to a directory. The directory may have an earlier backup of the same store, whose parts
// are not written again. Until Commit, that one stays as it is. The caller must call Discard at the end.
type BackupWriter struct {
	// Further reports whether a backup has this file besides the files of the store. It must not accept paths that leave
	// the directory. Nil accepts none.
	Further func(name string) bool

	directory string
	// created reports whether the directory did not exist before.
	created bool
	// lock is held if the directory has an earlier backup.
	lock *os.File
	// earlier is what the directory has, and previous are backups elsewhere whose parts can be linked.
	earlier  *backup
	previous []*backup
	// manifest is the manifest of this backup, once it is written.
	manifest *parts.Manifest
	// written are the names of the files that are complete, but have temporary names.
	written []string
}

// backup is a complete backup.
type backup struct {
	directory string
	manifest  parts.Manifest
}

// partialSuffix ends the names of files of a backup that is not complete.
const partialSuffix = ".partial"

// NewBackupWriter returns a writer of a backup to a directory, which is created. It returns an error if the directory has
// anything but an earlier backup, or a store that is in use.
func NewBackupWriter(directory string) (_ *BackupWriter, err error) {
	const ownerOnly = 0o700
	w := &BackupWriter{directory: directory}
	if _, err := os.Stat(directory); errors.Is(err, fs.ErrNotExist) {
		w.created = true
	}
	if err := os.MkdirAll(directory, ownerOnly); err != nil {
		return nil, fmt.Errorf("create the directory of the backup: %w", err)
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("read the directory of the backup: %w", err)
	}
	if len(entries) == 0 {
		return w, nil
	}
	if !hasManifest(directory) {
		return nil, fmt.Errorf("%s is not empty: it has %s; choose another directory for the backup", directory, entries[0].Name())
	}
	if w.lock, err = lockDirectory(directory); err != nil {
		return nil, err
	}
	if w.earlier, err = readBackup(directory); err == nil {
		err = w.removeOthers(&w.earlier.manifest)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the earlier backup in %s: %w", directory, err), w.lock.Close())
	}
	return w, nil
}

func readBackup(directory string) (*backup, error) {
	manifest, err := parts.Read(directory)
	return &backup{directory, manifest}, err
}

// LinkFrom makes the writer link the parts that an earlier backup in another directory has, instead of writing them. If the
// file system has no links, it copies them.
func (w *BackupWriter) LinkFrom(directory string) error {
	previous, err := readBackup(directory)
	if err != nil {
		return fmt.Errorf("read the previous backup in %s: %w", directory, err)
	}
	w.previous = append(w.previous, previous)
	return nil
}

// HeldParts are the parts that the receiver of a backup has: their checksums, by the names of the files.
type HeldParts map[string]string

// Has reports whether the receiver has a part. Parts of other stores, or of another history of the store, have other
// checksums.
func (h HeldParts) Has(part *parts.Part) bool { return h[part.FileName()] == part.Checksum }

// Held returns the parts that need not be written.
func (w *BackupWriter) Held() HeldParts {
	held := make(HeldParts)
	for _, source := range append([]*backup{w.earlier}, w.previous...) {
		if source == nil {
			continue
		}
		for i := range source.manifest.Parts {
			if part := &source.manifest.Parts[i]; source.isWhole(part) && (source == w.earlier || !w.earlier.names(part)) {
				held[part.FileName()] = part.Checksum
			}
		}
	}
	return held
}

// isWhole reports whether the files of a part are there with their sizes.
func (b *backup) isWhole(part *parts.Part) bool {
	for name, size := range map[string]int64{part.FileName(): part.Bytes, part.IDName(): part.IDBytes} {
		info, err := os.Stat(filepath.Join(b.directory, parts.Directory, name))
		if err != nil || info.Size() != size {
			return false
		}
	}
	return true
}

// names reports whether a backup has a part with the number of another one.
func (b *backup) names(part *parts.Part) bool {
	return b != nil && slices.ContainsFunc(b.manifest.Parts, func(other parts.Part) bool { return other.Number == part.Number })
}

// namesEqual reports whether a backup has a part with the number and the content of another one.
func (b *backup) namesEqual(part *parts.Part) bool {
	return b != nil && slices.ContainsFunc(b.manifest.Parts, func(other parts.Part) bool {
		return other.Number == part.Number && other.Bytes == part.Bytes && other.Checksum == part.Checksum
	})
}

// has reports whether the files of a part are in a backup.
func (b *backup) has(part *parts.Part) bool { return b.namesEqual(part) && b.isWhole(part) }

// Write writes a file under a temporary name.
func (w *BackupWriter) Write(from BackupFile) error {
	if !w.isFile(from.Name) {
		return fmt.Errorf("%q is not a file of a store", from.Name)
	}
	target := w.path(from.Name) + partialSuffix
	const ownerOnly = 0o700
	if err := os.MkdirAll(filepath.Dir(target), ownerOnly); err != nil {
		return err
	}
	w.written = append(w.written, from.Name)
	if err := writeNew(target, from); err != nil {
		return err
	}
	if from.Name != parts.ManifestName {
		return nil
	}
	content, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	w.manifest = &parts.Manifest{}
	return json.Unmarshal(content, w.manifest)
}

func (w *BackupWriter) isFile(name string) bool {
	folder, file := path.Split(name)
	return name == parts.ManifestName || folder == parts.Directory+"/" && parts.IsFile(file) || w.Further != nil && w.Further(name)
}

func (w *BackupWriter) path(name string) string {
	return filepath.Join(w.directory, filepath.FromSlash(name))
}

// writeNew writes a new file, and makes its content durable.
func writeNew(target string, from BackupFile) (err error) {
	const ownerOnly = 0o600
	file, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, ownerOnly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	written, err := io.Copy(file, from.Content)
	if err != nil {
		return err
	}
	if written != from.Size {
		return fmt.Errorf("%s: %w", from.Name, io.ErrUnexpectedEOF)
	}
	return file.Sync()
}

// Commit gives the files their names, the manifest last, so that an interrupted backup is not mistaken for a store, and an
// earlier backup stays complete. Then it removes what only the earlier one has.
func (w *BackupWriter) Commit() error {
	if w.manifest == nil {
		return errors.New("the backup is incomplete: it has no manifest")
	}
	if err := w.checkEarlier(); err != nil {
		return err
	}
	if err := w.linkParts(); err != nil {
		return err
	}
	w.created = false // from here on, the directory has files that are kept
	kept := make(map[string]bool)
	folders := map[string]bool{w.directory: true}
	for _, name := range w.written {
		kept[name] = true
		if name == parts.ManifestName {
			continue
		}
		if err := os.Rename(w.path(name)+partialSuffix, w.path(name)); err != nil {
			return err
		}
		folders[filepath.Dir(w.path(name))] = true
	}
	for folder := range folders {
		if err := durable.SyncDirectory(folder); err != nil {
			return err
		}
	}
	if err := os.Rename(w.path(parts.ManifestName)+partialSuffix, w.path(parts.ManifestName)); err != nil {
		return err
	}
	w.written = nil
	return errors.Join(durable.SyncDirectory(w.directory), w.removeFurther(kept), w.removeOthers(w.manifest))
}

// checkEarlier returns an error if this backup must not replace the earlier one in the directory.
func (w *BackupWriter) checkEarlier() error {
	if w.earlier == nil {
		return nil
	}
	before := &w.earlier.manifest
	switch {
	case before.Store != w.manifest.Store:
		return fmt.Errorf("%s has a backup of another store; choose another directory for the backup", w.directory)
	case before.Next > w.manifest.Next:
		return fmt.Errorf("%s has a later backup of the store, or the store itself; choose another directory for the backup", w.directory)
	}
	for i := range w.manifest.Parts {
		if part := &w.manifest.Parts[i]; w.earlier.names(part) && !w.earlier.namesEqual(part) {
			return fmt.Errorf("%s has a backup of another history of the store, in which %s has other events; choose another directory for the backup", w.directory, part.FileName())
		}
	}
	return nil
}

// linkParts links the parts that were not written, and are not there either.
func (w *BackupWriter) linkParts() error {
	for i := range w.manifest.Parts {
		part := &w.manifest.Parts[i]
		if w.earlier.has(part) || slices.Contains(w.written, path.Join(parts.Directory, part.FileName())) {
			continue
		}
		at := slices.IndexFunc(w.previous, func(previous *backup) bool { return previous.has(part) })
		if at < 0 {
			return fmt.Errorf("the backup is incomplete: it lacks %s", part.FileName())
		}
		for _, file := range []string{part.FileName(), part.IDName()} {
			name := path.Join(parts.Directory, file)
			w.written = append(w.written, name)
			if err := linkOrCopy(filepath.Join(w.previous[at].directory, parts.Directory, file), w.path(name)+partialSuffix); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkOrCopy links a file, or copies it where that is not possible.
func linkOrCopy(from, to string) error {
	const ownerOnly = 0o700
	if err := os.MkdirAll(filepath.Dir(to), ownerOnly); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return writeNew(to, BackupFile{Name: from, Size: info.Size(), Content: file})
}

// removeOthers removes the files of the store that a manifest does not name, and those with temporary names.
func (w *BackupWriter) removeOthers(named *parts.Manifest) error {
	return errors.Join(named.RemoveOthers(w.directory), w.removeIf(func(name string) bool { return strings.HasSuffix(name, partialSuffix) }))
}

// removeFurther removes the further files that the backup does not have any more.
func (w *BackupWriter) removeFurther(kept map[string]bool) error {
	return w.removeIf(func(name string) bool { return w.Further != nil && w.Further(name) && !kept[name] })
}

func (w *BackupWriter) removeIf(isOld func(name string) bool) error {
	return fs.WalkDir(os.DirFS(w.directory), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isOld(name) {
			return err
		}
		return os.Remove(w.path(name)) //nolint:gosec // Only the owner of the directory could change it meanwhile.
	})
}

// Discard removes the files of a backup that was not committed, and the directory if the writer created it.
func (w *BackupWriter) Discard() error {
	var err error
	for _, name := range w.written {
		if removeErr := os.Remove(w.path(name) + partialSuffix); !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		if folder := filepath.Dir(w.path(name)); folder != w.directory {
			_ = os.Remove(folder) // it may not be empty yet
		}
	}
	w.written = nil
	if w.created {
		w.created = false
		err = errors.Join(err, os.Remove(w.directory))
	}
	if w.lock != nil {
		err = errors.Join(err, w.lock.Close())
		w.lock = nil
	}
	return err
}
