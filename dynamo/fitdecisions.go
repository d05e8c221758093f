package dynamo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Decision is what a person has said of a table's layout, once, with the numbers that it
// was said by: what the items of a shape are, or that a constraint is right although
// something speaks against it. It is about one table, by its TableId.
type Decision struct {
	Table   string    `toml:"table"`
	TableID string    `toml:"table_id"`
	Said    time.Time `toml:"said"`
	Seen    string    `toml:"seen,omitempty"` // the numbers, in words
	// Items and Attribute are those of layout.Told, and Are is what such items are.
	Items     string  `toml:"items,omitempty"`
	Attribute string  `toml:"attribute,omitempty"`
	Are       Holding `toml:"are,omitempty"` // HoldsCopy or HoldsAccount
	// Constraint is accepted as it is, with what spoke against it: the layout's hash,
	// how many of its values had their locks, and how many locks were held by others.
	Constraint string `toml:"constraint,omitempty"`
	Layout     string `toml:"layout,omitempty"`
	Values     int    `toml:"values,omitempty"`
	Locked     int    `toml:"locked,omitempty"`
	Held       int    `toml:"held,omitempty"`
}

// Decisions are what people have said of the layout that a table has. They go for its fit,
// whose lock guards them.
type Decisions struct {
	fit      *Fitting
	said     []Decision
	accepted map[string]Decision // the constraints that a person has accepted, by name
}

// decisionFile is the file that they are kept in.
type decisionFile struct {
	Decisions []Decision `toml:"decision"`
}

// readDecisions reads a file of decisions. One that does not exist has none.
func readDecisions(path string) ([]Decision, error) {
	var file decisionFile
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file)
	}
	for _, a := range file.Decisions {
		if err == nil && a.TableID == "" && a.Table == "" {
			err = errors.New("a decision names no table")
		}
	}
	if err != nil {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "reading what was said of layouts, in " + path,
			Why:  err.Error(),
			Do:   "correct the file, or move it away: the questions are asked again then",
			Err:  err,
		}
	}
	return file.Decisions, nil
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, text []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".decisions-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func (a Decision) of(t *Table) bool {
	return a.TableID == t.ID && (t.ID != "" || a.Table == t.Name)
}

// Day is the date on which it was said.
func (a Decision) Day() string { return a.Said.Local().Format(time.DateOnly) }

// about tells one question from another.
func (a Decision) about() string {
	if a.Constraint != "" {
		return "constraint\x00" + a.Constraint + "\x00" + a.Layout
	}
	return a.Items + "\x00" + a.Attribute
}

// Keep keeps a decision about the table, in place of an earlier one of the same thing,
// and goes by it from now on.
func (d *Decisions) Keep(a Decision) error {
	t := d.fit.t
	path := t.conn.options.Decisions
	op := "keeping what was said of " + t.Name
	if path == "" {
		return &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "there is no place to keep it",
			Do:   "start with --config, or set a home directory",
		}
	}
	a.Table, a.TableID, a.Said = t.Name, t.ID, cmp.Or(a.Said, time.Now()).UTC().Truncate(time.Second)
	all, err := readDecisions(path)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(b Decision) bool { return b.of(t) && b.about() == a.about() })
	all = append(all, a)
	var text bytes.Buffer
	text.WriteString(
		"# What people have said of layouts, kept by tallylock: a question is asked once.\n# Take one away to be asked again.\n\n",
	)
	if err := toml.NewEncoder(&text).Encode(decisionFile{all}); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return &client.Error{
			Kind: client.Failed,
			Op:   op + " in " + path,
			Why:  err.Error(),
			Do:   "make the directory writable",
			Err:  err,
		}
	}
	d.follow(all)
	return nil
}

// Recall goes by what has been said of the table since it was opened: its layout may be
// open more than once.
func (d *Decisions) Recall() error {
	all, err := readDecisions(d.fit.t.conn.options.Decisions)
	if err == nil {
		d.follow(all)
	}
	return err
}

// All lists those about the layout that the table has.
func (d *Decisions) All() []Decision {
	d.fit.mu.Lock()
	defer d.fit.mu.Unlock()
	return slices.Clone(d.said)
}

// follow goes by the decisions that are about the table.
func (d *Decisions) follow(all []Decision) {
	t := d.fit.t
	hash := t.Layout.Hash()
	accepted := map[string]Decision{}
	var apply []Decision
	for _, a := range all {
		switch {
		case !a.of(t):
			continue
		case a.Are == HoldsCopy, a.Are == HoldsAccount:
			t.Layout.Tell(layout.Told{Items: a.Items, Attribute: a.Attribute}, a.Are == HoldsCopy)
		case a.Layout == hash:
			accepted[a.Constraint] = a
		default:
			continue
		}
		apply = append(apply, a)
	}
	d.fit.mu.Lock()
	defer d.fit.mu.Unlock()
	d.accepted, d.said = accepted, apply
	d.fit.rejudge()
}

// accepts reports whether a person has accepted a constraint as it is, and it has not
// become worse since.
func (d *Decisions) accepts(name string, e layout.Evidence) bool {
	a, ok := d.accepted[name]
	return ok && e.Held <= a.Held && e.Locked*max(a.Values, 1) >= a.Locked*max(e.Values, 1)
}

// Accept keeps that a constraint is right, although something speaks against it.
func (d *Decisions) Accept(c *layout.Constraint) error {
	fit := d.fit.Of(c)
	return d.Keep(Decision{
		Constraint: c.Name,
		Layout:     d.fit.t.Layout.Hash(),
		Seen:       cmp.Or(fit.Against(), fit.Rule.Text),
		Values:     fit.Values,
		Locked:     fit.Locked,
		Held:       fit.Held,
	})
}
