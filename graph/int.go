package graph

import "math"

// IsInt reports whether a number fits GraphQL's Int, which has 32 bits (GraphQL, section
// 3.5.1).
func IsInt(number int64) bool { return number >= math.MinInt32 && number <= math.MaxInt32 }
