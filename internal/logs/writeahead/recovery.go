package writeahead

import "fmt"

// Recovery is what opening a log found.
type Recovery struct {
	// Records is the number of records that were passed on.
	Records int
	// Damages are the parts of files that cannot be read.
	Damages []Damage
}

// Damage is a part of a file that holds no intact record.
type Damage struct {
	Path string
	// Offset and Bytes are its place in the file.
	Offset, Bytes int64
	// Unfinished is true if the file ends with the beginning of a record. A crash during an
	// append leaves that, and nobody was told that the record is safe. A file that was cut off
	// looks the same.
	Unfinished bool
}

// String describes the damage for the operator.
func (d Damage) String() string {
	if d.Unfinished {
		return fmt.Sprintf("%s ends with %d bytes of an unfinished record at byte %d: a crash interrupted a write that was never acknowledged, or the file was cut off; every record before it is kept",
			d.Path, d.Bytes, d.Offset)
	}
	return fmt.Sprintf("%s is damaged: %d bytes at byte %d are not what was written; every record before and after them is kept, and the file is kept as %s once its records are stored",
		d.Path, d.Bytes, d.Offset, d.Path+damagedSuffix)
}
