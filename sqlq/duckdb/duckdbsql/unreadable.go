package duckdbsql

// UnreadablePrefix begins the message of the error that a view of the store raises in place of rows that cannot be read,
// because their file is damaged. SQL has no other way to tell it from mistakes of a query.
const UnreadablePrefix = "the log events of this time cannot be read: "
