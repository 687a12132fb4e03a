// Package runlog notes the runs of saved queries in the table savedq_runs of the store, without delaying them.
package runlog

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"strings"
	"time"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Caller identifies the source of a run.
type Caller struct {
	// Interface is the name of the interface.
	Interface string
	// Token is the name of the token, or of the issuer of a signed one, whose Subject can be empty.
	Token, Subject string
}

// run is a run as the buffer has it. It refers to no rows, so that the cache decides how long they are in memory.
type run struct {
	Caller
	began          time.Time
	duration       time.Duration
	query, project string
	// arguments identify the arguments, or are already their hash.
	arguments   string
	isHash      bool
	cache, code string
	rows, bytes int64
}

// mostArgumentBytes limits the arguments that wait in the buffer. Longer ones are hashed at once.
const mostArgumentBytes = 4 << 10

// setArguments notes what identifies the arguments.
func (r *run) setArguments(text string) {
	r.arguments = text
	if len(text) > mostArgumentBytes {
		r.arguments, r.isHash = hash(text), true
	}
}

// row returns the run as a row of the table.
func (r *run) row() []driver.Value {
	arguments := r.arguments
	if arguments != "" && !r.isHash {
		arguments = hash(arguments)
	}
	return []driver.Value{
		r.began.UTC(), r.query, r.Interface, orNull(r.Token), orNull(r.Subject), orNull(r.project), orNull(arguments), orNull(r.cache),
		r.rows, r.bytes, float64(r.duration.Microseconds()) / 1000, orNull(r.code),
	}
}

// mostTextBytes limits a text of a run, such as the subject of a token.
const mostTextBytes = 256

// orNull returns a text of bounded length, or NULL for an empty one.
func orNull(text string) driver.Value {
	if text == "" {
		return nil
	}
	return strings.ToValidUTF8(text[:min(len(text), mostTextBytes)], "")
}

// hash returns the hash of what identifies arguments.
func hash(text string) string {
	const kept = 8
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:kept])
}

// projectOf returns the only value of the parameters with the scope project; empty if there is none, or several.
func projectOf(args []sqlq.Arg, params []sqlq.Param) (project string) {
	for i := range args {
		if i >= len(params) || params[i].Name != args[i].Name || params[i].Scope != sqlq.ScopeProject || args[i].Value == nil {
			continue
		}
		value := args[i].Value
		if list, isList := value.([]any); isList {
			if len(list) != 1 {
				return ""
			}
			value = list[0]
		}
		text, _ := value.(string)
		if project != "" && project != text {
			return ""
		}
		project = text
	}
	return project
}

// argumentsOf returns what identifies the arguments of a response: those alone, so that they have the same hash after
// the saved query has changed; of SQL of a caller, which is another query each time, all of its key.
func argumentsOf(response *runner.Response) string {
	if response.Query.Callers != nil {
		return response.Key
	}
	if at := strings.Index(response.Key, "?"); at >= 0 {
		return response.Key[at:]
	}
	return runner.KeyOfArgs(response.Args)
}
