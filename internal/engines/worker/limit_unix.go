//go:build unix && !linux

package worker

import "syscall"

// attributes keeps the process away from the signals of the terminal.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// limit does nothing but for core dumps: only Linux has a limit of the memory that holds.
func limit(int64) error { return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) }
