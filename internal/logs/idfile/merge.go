package idfile

// Merge creates and opens a file with the hashes of others. If one of them is damaged, it fails, and
// leaves no file behind.
func Merge(path string, files []*File) (*File, error) {
	return write(path, func(yield func(uint64, error) bool) {
		var cursors []*cursor
		for _, file := range files {
			cursor := &cursor{file: file, place: -1}
			if more, err := cursor.next(); err != nil {
				yield(0, err)
				return
			} else if more {
				cursors = append(cursors, cursor)
			}
		}
		for len(cursors) > 0 {
			least := 0
			for i := range cursors {
				if cursors[i].hash < cursors[least].hash {
					least = i
				}
			}
			if !yield(cursors[least].hash, nil) {
				return
			}
			if more, err := cursors[least].next(); err != nil {
				yield(0, err)
				return
			} else if !more {
				cursors = append(cursors[:least], cursors[least+1:]...)
			}
		}
	})
}

// cursor reads the hashes of a file in their order.
type cursor struct {
	file  *File
	place int64
	// hash is the one at the place.
	hash uint64
}

// next reads the next hash. It returns false at the end.
func (c *cursor) next() (more bool, err error) {
	c.place++
	if c.place == c.file.hashes {
		return false, nil
	}
	block, index := int(c.place/blockHashes), int(c.place%blockHashes)
	if index == 0 {
		_, err = c.file.block(block)
	}
	c.hash = hashAt(c.file.content[block*blockBytes:], index)
	return err == nil, err
}
