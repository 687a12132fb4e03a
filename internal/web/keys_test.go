package web_test

import "github.com/chromedp/chromedp/kb"

// Keys that type nothing.
const (
	arrowLeft  = kb.ArrowLeft
	arrowRight = kb.ArrowRight
	home       = kb.Home
	escape     = kb.Escape
)
