// Package warehouse runs the SQL of package sql on an engine that reads exports: Trino or Amazon Athena. A run
// makes tables with names of its own, writes the result to a file, and removes its tables and its objects. It sends
// only statements of package sql, lists of tables, and drops of tables that a run made. Start at New.
package warehouse

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
)

// An Engine runs statements, one at a time.
type Engine interface {
	// Dialect is the dialect of the statements. Place names the engine for messages.
	Dialect() *sql.Dialect
	Place() string
	// Least is the number of bytes that a statement costs at least; 0 if the engine has no price.
	Least() int64
	// Exec runs a statement of a run to its end. An error has the outcome of the statement. From time to time Exec
	// calls scanned with the number of scanned bytes.
	Exec(ctx context.Context, run, text string, scanned func(bytes int64)) error
	// Result runs the statement of kind sql.Result, and writes its rows in a format that candidates.Open reads.
	Result(ctx context.Context, run string, s sql.Statement, to io.Writer, scanned func(bytes int64)) error
	// Tables lists the tables of the schema whose names begin with tallylock. It may use the folder of a run that
	// has not begun.
	Tables(ctx context.Context, run string) ([]string, error)
	// Runs lists the runs with objects. Remove deletes the objects of one run. An engine that removes a table's files
	// together with the table has none.
	Runs(ctx context.Context) ([]string, error)
	Remove(ctx context.Context, run string) error
	// Folder returns the folder for all objects of a run, ending with a slash; empty if the engine chooses it.
	Folder(run string) string
}

// A Run runs the SQL of one check once.
type Run struct {
	engine     Engine
	id, task   string
	started    time.Time
	statements []sql.Statement
	check      *sql.Check
	markers    []string // the tables that show that the run still runs
	pending    []string // the markers whose statements may still run
}

// State is the progress of a run.
type State struct {
	Number, Of int    // the statement, from 1
	Name       string // the statement's name
	Scanned    int64  // bytes that all statements have scanned
}

// New prepares a run of a check that starts now. It sends nothing. The error is about a check that the engine's SQL
// cannot express.
func New(e Engine, c *sql.Check, now time.Time) (*Run, error) {
	salt := make([]byte, 4)
	_, _ = rand.Read(salt) // it never fails
	r := &Run{engine: e, task: c.Task(), started: now.UTC()}
	r.id = r.task + "_" + r.started.Format(stamp) + "_" + hex.EncodeToString(salt)
	own := *c
	own.Run = r.id
	if folder := e.Folder(r.id); folder != "" {
		own.Into = folder + "tables"
	}
	all, err := sql.Statements(e.Dialect(), &own)
	r.statements, r.check = all, &own
	return r, err
}

// ID is the id of the run: the end of the names of its tables.
func (r *Run) ID() string { return r.id }

// stamp is the format of the start of a run in its id.
const stamp = "20060102150405"

// runID matches the id of a run: task, start and random digits. In a table's name the id comes last.
var runID = regexp.MustCompile(`^(?:tallylock_[a-z0-9_]+_)?(([0-9a-f]{12})_(\d{14})_[0-9a-f]{8})$`)

// Statements returns the statements that the run sends: they make tables, return the result, and drop the tables.
// The tables of the run are new, so no drops come first.
func (r *Run) Statements() (work, drops []sql.Statement) {
	for _, s := range r.statements {
		switch {
		case s.Kind != sql.Drop:
			work = append(work, s)
		case len(work) > 0:
			drops = append(drops, s)
		}
	}
	return work, drops
}

// Scan is the estimate of a run: the bytes that its statements read, and the bytes that the engine bills.
type Scan struct {
	// Bytes is the size of the tables, by the manifests of their exports. Unknown is set if a manifest was not read, or
	// has no size.
	Bytes   int64
	Unknown bool
	// Exports is the number of statements that read an export. Tables is the number of statements that read only tables of
	// the run.
	Exports, Tables int
	// Billed is the number of bytes that the engine bills for these statements; Least for a smaller statement.
	Billed int64
}

// Estimate estimates the scan of the run. An export is compressed, so the engine scans fewer bytes than Scan.Bytes.
func (r *Run) Estimate(c *sql.Check) Scan {
	var all Scan
	size := map[string]int64{}
	for _, t := range c.Tables {
		if t.Manifest == nil || t.Manifest.Bytes == 0 {
			all.Unknown = true
			continue
		}
		all.Bytes += t.Manifest.Bytes
		size[t.Folder()] = t.Manifest.Bytes
	}
	work, _ := r.Statements()
	for _, s := range work {
		bytes := int64(0)
		for _, folder := range s.Exports {
			bytes += size[folder]
		}
		switch {
		case s.Kind == sql.Lines:
		case len(s.Exports) > 0:
			all.Exports++
			all.Billed += max(bytes, r.engine.Least())
		default:
			all.Tables++
			all.Billed += r.engine.Least()
		}
	}
	return all
}

// Left is a leftover of a run that did not remove its tables or objects.
type Left struct {
	Run    string
	Tables []string
	Folder string // the folder with the run's objects; empty if it has none
	// Old is set if the run was of the same check, perhaps of another export, and if its start and its newest marker
	// are more than a day ago.
	Old bool
	Err error // the reason, if this run could not remove it
}

// String names the leftover for people.
func (l Left) String() string {
	all := slices.Clone(l.Tables)
	if l.Folder != "" {
		all = append(all, l.Folder)
	}
	return strings.Join(all, ", ")
}

// Leftovers lists the leftovers of earlier runs, sorted by the id of the run.
func (r *Run) Leftovers(ctx context.Context) ([]Left, error) {
	tables, err := r.engine.Tables(ctx, r.id)
	if err != nil {
		return nil, r.explain("listing the tables on "+r.engine.Place(), err)
	}
	runs, err := r.engine.Runs(ctx)
	if err != nil {
		return nil, r.explain("listing the objects of earlier runs", err)
	}
	byRun, newest := map[string]*Left{}, map[string]string{}
	left := func(name string) *Left {
		m := runID.FindStringSubmatch(name)
		if m == nil || m[1] == r.id {
			return nil
		}
		if byRun[m[1]] == nil {
			byRun[m[1]] = &Left{Run: m[1], Old: m[2] == r.task}
		}
		newest[m[1]] = max(newest[m[1]], m[3])
		if marker := markers.FindStringSubmatch(name); marker != nil {
			newest[m[1]] = max(newest[m[1]], marker[1])
		}
		return byRun[m[1]]
	}
	for _, name := range tables {
		if l := left(name); l != nil {
			l.Tables = append(l.Tables, name)
		}
	}
	for _, name := range runs {
		if l := left(name); l != nil {
			l.Folder = r.engine.Folder(l.Run)
		}
	}
	var all []Left
	for _, l := range byRun {
		seen, err := time.Parse(stamp, newest[l.Run])
		l.Old = l.Old && err == nil && r.started.Sub(seen) > maxAge
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b Left) int { return strings.Compare(a.Run, b.Run) })
	return all, nil
}

// Clear removes a leftover that is Old. It returns the rest that it could not remove, or nil.
func (r *Run) Clear(ctx context.Context, l Left) *Left {
	if !l.Old {
		l.Err = errors.New("only old leftovers of the same check are removed")
		return &l
	}
	return r.remove(ctx, l)
}

// Do runs the statements and writes the result. At the end it removes the run's tables and objects, even if a statement
// failed or ctx ended. left has the tables and objects that remain: Do could not remove them, or a statement may still
// write them. It is nil if nothing remains. The result is right in spite of them.
func (r *Run) Do(ctx context.Context, to io.Writer, show func(State)) (left *Left, err error) {
	work, drops := r.Statements()
	begun, failed, outcome := map[string]bool{}, "", client.ExecutionSucceeded
	var now State
	unmark := r.marking(ctx)
	defer func() {
		unmark()
		now.Name = "removing its tables"
		show(now)
		own := Left{Run: r.id}
		for _, s := range drops {
			if begun[s.Table] {
				own.Tables = append(own.Tables, s.Table)
			}
		}
		own.Tables = append(own.Tables, r.markers...)
		left = r.settle(r.remove(context.WithoutCancel(ctx), own), outcome, failed)
	}()
	before := int64(0)
	for n, s := range work {
		now = State{Number: n + 1, Of: len(work), Name: s.Name, Scanned: before}
		show(now)
		scanned := func(bytes int64) {
			now.Scanned = max(now.Scanned, before+bytes)
			show(now)
		}
		if s.Kind == sql.Result {
			err = r.engine.Result(ctx, r.id, s, to, scanned)
		} else {
			begun[s.Table] = true
			err = r.engine.Exec(ctx, r.id, s.Text, scanned)
		}
		if err != nil {
			failed, outcome = s.Table, outcomeOf(err)
			return nil, r.explain(fmt.Sprintf("running statement %d of %d, %s, on %s", n+1, len(work), s.Name, r.engine.Place()), err)
		}
		before = now.Scanned
	}
	return nil, nil
}

// The times for the end of a run: for one table, and for all objects.
const (
	dropTime   = 20 * time.Second
	objectTime = 2 * time.Minute
)

// remove drops the tables of a run and deletes its objects. It returns the rest that it could not remove, or nil. If
// the engine does not answer, remove tries no further table.
func (r *Run) remove(ctx context.Context, l Left) *Left {
	rest := Left{Run: l.Run, Old: l.Old}
	silent := false
	for _, name := range l.Tables {
		if !silent {
			var err error
			if silent, err = r.drop(ctx, l.Run, name); err == nil {
				continue
			}
			rest.Err = cmp.Or(rest.Err, err)
		}
		rest.Tables = append(rest.Tables, name)
	}
	// Even a run without objects has some now: the results of the statements that dropped its tables.
	if folder := r.engine.Folder(l.Run); folder != "" {
		ctx, cancel := context.WithTimeout(ctx, objectTime)
		defer cancel()
		if err := r.engine.Remove(ctx, l.Run); err != nil {
			rest.Folder, rest.Err = folder, cmp.Or(rest.Err, err)
		}
	}
	if rest.Err == nil {
		return nil
	}
	rest.Err = r.explain("removing "+rest.String()+" from "+r.engine.Place(), rest.Err)
	return &rest
}

// drop drops a table of a run. silent is set if the engine does not answer.
func (r *Run) drop(ctx context.Context, run, name string) (silent bool, err error) {
	if !runID.MatchString(name) {
		return false, fmt.Errorf("%s is no table of a run", name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, dropTime, &client.Error{
		Kind: client.Unreachable, Why: fmt.Sprintf("the table was not dropped within %v", dropTime),
	})
	defer cancel()
	err = r.engine.Exec(ctx, run, "DROP TABLE IF EXISTS "+name, func(int64) {})
	return client.KindOf(err) == client.Unreachable, err
}

// explain adds the attempt op to an error.
func (r *Run) explain(op string, err error) error {
	e, ok := errors.AsType[*client.Error](err)
	switch {
	case err == nil:
		return nil
	case !ok && errors.Is(err, context.Canceled):
		return &client.Error{Kind: client.Cancelled, Op: op, Why: "it was stopped", Err: err}
	case !ok:
		return &client.Error{Kind: client.Failed, Op: op, Why: err.Error(), Err: err}
	case e.Op == "":
		said := *e
		said.Op = op
		return &said
	}
	return err
}
