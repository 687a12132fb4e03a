package logstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"savedq/internal/logs/parts"
)

// BackupFile is a file of a backup.
type BackupFile struct {
	// Name is its path in the data directory, with slashes.
	Name string
	Size int64
	// Content is valid until the function that receives it returns.
	Content io.Reader
}

// BackupOptions are what a backup leaves out.
type BackupOptions struct {
	// Skip reports whether the receiver has the files of a part; see [HeldParts.Has]. Nil means that it has none.
	Skip func(part *parts.Part) bool
}

// errBackupOfMemory is the error for a backup of a store in memory.
var errBackupOfMemory = errors.New("a store in memory cannot be backed up")

// Backup calls each for the files of a consistent copy of the store: at least all that is visible when it is called. Put
// into an empty data directory, they are a store. The manifest is the last one.
//
// Backup writes what is in memory to parts first, so that the copy needs no write-ahead log of ingest. Neither readers nor
// writers wait: parts do not change, and those that are removed meanwhile stay open until Backup returns.
func (s *Store) Backup(ctx context.Context, options BackupOptions, each func(BackupFile) error) error {
	if s.config.directory == "" {
		return errBackupOfMemory
	}
	if _, err := s.Checkpoint(ctx); err != nil {
		return fmt.Errorf("back up the store: %w", err)
	}
	if err := s.backUp(ctx, options, each); err != nil {
		return fmt.Errorf("back up the store: %w", err)
	}
	return nil
}

func (s *Store) backUp(ctx context.Context, options BackupOptions, each func(BackupFile) error) (err error) {
	manifest, files, err := s.openFiles(ctx, options)
	defer func() { err = errors.Join(err, closeAll(files)) }()
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := backUpFile(ctx, file, each); err != nil {
			return err
		}
	}
	content, err := manifest.Encode()
	if err != nil {
		return err
	}
	return each(BackupFile{Name: parts.ManifestName, Size: int64(len(content)), Content: bytes.NewReader(content)})
}

// openFiles opens the files that a manifest names. If one of them is removed before it is open, there is a later manifest.
func (s *Store) openFiles(ctx context.Context, options BackupOptions) (manifest parts.Manifest, files []*os.File, err error) {
	for {
		manifest = s.current()
		if err = s.restoreAllIDs(ctx, manifest.Parts); err == nil {
			files, err = openNamed(s, &manifest, options)
		}
		if !errors.Is(err, errReplaced) && (!errors.Is(err, fs.ErrNotExist) || s.isCurrent(&manifest)) {
			return manifest, files, err
		}
		_ = closeAll(files) // they were only read
	}
}

// openNamed opens the files that a manifest names. The caller must close them, also after an error.
func openNamed(s *Store, manifest *parts.Manifest, options BackupOptions) (files []*os.File, err error) {
	var names []string
	for i := range manifest.Parts {
		if part := &manifest.Parts[i]; options.Skip == nil || !options.Skip(part) {
			names = append(names, part.FileName(), part.IDName())
		}
	}
	if manifest.State != 0 {
		names = append(names, manifest.StateName())
	}
	for _, name := range names {
		file, err := os.Open(s.path(name))
		if err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

// isCurrent reports whether a manifest names the files of the store.
func (s *Store) isCurrent(manifest *parts.Manifest) bool {
	current := s.current()
	return current.Next == manifest.Next && current.State == manifest.State && len(current.Parts) == len(manifest.Parts)
}

func backUpFile(ctx context.Context, file *os.File, each func(BackupFile) error) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	content := io.NewSectionReader(file, 0, info.Size())
	if err := each(BackupFile{Name: path.Join(parts.Directory, info.Name()), Size: info.Size(), Content: &cancelableReader{ended: ctx.Err, reader: content}}); err != nil {
		return err
	}
	if read, err := content.Seek(0, io.SeekCurrent); err != nil || read < info.Size() {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	return nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, file := range files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// cancelableReader fails as soon as its context has ended.
type cancelableReader struct {
	ended  func() error
	reader io.Reader
}

func (r *cancelableReader) Read(buffer []byte) (int, error) {
	if err := r.ended(); err != nil {
		return 0, err
	}
	return r.reader.Read(buffer)
}
