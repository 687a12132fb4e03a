package logstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"savedq/internal/durable"
)

// BackupFile is a file of a backup.
type BackupFile struct {
	// Name is its path in the data directory, with slashes.
	Name string
	Size int64
	// Content is valid until the function that receives it returns.
	Content io.Reader
}

// headerBytes is the length of the headers of DuckDB's file, which each checkpoint changes.
const headerBytes = 3 * 4096

// errBackupOfMemory is the error for a backup of a store in memory.
var errBackupOfMemory = errors.New("a store in memory cannot be backed up")

// Backup calls each for the files of a consistent copy of the store: all that is committed
// when it is called. Put into an empty data directory, they are a store.
//
// Neither readers nor writers wait for it: the file changes only in checkpoints, which wait
// until Backup returns, and what is committed meanwhile is added to the end of DuckDB's
// write-ahead log.
func (s *Store) Backup(ctx context.Context, each func(BackupFile) error) error {
	if s.file == "" {
		return errBackupOfMemory
	}
	if err := s.backUp(ctx, each); err != nil {
		return fmt.Errorf("back up the store: %w", err)
	}
	return nil
}

func (s *Store) backUp(ctx context.Context, each func(BackupFile) error) error {
	s.checkpoints.RLock()
	defer s.checkpoints.RUnlock()
	sizes, err := s.committedSizes(ctx)
	if err != nil {
		return err
	}
	before, err := headerOf(s.content)
	if err != nil {
		return err
	}
	if err := backUpFile(ctx, fileName, s.content, sizes[0], each); err != nil {
		return err
	}
	if err := s.backUpLog(ctx, sizes[1], each); err != nil {
		return err
	}
	after, err := headerOf(s.content)
	if err == nil && !bytes.Equal(before, after) {
		err = errors.New("its file changed meanwhile, because it was opened again or closed; run the backup again")
	}
	return err
}

// committedSizes returns the sizes of the store's file and of DuckDB's write-ahead log between
// two transactions.
func (s *Store) committedSizes(ctx context.Context) (sizes [2]int64, err error) {
	if err := s.beginWriting(ctx); err != nil {
		return sizes, err
	}
	defer s.writer.Release(1)
	info, err := os.Stat(s.file)
	if err != nil {
		return sizes, err
	}
	return [2]int64{info.Size(), s.UncheckpointedBytes()}, nil
}

func headerOf(file io.ReaderAt) ([]byte, error) {
	header := make([]byte, headerBytes)
	_, err := io.ReadFull(io.NewSectionReader(file, 0, headerBytes), header)
	return header, err
}

// backUpLog backs up DuckDB's write-ahead log, on which DuckDB has no lock.
func (s *Store) backUpLog(ctx context.Context, size int64, each func(BackupFile) error) error {
	if size == 0 {
		return nil
	}
	log, err := os.Open(s.file + ".wal")
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	return backUpFile(ctx, fileName+".wal", log, size, each)
}

func backUpFile(ctx context.Context, name string, file io.ReaderAt, size int64, each func(BackupFile) error) error {
	content := io.NewSectionReader(file, 0, size)
	if err := each(BackupFile{Name: name, Size: size, Content: &cancelableReader{ended: ctx.Err, reader: content}}); err != nil {
		return err
	}
	if read, err := content.Seek(0, io.SeekCurrent); err != nil || read < size {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	return nil
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

// BackupWriter writes a backup to a directory. The caller must call Discard at the end.
type BackupWriter struct {
	directory string
	// created reports whether the directory did not exist before.
	created bool
	// Further reports whether a backup has this file besides the files of the store. It must not accept
	// paths that leave the directory. Nil accepts none.
	Further func(name string) bool
	// written are the names of the files that are complete, but have temporary names.
	written []string
}

// partialSuffix ends the names of files of a backup that is not complete.
const partialSuffix = ".partial"

// NewBackupWriter returns a writer of a backup to a directory, which is created. It returns an
// error if the directory is not empty.
func NewBackupWriter(directory string) (*BackupWriter, error) {
	const ownerOnly = 0o700
	_, err := os.Stat(directory)
	created := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(directory, ownerOnly); err != nil {
		return nil, fmt.Errorf("create the directory of the backup: %w", err)
	}
	entries, err := os.ReadDir(directory)
	if err != nil {
		return nil, fmt.Errorf("read the directory of the backup: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty: it has %s; choose another directory for the backup", directory, entries[0].Name())
	}
	return &BackupWriter{directory: directory, created: created}, nil
}

// Write writes a file under a temporary name.
func (w *BackupWriter) Write(from BackupFile) (err error) {
	if from.Name != fileName && from.Name != fileName+".wal" && (w.Further == nil || !w.Further(from.Name)) {
		return fmt.Errorf("%q is not a file of a store", from.Name)
	}
	const ownerOnly, ownerOnlyFolder = 0o600, 0o700
	path := filepath.Join(w.directory, filepath.FromSlash(from.Name))
	if err := os.MkdirAll(filepath.Dir(path), ownerOnlyFolder); err != nil {
		return err
	}
	w.written = append(w.written, from.Name)
	file, err := os.OpenFile(path+partialSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, ownerOnly)
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

// Commit gives the files their names, the store last, so that an interrupted backup
// is not mistaken for a store.
func (w *BackupWriter) Commit() error {
	if len(w.written) == 0 || w.written[0] != fileName {
		return errors.New("the backup is incomplete: it does not begin with the store's file")
	}
	w.created = false // from here on, the directory has files that are kept
	folders := map[string]bool{w.directory: true}
	for _, name := range slices.Backward(w.written) {
		path := filepath.Join(w.directory, filepath.FromSlash(name))
		if err := os.Rename(path+partialSuffix, path); err != nil {
			return err
		}
		folders[filepath.Dir(path)] = true
	}
	for folder := range folders {
		if err := durable.SyncDirectory(folder); err != nil {
			return err
		}
	}
	w.written = nil
	return nil
}

// Holds reports whether a directory holds a store. An interrupted backup is not a store.
func Holds(directory string) bool {
	_, err := os.Stat(filepath.Join(directory, fileName))
	return err == nil
}

// Discard removes the files of a backup that was not committed, and the directory if the writer
// created it.
func (w *BackupWriter) Discard() error {
	var err error
	for _, name := range w.written {
		path := filepath.Join(w.directory, filepath.FromSlash(name))
		if removeErr := os.Remove(path + partialSuffix); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		if folder := filepath.Dir(path); folder != w.directory {
			_ = os.Remove(folder) // it may not be empty yet
		}
	}
	if w.created {
		err = errors.Join(err, os.Remove(w.directory))
	}
	return err
}
