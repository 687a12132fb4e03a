package googlesql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/googlesql"
)

// The limit of a row of callers' SQL follows from the memory and the threads.
func TestRowBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		memory  int64
		threads int
		want    int
	}{
		{0, 0, 4 << 10},
		{32 << 20, 2, 4 << 10},
		{200 << 20, 2, 20971},
		{200 << 20, 16, 6400},
		{2 << 30, 2, 128 << 10},
		{1 << 40, 64, 128 << 10},
	} {
		assert.Equal(t, test.want, googlesql.RowBytes(test.memory, test.threads), test)
	}
}
