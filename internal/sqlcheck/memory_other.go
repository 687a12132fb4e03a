//go:build !linux

package sqlcheck

// watchMemory does nothing, because only Linux tells a process at little cost how much
// memory it takes. The time of a check is limited all the same.
func watchMemory(int64, func()) {}
