package memory

import (
	"errors"
	"math"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gives is a provider that gives bytes, or an error.
func gives(bytes uint64, err error) memlimit.Provider {
	return func() (uint64, error) { return bytes, err }
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		container, machine memlimit.Provider
		want               Available
		err                string
	}{
		"container":               {gives(512, nil), gives(1024, nil), Available{512, "container"}, ""},
		"no limit":                {gives(0, memlimit.ErrNoLimit), gives(1024, nil), Available{1024, "machine"}, ""},
		"no control group":        {gives(0, memlimit.ErrNoCgroup), gives(1024, nil), Available{1024, "machine"}, ""},
		"another system":          {gives(0, memlimit.ErrCgroupsNotSupported), gives(1024, nil), Available{1024, "machine"}, ""},
		"limit above the machine": {gives(2048, nil), gives(1024, nil), Available{1024, "machine"}, ""},
		"limit of nothing":        {gives(0, nil), gives(1024, nil), Available{1024, "machine"}, ""},
		"unknown":                 {gives(512, nil), gives(0, nil), Available{}, "find out how much memory the machine has: 0 bytes"},
		"too much":                {gives(512, nil), gives(math.MaxUint64, nil), Available{}, "find out how much memory the machine has"},
		"failure":                 {gives(512, nil), gives(0, errors.New("no permission")), Available{}, "no permission"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(test.container, test.machine)
			assert.Equal(t, test.want, got)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
		})
	}
}

// The machine that runs the test has some memory.
func TestReadOfThisMachine(t *testing.T) {
	t.Parallel()
	available, err := Read()
	require.NoError(t, err)
	assert.Greater(t, available.Bytes, int64(64<<20))
	assert.Contains(t, []string{"container", "machine"}, available.Of)
}
