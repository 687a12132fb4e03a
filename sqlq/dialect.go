package sqlq

// Dialect is the language that an engine's SQL is written in. Each engine has its own.
// Implementations can be compared with ==.
type Dialect interface {
	// Name is the name of the engine. With ".sql" it is the name of the engine's file in
	// the folder of a saved query.
	Name() string
	// ParamPrefix stands before the name of a parameter, such as "$".
	ParamPrefix() string
	// TokenLength returns the length of the token that a non-empty SQL text begins with. A
	// string, a quoted name, a comment and a parameter with its prefix are one token each.
	TokenLength(sql string) int
	// IsComment reports whether a token is a comment.
	IsComment(token string) bool
	// ParserToken returns a token as DuckDB's parser reads it: with its quotes, and with its prefix of
	// parameters. It depends on the token before, and the text after.
	ParserToken(before, token, after string) string
	// FromGoogleSQL returns what the engine runs for a text in GoogleSQL (D38), which uses the parameters of
	// the saved query. The error has the place of what cannot be translated.
	FromGoogleSQL(query *SavedQuery, written string) (*Translation, error)
	// BoundedTable returns the common table expression that hides a table behind its rows from
	// [FromParam] to [ToParam]. If from is not empty, the rows are from there instead of the table.
	BoundedTable(table, from string) string
}
