package rest

import (
	"strings"

	"savedq/internal/api/format"
	"savedq/sqlq"
)

// Names of parameters that choose the format of a response. A saved query that declares a
// parameter of the same name has it to itself.
const (
	FormatParam = "format"
	BOMParam    = "bom"
)

// outputOf returns the format of a response: the one in the parameters, or else the one that the
// Accept headers prefer. The error is INVALID_ARGUMENT.
func outputOf(query *sqlq.SavedQuery, params requestParams, accept []string) (format.Format, error) {
	output := format.Negotiate(accept)
	name, err := params.option(query, FormatParam)
	if err != nil {
		return output, err
	}
	if name != "" {
		var found bool
		if output, found = format.Find(name); !found || output.MediaType == "" {
			return output, sqlq.ParamErrorf(FormatParam, "%s is not a format; use one of %s", sqlq.Quote(name), format.Served(false))
		}
	}
	switch bom, err := params.option(query, BOMParam); {
	case err != nil:
		return output, err
	case bom == "" || bom == "0":
		return output, nil
	case bom != "1":
		return output, sqlq.ParamErrorf(BOMParam, "%s is not allowed; use 1 for CSV that spreadsheets open, or leave it out", sqlq.Quote(bom))
	case output.MediaType != format.SpreadsheetCSV().MediaType:
		return output, sqlq.ParamErrorf(BOMParam, "is for CSV only; add format=csv, or leave it out")
	}
	return format.SpreadsheetCSV(), nil
}

// option returns the value of a parameter that is not one of the saved query; empty if it is absent.
func (p *requestParams) option(query *sqlq.SavedQuery, name string) (string, error) {
	if query.HasParam(name) {
		return "", nil
	}
	if fault, faulty := p.faults[name]; faulty {
		return "", sqlq.ParamErrorf(name, "%s", fault)
	}
	texts := p.values[name]
	if len(texts) > 1 {
		return "", sqlq.ParamErrorf(name, "is given %d times; give it once", len(texts))
	}
	return strings.Join(texts, ""), nil
}
