package alert

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"
)

// Observer observes checks and deliveries.
type Observer interface {
	AlertChecked(query string, outcome Outcome)
	AlertMessage(target, outcome string)
}

// The outcomes of deliveries, and of messages that are not sent because too many wait.
const (
	delivered = "delivered"
	retried   = "failed"
	gaveUp    = "given_up"
	dropped   = "dropped"
)

// DeliveryOutcomes returns the outcomes of deliveries.
func DeliveryOutcomes() []string { return []string{delivered, retried, gaveUp, dropped} }

// Deliverer sends the messages of a book: one at a time to each target, and those of one alert in
// their order.
type Deliverer struct {
	Book *Book
	// Targets returns the targets in use; nil without a file.
	Targets func() Targets
	Sender  Sender
	// Page is the address of the page of alerts; empty if it is unknown.
	Page     string
	Clock    func() time.Time
	Random   func() float64
	Observer Observer
	Logger   *slog.Logger
}

// longestSleep is how late a step of the clock is noticed.
const longestSleep = time.Minute

// Run sends messages until the context ends. It returns when none is being sent any more.
func (d *Deliverer) Run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	busy := make(map[string]bool)
	ended := make(chan string)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case target := <-ended:
			delete(busy, target)
		case <-d.Book.changed:
		case <-timer.C:
		}
		for target, due := range d.Book.Due(d.Clock()) {
			if busy[target] || d.Targets() == nil || ctx.Err() != nil {
				continue
			}
			busy[target] = true
			sending.Go(func() {
				d.Deliver(ctx, due)
				select {
				case ended <- target:
				case <-ctx.Done():
				}
			})
		}
		sleep := longestSleep
		if next := d.Book.NextRetry(d.Clock()); !next.IsZero() {
			sleep = min(sleep, max(0, next.Sub(d.Clock())))
		}
		timer.Reset(sleep)
	}
}

// Deliver sends a message, and records what came of it. An attempt is not cancelled with the context,
// so that a server that stops does not leave open whether the message arrived.
func (d *Deliverer) Deliver(ctx context.Context, delivery Delivery) {
	attributes := []any{slog.String("target", delivery.Target), slog.String("endpoint", delivery.Message.Query), slog.String("alert", delivery.Message.Alert)}
	target, known := d.Targets()[delivery.Target]
	if !known {
		d.Observer.AlertMessage(delivery.Target, gaveUp)
		d.Logger.WarnContext(ctx, "a message of an alert is given up, because its target was removed", attributes...)
		d.recorded(ctx, d.Book.GiveUp(delivery))
		return
	}
	message := delivery.Message
	if d.Page != "" {
		message.Link = d.Page + "?" + url.Values{"query": {message.Query}, "name": {message.Alert}}.Encode()
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	err := d.Sender.Send(limited, &target, &message)
	if err == nil {
		d.Observer.AlertMessage(delivery.Target, delivered)
		d.recorded(ctx, d.Book.Delivered(delivery, d.Clock()))
		return
	}
	var asked time.Duration
	if failed, ok := errors.AsType[*SendError](err); ok {
		asked = failed.RetryAfter
	}
	givenUp, stored := d.Book.Failed(delivery, err.Error(), asked, d.Random(), d.Clock())
	d.recorded(ctx, stored)
	attributes = append(attributes, slog.String("reason", err.Error()))
	if givenUp {
		d.Observer.AlertMessage(delivery.Target, gaveUp)
		d.Logger.ErrorContext(ctx, "a message of an alert is given up", attributes...)
		return
	}
	d.Observer.AlertMessage(delivery.Target, retried)
	d.Logger.WarnContext(ctx, "a message of an alert cannot be delivered; it is tried again", attributes...)
}

// recorded logs that the outcome of a delivery could not be stored.
func (d *Deliverer) recorded(ctx context.Context, err error) {
	if err != nil {
		d.Logger.ErrorContext(ctx, "the delivery of a message of an alert cannot be stored; a crash would send it again", slog.Any("error", err))
	}
}
