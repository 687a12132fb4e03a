package format

import "savedq/sqlq"

// envelope returns the rows as {"result":[…]} (D12).
func envelope(result *sqlq.Result) []byte {
	return append(result.AppendJSON([]byte(`{"result":`)), '}')
}
