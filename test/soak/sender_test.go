package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// keptProject has the events that stay. Those of the other projects are deleted, each of a round of its own, and those of
	// agedProject are older than the server keeps them.
	keptProject = "kept"
	agedProject = "aged"
	// rememberedIDs are so few that the server remembers those of all senders, whatever its memory.
	rememberedIDs = 2000
	// eventAge is more than the retention of the server.
	eventAge = 30 * time.Hour
)

// roundProject returns the name of the project of a round.
func roundProject(round int) string { return fmt.Sprintf("round-%d", round) }

// sender sends batches until the server dies, and knows what was acknowledged. It is safe for concurrent use.
type sender struct {
	name   string
	table  string
	random *rand.Rand
	next   int
	// unsure is a batch without a response. It is sent again.
	unsure *batch

	mutex sync.Mutex
	// acknowledged are the ids of each project.
	acknowledged map[string][]string
}

// batch has events of one project.
type batch struct {
	ids     []string
	project string
}

// of returns the ids of a project that are acknowledged now.
func (s *sender) of(project string) []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.acknowledged[project])
}

// newBatch returns a batch of a round. Few have many events.
func (s *sender) newBatch(round int) *batch {
	made := &batch{project: keptProject}
	switch s.random.IntN(8) {
	case 0, 1:
		made.project = roundProject(round)
	case 2:
		made.project = agedProject
	}
	for range 1 + s.random.IntN(300) {
		made.ids = append(made.ids, fmt.Sprintf("%s-%d", s.name, s.next))
		s.next++
	}
	return made
}

// send sends batches until one gets no response.
func (s *sender) send(ctx context.Context, url string, round int) error {
	for ctx.Err() == nil {
		if s.unsure == nil {
			s.unsure = s.newBatch(round)
		}
		ids := s.unsure.ids
		if kept := s.of(keptProject); len(kept) > 0 && s.unsure.project == keptProject && s.random.IntN(4) == 0 {
			recent := kept[max(0, len(kept)-rememberedIDs):]
			ids = append([]string{recent[s.random.IntN(len(recent))]}, ids...) // a duplicate
		}
		answered, err := s.post(ctx, url, ids, s.unsure.project)
		if err != nil || !answered {
			return err
		}
	}
	return nil
}

// post sends events once. It reports false if the server died.
func (s *sender) post(ctx context.Context, url string, ids []string, project string) (answered bool, err error) {
	at := time.Now()
	if project == agedProject {
		at = at.Add(-eventAge)
	}
	var body strings.Builder
	for _, id := range ids {
		_, _ = fmt.Fprintf(&body, `{"id":%q,"timestamp":%q,"event_message":"event of %s","project":%q,"metadata":{"project_ref":%[4]q,"request":{},"response":{}}}`+"\n",
			id, at.UTC().Format(time.RFC3339Nano), s.name, project)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/logs?source="+s.table, strings.NewReader(body.String()))
	if err != nil {
		return false, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, nil // The server is dead.
	}
	defer func() { _ = response.Body.Close() }()
	var result struct{ Accepted, Duplicates, Rejected int }
	switch err := json.NewDecoder(response.Body).Decode(&result); {
	case err != nil:
		return false, nil // The server has died.
	case response.StatusCode == http.StatusServiceUnavailable:
		return true, nil
	case response.StatusCode != http.StatusOK:
		return false, fmt.Errorf("status %d", response.StatusCode)
	case result.Accepted+result.Duplicates != len(ids) || result.Rejected != 0:
		return false, fmt.Errorf("%d events sent, and the response is %+v", len(ids), result)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.acknowledged[s.unsure.project] = append(s.acknowledged[s.unsure.project], s.unsure.ids...)
	s.unsure = nil
	return true, nil
}
