//go:build !linux

package sqlcheck

// memoryWatch does nothing, because only Linux reports the memory of a process cheaply. The
// time limit still holds.
type memoryWatch struct{}

func newMemoryWatch(int64) memoryWatch { return memoryWatch{} }

func (memoryWatch) start(func()) (stop func()) { return func() {} }
