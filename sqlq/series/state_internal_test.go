package series

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A proof is due after 0, 1, 4, 16 and 64 reuses, and stays so until there is a bucket that proves something.
func TestProofIsDue(t *testing.T) {
	t.Parallel()
	state := &State{}
	var proofs []int64
	for ; state.reuses <= 64; state.reuses++ {
		canProve := state.reuses < 4 || state.reuses > 7
		if !state.ProofIsDue() || !canProve {
			continue
		}
		proofs = append(proofs, state.reuses)
		assert.Equal(t, state.reuses >= 16, state.WholeProofIsDue())
		state.SetProven()
	}
	assert.Equal(t, []int64{0, 1, 8, 16, 64}, proofs)
}
