package bigquery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"savedq/sqlq"
)

// reachTimeout limits the request for the dataset at the start.
const reachTimeout = 15 * time.Second

// CheckTables checks, before a server accepts requests, that the
// credentials, the project, the dataset and every table that a saved query reads
// can be used. The error is one line with what is missing and how to correct
// it. The service itself finds the tables by a dry run, including those of views.
// [Engine.Check] reports mistakes in the SQL.
func (e *Engine) CheckTables(ctx context.Context, queries []*sqlq.SavedQuery) error {
	if err := e.checkDataset(ctx); err != nil {
		return err
	}
	var tables, missing []string
	var causes []error
	for _, query := range queries {
		found, err := e.dryRun(ctx, query)
		var mistakes sqlq.FileErrors
		var explained *setupError
		switch {
		case errors.As(err, &mistakes):
		case errors.As(err, &explained):
			missing = append(missing, explained.line)
			causes = append(causes, err)
		case err != nil:
			return err
		default:
			for _, table := range found.statistics.ReferencedTables {
				tables = append(tables, table.ProjectID+"."+table.DatasetID+"."+table.TableID)
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return &setupError{line: strings.Join(slices.Compact(missing), "; "), cause: errors.Join(causes...)}
	}
	slices.Sort(tables)
	e.config.Logger.InfoContext(ctx, "BigQuery can be reached",
		slog.String("dataset", e.config.datasetName()), slog.Any("tables", slices.Compact(tables)))
	return nil
}

// checkDataset returns an error unless the dataset exists, in the configured location.
func (e *Engine) checkDataset(ctx context.Context) error {
	within, stop := context.WithTimeout(ctx, reachTimeout)
	defer stop()
	metadata, err := e.client.Dataset(e.config.Dataset).Metadata(within)
	if err != nil {
		return e.config.setupError(fmt.Errorf("reach dataset %s: %w", e.config.datasetName(), err))
	}
	if want, got := e.config.Location, metadata.Location; want != "" && got != "" && !strings.EqualFold(want, got) {
		return &setupError{line: fmt.Sprintf("dataset %s is in location %s, not in %s; correct --bigquery-location", e.config.datasetName(), got, want)}
	}
	return nil
}

// Ping returns an error unless the dataset can be reached. It costs nothing.
func (e *Engine) Ping(ctx context.Context) error { return e.checkDataset(ctx) }
