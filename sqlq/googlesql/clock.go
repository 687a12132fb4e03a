package googlesql

import (
	"savedq/sqlq"
	"savedq/sqlq/sqltext"
)

// clockFunction reports whether a function reads the clock, and returns the one that makes the same type of a
// time; empty if that is the time itself.
func clockFunction(name string) (conversion string, isClock bool) {
	switch name {
	case "CURRENT_TIMESTAMP":
		return "", true
	case "CURRENT_DATETIME", "CURRENT_DATE", "CURRENT_TIME":
		return name[len("CURRENT_"):], true
	}
	return "", false
}

// FromGoogleSQL returns the text with the time of the run in place of functions that read the clock (D38).
func (Dialect) FromGoogleSQL(_ *sqlq.SavedQuery, written string) (_ *sqlq.Translation, err error) {
	defer recoverError(&err)
	var changes []sqltext.Change
	tokens := scan(written)
	for i, t := range tokens {
		function, isClock := clockFunction(t.upper)
		if !isClock || i > 0 && tokens[i-1].is(".") {
			continue
		}
		end, now := t.end, "@"+sqlq.NowParam
		switch called := tokens[i+1].is("("); {
		case called && !tokens[i+2].is(")"): // a time zone
			end, now = tokens[i+1].end, function+"("+now+", "
		case called:
			end = tokens[i+2].end
			fallthrough
		default:
			if function != "" {
				now = function + "(" + now + ")"
			}
		}
		changes = append(changes, sqltext.Change{Start: t.start, End: end, Text: now})
	}
	out := sqltext.Rewrite(written, changes...)
	translation := &sqlq.Translation{SQL: out.Text, Written: written, Origins: []sqlq.Origin{{}}}
	shift := 0
	for _, change := range changes {
		shift += len(change.Text) - (change.End - change.Start)
		translation.Origins = append(translation.Origins, sqlq.Origin{At: change.Start + shift - len(change.Text) + (change.End - change.Start), From: change.Start}, sqlq.Origin{At: change.End + shift, From: change.End})
	}
	return translation, nil
}
