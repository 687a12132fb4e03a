package graph

import "math"

// IsInt says whether GraphQL's Int, which has 32 bits, can hold a number (GraphQL,
// section 3.5.1).
func IsInt(number int64) bool { return number >= math.MinInt32 && number <= math.MaxInt32 }
