package logstore

import "fmt"

// Recovery is what opening a store found wrong.
type Recovery struct {
	// State is why the rejected events and the runs could not be read, or nil.
	State error
	// Damaged are the parts that cannot be read.
	Damaged []DamagedPart
}

// Recovery returns what opening the store found wrong.
func (s *Store) Recovery() Recovery {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return Recovery{State: s.stateFault, Damaged: s.attached.damagedParts()}
}

// Notes returns sentences for the operator.
func (r Recovery) Notes() (notes []string) {
	if r.State != nil {
		notes = append(notes, fmt.Sprintf("the file with the rejected events and the runs of saved queries cannot be read, so both are empty; log events are complete: %s", r.State))
	}
	for _, damaged := range r.Damaged {
		notes = append(notes, fmt.Sprintf("%s; queries over these events fail, and all others go on; restore the file from a backup", damaged))
	}
	return notes
}
