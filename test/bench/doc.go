// Package bench measures response times, each beside a minimal implementation, so that
// the ratio shows what savedq adds. It has only benchmarks; "make bench" prints the
// ratios.
package bench
