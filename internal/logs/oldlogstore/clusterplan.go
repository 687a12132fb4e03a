package logstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// stepReader divides the rest of a slice into steps.
type stepReader struct {
	store *Store
	day   *clusteredDay
	// projects are the next projects, with their numbers of rows.
	projects []projectRows
	// project is one with too many rows for a step, and minutes are what remains of it.
	project string
	minutes []minuteRows
	// restRead is true once the rest of the project at the day's position was read.
	restRead bool
	// last is the last project that was divided. It is ahead of the day's position if its
	// steps are not done, or if it has none.
	last sql.NullString
}

type projectRows struct {
	project string
	rows    int64
}

type minuteRows struct {
	start time.Time
	rows  int64
}

// fewProjects limits the projects that are in memory.
const fewProjects = 10_000

// next returns the next step, or nil after the last one of the slice.
func (r *stepReader) next(ctx context.Context) (*clusterStep, error) {
	for {
		most := r.store.stepSize.most()
		if step := r.partOfProject(most); step != nil {
			return step, nil
		}
		if len(r.projects) > 0 {
			if r.projects[0].rows <= most {
				return r.wholeProjects(most), nil
			}
			start, _ := r.day.sliceBounds()
			project := r.projects[0].project
			r.projects, r.last = r.projects[1:], sql.NullString{String: project, Valid: true}
			if err := r.readMinutes(ctx, project, start); err != nil {
				return nil, err
			}
			continue
		}
		if more, err := r.read(ctx); err != nil || !more {
			return nil, err
		}
	}
}

// restart divides what follows the day's position again.
func (r *stepReader) restart() {
	r.projects, r.minutes, r.restRead, r.last = nil, nil, false, sql.NullString{}
}

// read reads what follows the day's position, and returns false if that is nothing.
func (r *stepReader) read(ctx context.Context) (more bool, err error) {
	_, end := r.day.sliceBounds()
	if position := r.day.position; !r.restRead && position.project.Valid && position.until.Before(end) {
		r.restRead = true
		return true, r.readMinutes(ctx, position.project.String, position.until)
	}
	err = r.readProjects(ctx)
	return len(r.projects) > 0, err
}

// wholeProjects returns a step with as many of the next projects as fit into it.
func (r *stepReader) wholeProjects(most int64) *clusterStep {
	count, rows := 0, int64(0)
	for count < len(r.projects) && rows+r.projects[count].rows <= most {
		rows += r.projects[count].rows
		count++
	}
	step := &clusterStep{}
	for _, project := range r.projects[:count] {
		step.projects = append(step.projects, project.project)
	}
	step.from, step.to = r.day.sliceBounds()
	r.projects, r.last = r.projects[count:], sql.NullString{String: step.projects[count-1], Valid: true}
	return step
}

// partOfProject returns a step with as many of the next minutes of a large project as fit into
// it, or nil if there are none. A minute with too many rows for any step stays where it is: its
// rows arrived together.
func (r *stepReader) partOfProject(most int64) *clusterStep {
	for len(r.minutes) > 0 && r.minutes[0].rows > mostRows {
		r.minutes = r.minutes[1:]
	}
	if len(r.minutes) == 0 {
		return nil
	}
	start, end := r.day.sliceBounds()
	rows, count := r.minutes[0].rows, 1
	for count < len(r.minutes) && rows+r.minutes[count].rows <= most {
		rows += r.minutes[count].rows
		count++
	}
	step := &clusterStep{projects: []string{r.project}, from: r.minutes[0].start, to: end}
	if step.from.Before(start) {
		step.from = start
	}
	if r.minutes = r.minutes[count:]; len(r.minutes) > 0 {
		step.to = r.minutes[0].start
	}
	return step
}

// readProjects reads the projects after the last one, or else after the day's position.
func (r *stepReader) readProjects(ctx context.Context) error {
	start, end := r.day.sliceBounds()
	table, after, args := r.day.table, "", []any{start, end}
	order := table.order(table.project)
	last := r.last
	if !last.Valid {
		last = r.day.position.project
	}
	if last.Valid {
		after, args = fmt.Sprintf(" HAVING %s > %s", order, table.order("?::VARCHAR")), append(args, last.String)
	}
	query := fmt.Sprintf("SELECT %[1]s, count(*) FROM %[2]s WHERE timestamp >= ? AND timestamp < ? AND %[1]s IS NOT NULL GROUP BY %[1]s%[3]s ORDER BY %[4]s LIMIT %[5]d",
		table.project, table.name, after, order, fewProjects)
	var project projectRows
	return eachRow(ctx, r.store.db, query, args, []any{&project.project, &project.rows}, func() error {
		r.projects = append(r.projects, project)
		return nil
	})
}

// readMinutes reads how many rows a project has in each minute of the slice, from a time on.
func (r *stepReader) readMinutes(ctx context.Context, project string, from time.Time) error {
	_, end := r.day.sliceBounds()
	query := fmt.Sprintf("SELECT date_trunc('minute', timestamp) AS minute, count(*) FROM %s WHERE timestamp >= ? AND timestamp < ? AND %s = ? GROUP BY minute ORDER BY minute",
		r.day.table.name, r.day.table.project)
	r.project = project
	var minute minuteRows
	return eachRow(ctx, r.store.db, query, []any{from, end, project}, []any{&minute.start, &minute.rows}, func() error {
		r.minutes = append(r.minutes, minuteRows{minute.start.UTC(), minute.rows})
		return nil
	})
}
