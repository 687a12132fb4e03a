// Package memory finds out how much memory a process can take.
package memory

import (
	"errors"
	"fmt"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Available is how much memory there is, in bytes, and what has it: "container" or
// "machine".
type Available struct {
	Bytes int64
	Of    string
}

// Read returns the memory of the container, or of the machine if the container has no
// limit or a higher one. A container is a control group, of version 1 or 2.
func Read() (Available, error) {
	return read(memlimit.FromCgroup, memlimit.FromSystem)
}

func read(ofContainer, ofMachine memlimit.Provider) (Available, error) {
	machine, err := ofMachine()
	if err != nil || machine == 0 || machine > math.MaxInt64 {
		return Available{}, fmt.Errorf("find out how much memory the machine has: %w", errors.Join(err, fmt.Errorf("%d bytes", machine)))
	}
	container, err := ofContainer()
	if err != nil || container == 0 || container >= machine {
		// Without a control group, or a limit, there is an error for that.
		return Available{Bytes: int64(machine), Of: "machine"}, nil //nolint:nilerr // The machine bounds the process in any case.
	}
	return Available{Bytes: int64(container), Of: "container"}, nil //nolint:gosec // It is less than the machine has, which fits.
}
