package cli

import "savedq/sqlq"

// byteSize is a number of bytes that is written like 10GiB, 500 MB or 1000.
type byteSize int64

// UnmarshalText parses a size; see [sqlq.ParseBytes].
func (s *byteSize) UnmarshalText(text []byte) error {
	bytes, err := sqlq.ParseBytes(string(text))
	if err == nil {
		*s = byteSize(bytes)
	}
	return err
}

// String returns the size in a readable unit.
func (s byteSize) String() string { return sqlq.FormatBytes(int64(s)) }
