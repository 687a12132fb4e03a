// Package webtest starts the browser of tests.
package webtest

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Chromium starts a Chromium that shows about:blank, and returns the context of its first tab. The test is
// skipped if none is installed. The headless shell comes first, because it needs half of the processor time;
// the variable SAVEDQ_CHROMIUM names another program.
func Chromium(t *testing.T) context.Context {
	t.Helper()
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	if chosen := os.Getenv("SAVEDQ_CHROMIUM"); chosen != "" {
		names = []string{chosen}
	}
	for _, name := range names {
		executable, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(executable), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.UserDataDir(t.TempDir()), chromedp.Flag("hide-scrollbars", false))
		allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
		t.Cleanup(cancel)
		browser, closeBrowser := chromedp.NewContext(allocator)
		t.Cleanup(closeBrowser)
		require.NoError(t, chromedp.Do(browser), "%s does not start", name)
		return browser
	}
	t.Skip("there is no Chromium on this machine (Debian has it in the package chromium-headless-shell)")
	return nil
}
