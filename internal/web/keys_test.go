package web_test

import "github.com/chromedp/chromedp/kb"

// Keys that type nothing.
const (
	arrowLeft  = kb.ArrowLeft
	arrowRight = kb.ArrowRight
	arrowUp    = kb.ArrowUp
	arrowDown  = kb.ArrowDown
	home       = kb.Home
	escape     = kb.Escape
	endKey     = kb.End
)
