package graphqlhttp_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// Freshness is reported by response key, which is the alias if there is one, and reports
// whether rows were truncated (D24).
func TestFreshnessByResponseKey(t *testing.T) {
	t.Parallel()
	queryRunner := runnerReturning(t)
	inner := queryRunner.run
	queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
		response, err := inner(ctx, request)
		if request.Params["project"][0] == "many" {
			response.Result.Truncated, response.Result.BytesProcessed = true, 10<<20
			response.Cache, response.Age = runner.Joined, 12*time.Second+999*time.Millisecond
		}
		response.AsOf = now.Add(250 * time.Millisecond)
		return response, err
	}
	got := bodyOf(t, queryRunner, `{
		many: logs(project: "many") { id }
		few: logs(project: "few") { id }
		apiCounts(project: "few", interval: HOURLY) { timestamp }
		apiCounts(project: "few", interval: HOURLY) { totalRestRequests }
		endpoint(name: "logs.all") { name }
		__typename
	}`)
	const few = `{"cache":"MISS","ageSeconds":0,"asOf":"2026-11-20T10:00:00.25Z","truncated":false,"rowsRead":0,"rowsReused":0,"bytesProcessed":0,"bytesReused":0}`
	assert.Equal(t, `{"data":{"many":[],"few":[],"apiCounts":[],"endpoint":{"name":"logs.all"},"__typename":"Query"},`+
		`"extensions":{"freshness":{"apiCounts":`+few+`,"few":`+few+`,`+
		`"many":{"cache":"JOINED","ageSeconds":12,"asOf":"2026-11-20T10:00:00.25Z","truncated":true,"rowsRead":0,"rowsReused":0,"bytesProcessed":10485760,"bytesReused":0}}}}`, got)
}

// One failed field makes all data null, because the fields are non-null. Then there is no
// freshness.
func TestNoFreshnessWithoutData(t *testing.T) {
	t.Parallel()
	queryRunner := runnerReturning(t)
	inner := queryRunner.run
	queryRunner.run = func(ctx context.Context, request runner.Request) (*runner.Response, error) {
		if request.Query.Name == "logs.all" {
			return nil, sqlq.Errorf(sqlq.Unavailable, "later")
		}
		return inner(ctx, request)
	}
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(bodyOf(t, queryRunner,
		`{ logs(project: "p") { id } apiCounts(project: "p", interval: DAILY) { timestamp } }`)), &body))
	assert.Equal(t, "null", string(body["data"]))
	assert.NotContains(t, body, "extensions")
}
