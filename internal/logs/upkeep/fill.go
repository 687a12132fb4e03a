package upkeep

import (
	"context"
	"log/slog"
	"time"

	"savedq/internal/logs/logstore"
)

// FillStore is the part of the embedded store that a [FillKeeper] uses; see [logstore.Store].
type FillStore interface {
	Fill(ctx context.Context, between func(ctx context.Context) error) (filled []string, err error)
}

var _ FillStore = (*logstore.Store)(nil)

// FillKeeper fills new fields of log sources from the metadata of stored events while a server runs.
type FillKeeper struct {
	Store FillStore
	// Declared is sent to after fields were declared.
	Declared <-chan struct{}
	// Filled is called after the fields of a table were filled, because what is cached has NULL there.
	Filled func(table string)
	Clock  func() time.Time
	Logger *slog.Logger
}

// fillRetry is the time until a pass that failed is repeated.
const fillRetry = time.Minute

// Run fills fields until the context ends.
func (k *FillKeeper) Run(ctx context.Context) {
	retry := time.NewTimer(0) // a server that was killed may have left some
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.Declared:
		case <-retry.C:
		}
		if !k.pass(ctx) {
			retry.Reset(fillRetry)
		}
	}
}

// pass fills what is not filled, and reports whether that succeeded.
func (k *FillKeeper) pass(ctx context.Context) bool {
	filled, err := k.Store.Fill(ctx, newPacer(k.Clock).pause)
	for _, table := range filled {
		k.Filled(table)
		k.Logger.InfoContext(ctx, "new fields of a log source were filled", slog.String("source", table))
	}
	if err != nil && ctx.Err() == nil {
		k.Logger.WarnContext(ctx, "new fields of a log source were not filled", slog.Any("error", err))
	}
	return err == nil
}
