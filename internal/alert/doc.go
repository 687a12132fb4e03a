// Package alert checks conditions on the rows of saved queries, and sends messages when they begin
// and end. Its parts know little of each other: the state machine of an alert, the book that stores
// states together with the messages that follow from them, the keeper that checks alerts in time, and
// the deliverer that sends messages to targets.
package alert
