// Package demo makes demo logs: a week of all nine log sources, and live events
// that continue it, so that a new user sees real answers at once.
//
// Nothing in them is left to chance. What happens in a minute is a pure function
// of the seed, the source and the minute, so any stretch of time can be made
// again, event for event: a gap is filled after a restart without a record of
// what was written before, and the live events are the ones that a later fill
// would have made.
package demo
