// Package memory tests how much memory the program takes. It has no other tests: the largest
// memory that Linux reports for a process is at least the memory of the process that has started it, so that one
// must be small.
package memory
