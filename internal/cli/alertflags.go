package cli

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"savedq/internal/alert"
	"savedq/internal/server"
	"savedq/sqlq"
)

// notifyFlag names the file of the targets of alerts.
type notifyFlag struct {
	Notify string `placeholder:"FILE" help:"YAML file of the targets that alerts notify, reloaded on SIGHUP; see docs/alerts.md. Default: nobody is notified."`
}

func (f *notifyFlag) validate() error {
	return checkSecretFile("--notify", f.Notify, "docs/alerts.md shows one")
}

// mistakes returns the mistakes in the file, and the names of targets in saved queries that it does
// not have.
func (f *notifyFlag) mistakes(queries []*sqlq.SavedQuery) (found sqlq.FileErrors) {
	if f.Notify == "" {
		return nil
	}
	targets, _, err := alert.ReadTargets(f.Notify)
	if errors.As(err, &found) && len(targets) == 0 {
		return found
	}
	return append(found, targets.Mistakes(queries)...)
}

// alertFlags configure alerts.
type alertFlags struct {
	NoAlerts bool `help:"Check no alerts. Of several servers with the same saved queries one checks them, or each sends its messages."`
	notifyFlag
	PublicURL string `name:"public-url" placeholder:"URL" help:"Address at which people open the pages, such as https://savedq.example.com, for links in messages of alerts. Default: no links."`
}

// Validate implements kong's validation, which runs before anything is opened.
func (f *alertFlags) Validate() error {
	if f.PublicURL != "" {
		address, err := url.Parse(f.PublicURL)
		if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.RawQuery != "" || address.Fragment != "" {
			return fmt.Errorf("--public-url: %q is not the address of a server, such as https://savedq.example.com", f.PublicURL)
		}
	}
	return f.validate()
}

// alertConfig returns the configuration of alerts.
func (f *alertFlags) alertConfig() server.AlertConfig {
	return server.AlertConfig{Disabled: f.NoAlerts, Notify: f.Notify, PublicURL: strings.TrimSuffix(f.PublicURL, "/")}
}
