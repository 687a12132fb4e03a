package logstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"savedq/internal/durable"
	"savedq/internal/logs/idfile"
	"savedq/sqlq"
)

const (
	// idDirectory holds the files of ids, in the data directory.
	idDirectory = "ids"
	// bytesPerID is the part of a transaction's memory that it takes to hold one more hash: in
	// 32 MiB, an index holds a million.
	bytesPerID = 32
	// mergeRatio is how much larger a file may be than what is merged into it. So a source has
	// few files, and a load seldom rewrites large ones.
	mergeRatio = 8
	// staleIDs is how many times more ids than rows an index may have, because rows were
	// deleted, and staleAnyway is a number that is too small to matter.
	staleIDs    = 2
	staleAnyway = 1_000_000
)

// idIndex is an index of the ids of a source, so that a load need not read all of them. It has
// the first 64 bits of their fingerprints, in a few sorted files beside the store; see
// [idfile].
//
// The table id_indexes has the names of the files, and the number of rows, from the first one of
// the source's table, whose ids they have. A load changes that in its last commit, and reads the
// ids of later rows when it begins. Other writers only add rows at the end, and reduce the number
// when they delete some, so that rows that move to the front are read again. Thus the index has
// all ids of the source, and perhaps those of deleted events. What it suspects is looked up in
// the table. If a file is missing or damaged, the index is built again.
//
// An idIndex is one of the store's writer. It is not safe for concurrent use.
type idIndex struct {
	directory string
	source    *sqlq.Table
	// rows is the number of rows whose ids are in the files.
	rows int64
	// files have ids of earlier commits, the oldest first.
	files []*idfile.File
	// most limits the hashes in the buffer.
	most int
	// buffer and spilled have ids that the transaction adds.
	buffer  []uint64
	spilled []*idfile.File
	// obsolete are files that are not needed once the transaction is committed.
	obsolete []*idfile.File
}

// openIDIndex opens the index of a source, which may lag behind the table.
func openIDIndex(ctx context.Context, conn *sql.Conn, store *Store, source *sqlq.Table, rows int64) (*idIndex, error) {
	index := &idIndex{directory: filepath.Join(store.directory, idDirectory), source: source, most: max(store.limits.flushBytes/bytesPerID, 1)}
	var names string
	err := conn.QueryRowContext(ctx, "SELECT row_count, files FROM id_indexes WHERE table_name = ?", source.Name).Scan(&index.rows, &names)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read the index of the ids of %s: %w", source.Name, err)
	}
	if !index.open(strings.Fields(names)) || index.rows > rows || index.count() > staleIDs*rows+staleAnyway {
		_ = closeFiles(index.files)
		index.files, index.rows = nil, 0
	}
	return index, index.removeOthers()
}

// open opens the files. It returns false if one is missing or damaged.
func (x *idIndex) open(names []string) bool {
	for _, name := range names {
		file, err := idfile.Open(filepath.Join(x.directory, name))
		if err != nil {
			return false
		}
		x.files = append(x.files, file)
	}
	return true
}

// removeOthers removes files of the source that the index does not use. A crash leaves them
// behind.
func (x *idIndex) removeOthers() error {
	const ownerOnly = 0o700
	if err := os.MkdirAll(x.directory, ownerOnly); err != nil {
		return err
	}
	entries, err := os.ReadDir(x.directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		used := slices.ContainsFunc(x.files, func(file *idfile.File) bool { return filepath.Base(file.Name()) == entry.Name() })
		if strings.HasPrefix(entry.Name(), x.prefix()) && !used {
			if err := os.Remove(filepath.Join(x.directory, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// prefix is the beginning of the names of the source's files.
func (x *idIndex) prefix() string { return x.source.Name + "." }

// count returns the number of ids in the files.
func (x *idIndex) count() int64 {
	count := int64(0)
	for _, file := range x.files {
		count += file.Len()
	}
	return count
}

// find sets known for each hash that the files may have. It does not look at those that were
// added since the index was opened or settled. It uses all processors, because most of the time
// they wait for memory.
func (x *idIndex) find(hashes []uint64, known []bool) {
	const fewHashes = 512 // for which another goroutine is not worth while
	if len(x.files) == 0 {
		return
	}
	size := max(len(hashes)/runtime.GOMAXPROCS(0)+1, fewHashes)
	var finding sync.WaitGroup
	for first := 0; first < len(hashes); first += size {
		finding.Go(func() {
			for i := first; i < min(first+size, len(hashes)); i++ {
				known[i] = known[i] || x.mayHave(hashes[i])
			}
		})
	}
	finding.Wait()
}

func (x *idIndex) mayHave(hash uint64) bool {
	return slices.ContainsFunc(x.files, func(file *idfile.File) bool { return file.MayHave(hash) })
}

// add adds hashes.
func (x *idIndex) add(hashes ...uint64) error {
	for _, hash := range hashes {
		x.buffer = append(x.buffer, hash)
		if len(x.buffer) >= x.most {
			if err := x.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// spill moves the hashes in memory to a file.
func (x *idIndex) spill() error {
	if len(x.buffer) == 0 {
		return nil
	}
	slices.Sort(x.buffer)
	file, err := idfile.Write(x.newPath(), x.buffer)
	if err != nil {
		return err
	}
	x.spilled, x.buffer = append(x.spilled, file), x.buffer[:0]
	return nil
}

func (x *idIndex) newPath() string {
	return filepath.Join(x.directory, x.prefix()+uuid.NewString())
}

// settle moves all added hashes to the files that mayHave looks at. It merges files, so that
// there are few.
func (x *idIndex) settle() error {
	if err := x.spill(); err != nil {
		return err
	}
	added := int64(0)
	for _, file := range x.spilled {
		added += file.Len()
	}
	if added == 0 {
		return nil
	}
	larger := len(x.files)
	for larger > 0 && x.files[larger-1].Len() <= mergeRatio*added {
		larger--
		added += x.files[larger].Len()
	}
	merged := x.files[larger:]
	if parts := slices.Concat(merged, x.spilled); len(parts) > 1 {
		file, err := idfile.Merge(x.newPath(), parts)
		if err != nil {
			return err
		}
		written := x.spilled
		x.spilled = []*idfile.File{file}
		if err := removeFiles(written); err != nil {
			return err
		}
	}
	x.obsolete = append(x.obsolete, merged...)
	x.files = append(x.files[:larger:larger], x.spilled...)
	x.spilled = nil
	return nil
}

// reset forgets all files, so that the index is built again.
func (x *idIndex) reset() {
	x.obsolete = append(append(x.obsolete, x.files...), x.spilled...)
	x.files, x.spilled, x.buffer, x.rows = nil, nil, nil, 0
}

// save makes the files durable, and records them in the connection's transaction. The files
// must have the ids of all rows that the table has then. If an earlier file is damaged, the
// next load builds the index again.
func (x *idIndex) save(ctx context.Context, conn *sql.Conn) error {
	if _, err := conn.ExecContext(ctx, "DELETE FROM id_indexes WHERE table_name = ?", x.source.Name); err != nil {
		return err
	}
	if err := x.settle(); errors.Is(err, idfile.ErrDamaged) {
		return nil
	} else if err != nil {
		return err
	}
	if err := durable.SyncDirectory(x.directory); err != nil {
		return err
	}
	rows, err := countRows(ctx, conn, x.source.Name)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(x.files))
	for _, file := range x.files {
		names = append(names, filepath.Base(file.Name()))
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO id_indexes VALUES (?, ?, ?)", x.source.Name, rows, strings.Join(names, " "))
	return err
}

// close closes the files. If the transaction was committed, it removes those that are not needed
// any more. Otherwise the next writer does.
func (x *idIndex) close(committed bool) error {
	err := closeFiles(append(x.files, x.spilled...))
	if !committed {
		return errors.Join(err, closeFiles(x.obsolete))
	}
	return errors.Join(err, removeFiles(x.obsolete))
}

func closeFiles(files []*idfile.File) error {
	var errs []error
	for _, file := range files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}

// removeFiles closes and removes files.
func removeFiles(files []*idfile.File) error {
	errs := []error{closeFiles(files)}
	for _, file := range files {
		if err := os.Remove(file.Name()); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// forgetIndexed notes in the connection's transaction that rows of a table were deleted, so that
// the ids of later ones may be read again.
func forgetIndexed(ctx context.Context, conn *sql.Conn, table string, deleted int64) error {
	if deleted == 0 {
		return nil
	}
	_, err := conn.ExecContext(ctx, "UPDATE id_indexes SET row_count = greatest(row_count - ?, 0) WHERE table_name = ?", deleted, table)
	return err
}
