// Package demo generates demo logs: a week of all nine log sources, and live events that
// continue it, so that a new user sees results at once.
//
// The events of a minute are a pure function of the seed, the source and the minute. Any
// period can be generated again, event for event. After a restart a gap is filled without
// a record of what was written before, and live events are the ones that a later fill
// would generate.
package demo
