package alerthttp

import (
	"net/http"
	"time"
	"unicode/utf8"

	"savedq/internal/http/httpjson"
	"savedq/sqlq"
)

const (
	// mostBodyBytes limits the body of a request.
	mostBodyBytes = 64 << 10
	// mostReason limits the characters of a reason.
	mostReason = 500
	// longestSilence keeps an alert from being forgotten.
	longestSilence = 366 * 24 * time.Hour
)

// Named names an alert.
type Named struct {
	Query string `json:"query" doc:"Name of the saved query."`
	Name  string `json:"name" doc:"Name of the alert."`
}

// SilenceRequest asks to keep the messages of an alert back.
type SilenceRequest struct {
	Named

	Until  *time.Time `json:"until,omitempty" doc:"Until when, at most a year ahead: a time, or one relative to now, such as now+2h. Null or absent ends the silence."`
	Reason string     `json:"reason,omitempty" doc:"Why, in at most 500 characters."`
}

// AcknowledgeRequest asks to note that somebody knows of the state of an alert.
type AcknowledgeRequest struct {
	Named

	Reason string `json:"reason,omitempty" doc:"A note, in at most 500 characters."`
	Undo   bool   `json:"undo,omitempty" doc:"Whether to take it back."`
}

func readSilence(r *http.Request, now time.Time) (SilenceRequest, error) {
	var body struct {
		Query  string  `json:"query"`
		Name   string  `json:"name"`
		Reason string  `json:"reason"`
		Until  *string `json:"until"`
	}
	if err := httpjson.Read(r, &body, mostBodyBytes, `a JSON object such as {"query": "errors", "name": "errors-high", "until": "2026-01-31T18:00:00Z", "reason": "deploying"}`); err != nil {
		return SilenceRequest{}, err
	}
	request := SilenceRequest{Named: Named{body.Query, body.Name}, Reason: body.Reason}
	if body.Until != nil {
		until, err := sqlq.ParseTimestampAt(*body.Until, now)
		switch {
		case err != nil:
			return request, sqlq.ParamErrorf("until", "%s", err)
		case !until.After(now):
			return request, sqlq.ParamErrorf("until", "is in the past; send a later time, or null to end the silence")
		case until.After(now.Add(longestSilence)):
			return request, sqlq.ParamErrorf("until", "is more than a year ahead")
		}
		request.Until = new(until.Truncate(time.Millisecond))
	}
	return request, check(request.Named, request.Reason)
}

func readAcknowledge(r *http.Request) (AcknowledgeRequest, error) {
	var body struct {
		Query  string `json:"query"`
		Name   string `json:"name"`
		Reason string `json:"reason"`
		Undo   bool   `json:"undo"`
	}
	if err := httpjson.Read(r, &body, mostBodyBytes, `a JSON object such as {"query": "errors", "name": "errors-high", "reason": "looking into it"}`); err != nil {
		return AcknowledgeRequest{}, err
	}
	request := AcknowledgeRequest{Named{body.Query, body.Name}, body.Reason, body.Undo}
	return request, check(request.Named, request.Reason)
}

func check(named Named, reason string) error {
	switch {
	case named.Query == "":
		return sqlq.ParamErrorf("query", "is required")
	case named.Name == "":
		return sqlq.ParamErrorf("name", "is required")
	case utf8.RuneCountInString(reason) > mostReason:
		return sqlq.ParamErrorf("reason", "is longer than %d characters", mostReason)
	}
	return nil
}

// Declared is an alert as a person declares it.
type Declared struct {
	Query     string              `json:"query" doc:"Name of the saved query."`
	Name      string              `json:"name" doc:"Name of the alert."`
	Title     string              `json:"title,omitempty" doc:"Title for people; the name if it is empty."`
	Every     string              `json:"every,omitempty" doc:"Time between two checks, such as 1m."`
	Params    map[string][]string `json:"params,omitempty" doc:"Values of the parameters of its checks."`
	Condition string              `json:"condition,omitempty" doc:"any, none, or a comparison such as first: errors > 5."`
	For       *int                `json:"for,omitempty" doc:"How many checks in a row must agree; the default if it is absent."`
	Notify    []string            `json:"notify,omitempty" doc:"Names of targets."`
	Rows      *int                `json:"rows,omitempty" doc:"Most rows in a message; the default if it is absent."`
	// Replace means that the alert exists, and is changed.
	Replace bool `json:"replace,omitempty" doc:"Whether the alert exists, and is changed."`
}

// PreviewRequest asks what a declaration would have measured.
type PreviewRequest struct {
	Declared

	Range string `json:"range,omitempty" doc:"How far to go back." enum:"1d,7d"`
}

// Points returns how many moments the preview has, and the time between them.
func (p *PreviewRequest) Points() (count int, step time.Duration) {
	const halfHoursOfADay, partsOfAWeek = 48, 7 * 8
	if p.Range == "1d" {
		return halfHoursOfADay, time.Hour / 2
	}
	return partsOfAWeek, 3 * time.Hour
}

// declaredBody is the body of a request with a declaration.
type declaredBody struct {
	Query     string              `json:"query"`
	Name      string              `json:"name"`
	Title     string              `json:"title"`
	Every     string              `json:"every"`
	Params    map[string][]string `json:"params"`
	Condition string              `json:"condition"`
	For       *int                `json:"for"`
	Notify    []string            `json:"notify"`
	Rows      *int                `json:"rows"`
	Replace   bool                `json:"replace"`
	Range     string              `json:"range"`
}

func readBody(r *http.Request) (declaredBody, Declared, error) {
	var body declaredBody
	if err := httpjson.Read(r, &body, mostBodyBytes, `a JSON object such as {"query": "errors", "name": "errors-high", "every": "1m", "params": {"project": ["acme"]}, "condition": "first: errors > 5"}`); err != nil {
		return body, Declared{}, err
	}
	if body.Query == "" {
		return body, Declared{}, sqlq.ParamErrorf("query", "is required")
	}
	return body, Declared{
		Query: body.Query, Name: body.Name, Title: body.Title, Every: body.Every, Params: body.Params, Condition: body.Condition,
		For: body.For, Notify: body.Notify, Rows: body.Rows, Replace: body.Replace,
	}, nil
}

func readDeclared(r *http.Request) (Declared, error) {
	body, declared, err := readBody(r)
	if err == nil && body.Range != "" {
		err = sqlq.ParamErrorf("range", "is for a preview")
	}
	return declared, err
}

func readPreview(r *http.Request) (PreviewRequest, error) {
	body, declared, err := readBody(r)
	if err == nil && body.Range != "" && body.Range != "1d" && body.Range != "7d" {
		err = sqlq.ParamErrorf("range", "must be 1d or 7d")
	}
	return PreviewRequest{declared, body.Range}, err
}
