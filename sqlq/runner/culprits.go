package runner

import (
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"savedq/sqlq"
)

const (
	// refusalTime is how long SQL of a caller is refused after the engine failed on it.
	refusalTime = 5 * time.Minute
	// mostCulprits is how many texts of a payer are refused before all SQL of that payer is: another
	// spelling of the same text is another text.
	mostCulprits = 3
	// mostPayers bounds the memory. More payers do not make an engine fail within minutes, unless it is the engine.
	mostPayers = 1000
)

// culprits remembers on which SQL of callers the engine failed with an error of its own, by the payer. Such a failure can
// cost others a wait, because the engine must be opened again, so a caller must not repeat it. It is safe for
// concurrent use.
type culprits struct {
	clock func() time.Time
	mutex sync.Mutex
	// until has the end of the refusal of each text of a payer.
	until map[string]map[[sha256.Size]byte]time.Time
}

func newCulprits(clock func() time.Time) *culprits {
	return &culprits{clock: clock, until: make(map[string]map[[sha256.Size]byte]time.Time)}
}

// check returns an error if the SQL of a caller is refused.
func (c *culprits) check(payer string, query *sqlq.SavedQuery) error {
	if query.Callers == nil {
		return nil
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	texts := c.refused(payer)
	end, isRefused := texts[sha256.Sum256([]byte(query.SQL))]
	reason := "the engine failed on this SQL, so it is refused until %s; write it in another way"
	if !isRefused && len(texts) >= mostCulprits {
		reason = "the engine failed on several texts of SQL of this token, so all of its SQL is refused until %s"
		for _, each := range texts {
			if end.IsZero() || each.Before(end) {
				end = each
			}
		}
	} else if !isRefused {
		return nil
	}
	return sqlq.ParamErrorf(sqlq.SQLParam, reason, end.UTC().Format("15:04:05 UTC"))
}

// refused returns the texts of a payer that are refused now. The mutex must be held.
func (c *culprits) refused(payer string) map[[sha256.Size]byte]time.Time {
	texts, now := c.until[payer], c.clock()
	for text, end := range texts {
		if !now.Before(end) {
			delete(texts, text)
		}
	}
	if len(texts) == 0 {
		delete(c.until, payer)
	}
	return texts
}

// record notes how a run ended.
func (c *culprits) record(payer string, query *sqlq.SavedQuery, err error) {
	if query.Callers == nil || !errors.Is(err, sqlq.ErrEngineFault) {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	texts := c.refused(payer)
	if texts == nil {
		for other := range c.until { // expired ones
			c.refused(other)
		}
		if len(c.until) >= mostPayers {
			return
		}
	}
	if c.until[payer] == nil {
		c.until[payer] = make(map[[sha256.Size]byte]time.Time)
	}
	c.until[payer][sha256.Sum256([]byte(query.SQL))] = c.clock().Add(refusalTime)
}
