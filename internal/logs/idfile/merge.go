package idfile

// Merge creates and opens a file with the hashes of others. If one of them is damaged, it fails, and
// leaves no file behind.
func Merge(path string, files []*File) (*File, error) {
	return write(path, func(yield func(uint64, error) bool) {
		if err := merge(files, func(hash uint64) bool { return yield(hash, nil) }); err != nil {
			yield(0, err)
		}
	})
}

func merge(files []*File, yield func(hash uint64) bool) error {
	cursors := make([]*cursor, 0, len(files))
	for _, file := range files {
		if file.Len() == 0 {
			continue
		}
		cursor := &cursor{file: file}
		if err := cursor.start(); err != nil {
			return err
		}
		cursors = append(cursors, cursor)
	}
	for len(cursors) > 0 {
		least := 0
		for i := range cursors {
			if cursors[i].hash < cursors[least].hash {
				least = i
			}
		}
		if !yield(cursors[least].hash) {
			return nil
		}
		more, err := cursors[least].next()
		if err != nil {
			return err
		}
		if !more {
			cursors = append(cursors[:least], cursors[least+1:]...)
		}
	}
	return nil
}

// cursor reads the hashes of a file in their order.
type cursor struct {
	file *File
	// hash is the current one, at an index of a block with a number.
	hash          uint64
	block         []byte
	number, index int
}

// start reads the first hash. The file must have one.
func (c *cursor) start() (err error) {
	c.block, err = c.file.block(0)
	c.hash = hashAt(c.file.firsts, 0)
	return err
}

// next reads the next hash. It returns false at the end.
func (c *cursor) next() (more bool, err error) {
	c.index++
	if c.index == blockHashes {
		c.index = 0
		c.number++
		if c.number == c.file.blocks() {
			return false, nil
		}
		if c.block, err = c.file.block(c.number); err != nil {
			return false, err
		}
	}
	next := hashAt(c.block, c.index)
	repeated := next == c.hash && c.index > 0 // the last block is filled with its last hash
	c.hash = next
	return !repeated, nil
}
