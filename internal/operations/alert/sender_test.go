package alert

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/outgoing"
	"savedq/sqlq"
)

// received is a request that a target received.
type received struct {
	path   string
	header http.Header
	body   string
}

// target serves a target that responds as a function says.
func target(t *testing.T, respond http.HandlerFunc) (address string, requests chan received) {
	t.Helper()
	requests = make(chan received, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- received{r.URL.Path, r.Header, string(body)}
		respond(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// message returns the message of an end.
func message(t *testing.T) *Message {
	t.Helper()
	d := declared(t, "errors > 5", "ops")
	result := &sqlq.Result{Columns: d.Query.Columns, Rows: [][]any{{int64(7)}, {int64(6)}, {int64(5)}}}
	record := newRecord(d).checked(d, Check{At: noon, Outcome: sqlq.Met, Rows: rowsOf(result, 2)}, everyTarget)
	return &record.checked(d, unmet(noon.Add(90*time.Second)), everyTarget).Outbox[1].Message
}

// begun returns the message of a begin.
func begun(t *testing.T) *Message {
	t.Helper()
	d := declared(t, "errors > 5", "ops")
	result := &sqlq.Result{Columns: d.Query.Columns, Rows: [][]any{{int64(7)}, {int64(6)}, {int64(5)}}}
	return &newRecord(d).checked(d, Check{At: noon, Outcome: sqlq.Met, Rows: rowsOf(result, 2)}, everyTarget).Outbox[0].Message
}

func send(t *testing.T, of Target, sent *Message) error {
	t.Helper()
	sender := NewHTTPSender(func() time.Time { return noon })
	t.Cleanup(sender.Close)
	return sender.Send(t.Context(), &of, sent)
}

func ok(http.ResponseWriter, *http.Request) {}

func TestFormSavedq(t *testing.T) {
	t.Parallel()
	address, requests := target(t, ok)
	require.NoError(t, send(t, Target{URL: address + "/hook", Form: FormSavedq, Secret: "0123456789abcdef", Headers: map[string]string{"Authorization": "Bearer x"}}, begun(t)))
	got := <-requests
	assert.JSONEq(t, `{"version":1,"id":"0b7f3a52-5d0e-4f6c-9a41-6a2f0f3c9d13.high.20261126T120000.000Z.firing.begin","event":"begin",
		"query":"usage.errors","alert":"high","title":"Errors <b> & more","state":"firing","began":"2026-11-26T12:00:00Z","ended":null,
		"condition":"first: errors > 5","params":{"project":["acme"]},"columns":[{"name":"errors","type":"INT64"}],
		"rows":[{"errors":7},{"errors":6}],"truncated":true,"every":60}`, got.body)
	assert.Equal(t, []string{"/hook", "application/json", "Bearer x", begun(t).ID, outgoing.UserAgent},
		[]string{got.path, got.header.Get("Content-Type"), got.header.Get("Authorization"), got.header.Get("Idempotency-Key"), got.header.Get("User-Agent")})
	stamp, sum, _ := strings.Cut(got.header.Get("X-Savedq-Signature"), ",")
	mac := hmac.New(sha256.New, []byte("0123456789abcdef"))
	mac.Write([]byte(strings.TrimPrefix(stamp, "t=") + "." + got.body))
	assert.Equal(t, "v1="+hex.EncodeToString(mac.Sum(nil)), sum)
	require.NoError(t, send(t, Target{URL: address, Form: FormSavedq}, message(t)))
	got = <-requests
	assert.Contains(t, got.body, `"event":"end"`)
	assert.Contains(t, got.body, `"now":"ok","began":"2026-11-26T12:00:00Z","ended":"2026-11-26T12:01:30Z"`)
	assert.Empty(t, got.header.Get("X-Savedq-Signature"))
}

func TestFormSlack(t *testing.T) {
	t.Parallel()
	address, requests := target(t, ok)
	sent := begun(t)
	sent.Link = "https://savedq.example.com/alerts?a=1&b=2"
	sent.Columns = []Column{{Name: "text", Type: sqlq.String}}
	sent.Rows.Rows = json.RawMessage("[{\"text\":\"<!channel> & ```\"}]")
	require.NoError(t, send(t, Target{URL: address, Form: FormSlack}, sent))
	assert.JSONEq(t, `{"text":"Errors &lt;b&gt; &amp; more: firing since Thu 26 Nov 2026, 12:00 UTC","blocks":[
		{"type":"section","text":{"type":"mrkdwn","text":"*Errors &lt;b&gt; &amp; more: firing since Thu 26 Nov 2026, 12:00 UTC*\nQuery: usage.errors\nCondition: first: errors &gt; 5\nParameters: project=acme\n<https://savedq.example.com/alerts?a=1&amp;b=2|Open in savedq>"}},
		{"type":"section","text":{"type":"mrkdwn","text":"`+"```"+`text\n&lt;!channel&gt; &amp; '''\n… more rows were cut off\n`+"```"+`"}}]}`, (<-requests).body)
	sent.Error, sent.Title = strings.Repeat("&", 10_000), strings.Repeat("<", 10_000)
	sent.Rows.Rows = json.RawMessage(`[` + strings.Repeat(`{"text":"`+strings.Repeat("&", 100)+`"},`, 100) + `{}]`)
	for _, block := range slackOf(sent).Blocks {
		assert.LessOrEqual(t, len([]rune(block.Text.Text)), 3000)
	}
	assert.True(t, strings.HasSuffix(slackOf(sent).Text, ";…"), "no entity is cut")
	assert.Equal(t, "Errors <b> & more: no longer firing, after 1m30s", message(t).headline())
}

// People read rows as a table, with times in UTC, each row on one line, and nothing that controls what shows it.
func TestRowsForPeople(t *testing.T) {
	t.Parallel()
	sent := &Message{Rows: Rows{
		Columns: []Column{
			{"at", sqlq.Timestamp}, {"day", sqlq.Date}, {"name", sqlq.String}, {"n", sqlq.Int64}, {"share", sqlq.Float64}, {"times", sqlq.ArrayOf(sqlq.Timestamp)}, {"data", sqlq.JSON},
		},
		Rows: json.RawMessage(`[
			{"at":1795687200000000,"day":"2026-11-26","name":"a\tb\nc","n":9007199254740993,"share":0.25,"times":[1795687200000000],"data":{"a":[1]}},
			{"at":1795687200000001,"day":null,"name":"\u001b[31mé","n":-7,"share":null,"times":[],"data":null}]`),
	}}
	assert.Equal(t, `at                              day         name         n                 share  times                      data
2026-11-26 10:00:00 UTC         2026-11-26  a b c        9007199254740993  0.25   [2026-11-26 10:00:00 UTC]  {"a":[1]}
2026-11-26 10:00:00.000001 UTC  -           \u001b[31mé  -7                -      []                         -
`, sent.rowLines())
	sent.Rows.Rows, sent.Columns = json.RawMessage(`[{"name":"`+strings.Repeat("é", 100)+`"}]`), sent.Columns[2:3]
	assert.Equal(t, "name\n"+strings.Repeat("é", 59)+"…\n", sent.rowLines())
}

// The first line says what is so since when, or for how long it was so.
func TestHeadlines(t *testing.T) {
	t.Parallel()
	ended := noon.Add(90 * time.Second)
	for want, message := range map[string]Message{
		"T: firing since Thu 26 Nov 2026, 12:00 UTC":  {State: Firing, Event: Begin},
		"T: no data since Thu 26 Nov 2026, 12:00 UTC": {State: NoData, Event: Begin},
		"T: failing since Thu 26 Nov 2026, 12:00 UTC": {State: Failing, Event: Begin},
		"T: no longer firing, after 1m30s":            {State: Firing, Event: End, Now: OK},
		"T: has data again, after 1m30s":              {State: NoData, Event: End, Now: OK},
		"T: no longer without data, after 1m30s":      {State: NoData, Event: End, Now: Failing},
		"T: no longer failing, after 1m30s":           {State: Failing, Event: End, Now: Firing},
		"T: the alert was removed, after 1m30s":       {State: Firing, Event: End, Now: Removed},
	} {
		message.Title, message.Began, message.Ended = "T", noon, &ended
		assert.Equal(t, want, message.headline())
	}
}

func TestFormAlertmanager(t *testing.T) {
	t.Parallel()
	address, requests := target(t, ok)
	targets, err := ParseTargets("notify.yaml", []byte("targets:\n  am: {form: alertmanager, url: "+address+"/am/}\n"))
	require.NoError(t, err)
	require.NoError(t, send(t, targets["am"], begun(t)))
	got := <-requests
	assert.Equal(t, "/am/api/v2/alerts", got.path)
	assert.JSONEq(t, `[{"labels":{"alertname":"high","savedq_query":"usage.errors","savedq_state":"firing","param_project":"acme"},
		"annotations":{"summary":"Errors <b> & more: firing since Thu 26 Nov 2026, 12:00 UTC","description":"Query: usage.errors\nCondition: first: errors > 5\nParameters: project=acme",
		"rows":"errors\n7\n6\n… more rows were cut off\n"},
		"startsAt":"2026-11-26T12:00:00Z","endsAt":"2026-11-26T12:04:00Z"}]`, got.body)
	require.NoError(t, send(t, targets["am"], message(t)))
	assert.Contains(t, (<-requests).body, `"startsAt":"2026-11-26T12:00:00Z","endsAt":"2026-11-26T12:01:30Z"`)
}

func TestFailuresOfTargets(t *testing.T) {
	t.Parallel()
	elsewhere, redirected := target(t, ok)
	for name, test := range map[string]struct {
		respond http.HandlerFunc
		want    SendError
	}{
		"too many": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}, SendError{"the target responds with status 429", 2 * time.Minute}},
		"a date": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "Thu, 26 Nov 2026 12:00:30 GMT")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, SendError{"the target responds with status 503", 30 * time.Second}},
		"an error": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, SendError{Reason: "the target responds with status 500"}},
		"Slack's reason": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "no_service\n")
		}, SendError{Reason: "the target responds with status 404: no_service"}},
		"a reason to be careful with": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "bad \x1b[31m\xff\u202e\r\n\tline")
		}, SendError{Reason: `the target responds with status 400: bad \u001b[31m\u202e line`}},
		"a long reason": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		}, SendError{Reason: "the target responds with status 502: " + strings.Repeat("x", 300) + "…"}},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, SendError{Reason: "the target responds with status 401"}},
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}, SendError{Reason: "the target responds with the redirect 307, which is not followed; correct the url"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := target(t, test.respond)
			var failed *SendError
			require.ErrorAs(t, send(t, Target{URL: address, Form: FormSavedq}, begun(t)), &failed)
			assert.Equal(t, test.want, *failed)
		})
	}
	t.Run("no URL in errors", func(t *testing.T) {
		t.Parallel()
		address, _ := target(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		err := send(t, Target{URL: address + "/services/secret", Form: FormSlack}, begun(t))
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "secret")
		require.EqualError(t, send(t, Target{URL: "http://secret.invalid:bad/secret", Form: FormSlack}, begun(t)), "the URL cannot be used")
	})
	t.Cleanup(func() { assert.Empty(t, redirected) })
}

// slowTransport never responds.
type slowTransport struct{}

func (slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTimeoutOfTargets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sender := NewHTTPSender(time.Now)
		sender.client.Transport = slowTransport{}
		started := time.Now()
		require.EqualError(t, sender.Send(t.Context(), &Target{URL: "http://target/secret", Form: FormSavedq}, begun(t)), "the target did not respond within 10s")
		assert.Equal(t, sendTimeout, time.Since(started))
	})
}

func TestPauses(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []time.Duration{time.Second, 2 * time.Second, 10 * time.Minute, 10 * time.Minute},
		[]time.Duration{pause(1, 0, 0.5), pause(2, 0, 0.5), pause(11, 0, 0.5), pause(140, 0, 0.5)})
	assert.Equal(t, []time.Duration{750 * time.Millisecond, 90 * time.Second, longestPause}, []time.Duration{pause(1, 0, 0), pause(1, 90*time.Second, 0), pause(1, 24*time.Hour, 0)})
}

// funcSender is a sender that is a function.
type funcSender func(target *Target, message *Message) error

func (f funcSender) Send(_ context.Context, target *Target, message *Message) error {
	return f(target, message)
}

func TestMistakesInTargets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"empty":                  {"", "notify.yaml: is empty"},
		"no targets":             {"targets: {}", "notify.yaml:1:10: targets must be a mapping of names to targets"},
		"unknown":                {"targets:\n  a: {url: http://a, form: slack, key: x}", `:2:35: unknown key "key"; the keys are url, form, secret, headers`},
		"missing":                {"targets:\n  a: {form: slack}", `:2:7: key "url" is missing`},
		"a wrong form":           {"targets:\n  a: {url: http://a, form: teams}", `:2:28: form "teams" is unknown; use one of savedq, slack, alertmanager`},
		"a wrong URL":            {"targets:\n  a: {url: 'ftp://s3cret', form: slack}", ":2:12: url must be an address such as https://example.com/alerts"},
		"a short secret":         {"targets:\n  a: {url: http://a, form: savedq, secret: abc}", `:2:44: secret must have at least 16 characters`},
		"a secret for nothing":   {"targets:\n  a: {url: http://a, form: slack, secret: 0123456789abcdefg}", `secret signs messages of the form savedq; leave it out`},
		"a wrong name":           {"targets:\n  a b: {url: http://a, form: slack}", `:2:3: the name of a target has letters`},
		"a header that is set":   {"targets:\n  a: {url: http://a, form: slack, headers: {idempotency-key: x}}", "the header Idempotency-Key is set for every message"},
		"a header that is wrong": {"targets:\n  a: {url: http://a, form: slack, headers: {a b: x}}", "it is not the name of a header"},
		"a value of two lines":   {"targets:\n  a: {url: http://a, form: slack, headers: {a: \"x\\ny\"}}", "the value of a header must be one line of ASCII characters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseTargets("notify.yaml", []byte(test.text))
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "s3cret")
		})
	}
	path := filepath.Join(t.TempDir(), "notify.yaml")
	require.NoError(t, os.WriteFile(path, []byte("targets:\n  ops: {url: http://a, form: slack}\n"), 0o600))
	targets, readable, err := ReadTargets(path)
	require.NoError(t, err)
	assert.False(t, readable)
	d := declared(t, "errors > 5", "ops", "opps", "other")
	require.EqualError(t, targets.Mistakes([]*sqlq.SavedQuery{d.Query}), `: target "opps" is not in the file of --notify; did you mean ops?`+"\n"+`: target "other" is not in the file of --notify; its targets are ops`)
	assert.Empty(t, Targets(nil).Mistakes([]*sqlq.SavedQuery{d.Query}))
	require.NoError(t, os.Chmod(path, 0o666))
	_, _, err = ReadTargets(path)
	require.ErrorContains(t, err, "others can write to it")
}

// Messages wait as targets ask, are given up in the end, and the end of an episode comes after its begin.
func TestDeliveries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := declared(t, "errors > 5", "ops", "gone")
		book, err := OpenBook(Nowhere{}, everyTarget)
		require.NoError(t, err)
		require.NoError(t, book.Use([]Definition{*d}, time.Now()))
		var attempts []string
		var log strings.Builder
		started := time.Now()
		deliverer := &Deliverer{
			Book: book, Targets: func() Targets { return Targets{"ops": {Name: "ops"}} }, Page: "https://example.com/alerts",
			Sender: funcSender(func(_ *Target, message *Message) error {
				attempts = append(attempts, time.Since(started).Round(time.Second).String()+" "+string(message.Event)+" "+message.Link)
				if len(attempts) == 1 {
					return &SendError{Reason: "the target responds with status 429", RetryAfter: time.Minute}
				}
				return nil
			}),
			Clock: time.Now, Random: func() float64 { return 0.5 }, Observer: unobserved{}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}
		done := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(done); deliverer.Run(ctx) }()
		require.NoError(t, book.Checked(d, met(time.Now())))
		require.NoError(t, book.Checked(d, unmet(time.Now())))
		time.Sleep(2 * time.Minute)
		stop()
		<-done
		const link = " https://example.com/alerts?name=high&query=usage.errors"
		assert.Equal(t, []string{"0s begin" + link, "1m0s begin" + link, "1m0s end" + link}, attempts)
		pending := book.Counts(noon).Pending
		assert.Zero(t, pending)
		assert.Equal(t, 2, strings.Count(log.String(), `msg="a message of an alert is given up, because its target was removed" target=gone`))
		assert.Contains(t, log.String(), `msg="a message of an alert cannot be delivered; it is tried again" target=ops endpoint=usage.errors alert=high reason="the target responds with status 429"`)
	})
}

func TestMessagesAreGivenUp(t *testing.T) {
	t.Parallel()
	d := declared(t, "errors > 5", "ops")
	book, err := OpenBook(Nowhere{}, everyTarget)
	require.NoError(t, err)
	require.NoError(t, book.Use([]Definition{*d}, noon))
	require.NoError(t, book.Checked(d, met(noon)))
	now := noon
	for range mostFailures - 1 {
		givenUp, err := book.Failed(book.Due(now)["ops"], "no", 0, 0.5, now)
		require.NoError(t, err)
		require.False(t, givenUp)
		assert.Empty(t, book.Due(now))
		now = book.NextRetry(now)
	}
	assert.InDelta(t, 24, now.Sub(noon).Hours(), 1)
	givenUp, err := book.Failed(book.Due(now)["ops"], "no", 0, 0.5, now)
	require.NoError(t, err)
	assert.True(t, givenUp)
	assert.Empty(t, book.Due(now))
	listed := book.List(func(*sqlq.SavedQuery, map[string][]string) bool { return true }, func(string) time.Time { return time.Time{} }, noon)
	assert.Equal(t, []ListedTarget{{Target: "ops", Error: new("no")}}, listed[0].Notify)
}
