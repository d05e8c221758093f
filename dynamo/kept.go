package dynamo

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Kept is a layout that a person has accepted for one table. The table is read by it from
// then on, whatever a later sample would show, and its fit is judged as that of any other.
type Kept struct {
	Table   string `toml:"table"`
	TableID string `toml:"table_id,omitempty"`
	// Place is where the table is, of one without a TableId.
	Place string    `toml:"place,omitempty"`
	On    time.Time `toml:"kept"`
	// Inferred is what a sample showed when it was accepted, by its hash: that is no news.
	Inferred string `toml:"inferred,omitempty"`
	// Path is the file that it is kept in.
	Path string `toml:"-"`
}

// keptFile is a file with the one layout.
type keptFile struct {
	Kept
	Layouts []layout.Config `toml:"layout"`
}

// Day is the date on which it was accepted.
func (k *Kept) Day() string { return k.On.Local().Format(time.DateOnly) }

// keptOf names the file of a table's kept layout: by its TableId, so that a table of the
// same name that was made anew is another one.
func (c *Connection) keptOf(d client.Description) Kept {
	k := Kept{Table: d.Name, TableID: d.ID}
	if d.ID == "" {
		k.Place = c.Endpoint() + " " + d.Region + " " + d.Account
	}
	sum := sha256.Sum256([]byte(cmp.Or(k.TableID, k.Place+"\x00"+k.Table)))
	k.Path = filepath.Join(c.options.Kept, hex.EncodeToString(sum[:8])+".toml")
	return k
}

// readKept reads the layout that was kept of a table; nil where there is none.
func (c *Connection) readKept(d client.Description) (*Kept, *layout.Layout, error) {
	if c.options.Kept == "" {
		return nil, nil, nil
	}
	own := c.keptOf(d)
	data, err := os.ReadFile(own.Path)
	if errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, syscall.ENOTDIR) { // what the journal cannot be in, no layout is in
		return nil, nil, nil
	}
	var file keptFile
	if err == nil {
		err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file)
	}
	switch {
	case err != nil:
	case len(file.Layouts) != 1:
		err = errors.New("it does not have one [[layout]]")
	case file.TableID != own.TableID, file.Place != own.Place, own.TableID == "" && file.Table != own.Table:
		err = errors.New("it is about another table, " + file.Table)
	}
	if err != nil {
		return nil, nil, c.keptError("reading the layout that was kept of "+d.Name, own, client.Usage, err)
	}
	l, err := file.Layouts[0].Build()
	if err != nil {
		return nil, nil, c.keptError("reading the layout that was kept of "+d.Name, own, client.Usage, err)
	}
	file.Path = own.Path
	l.SetState(layout.Accepted)
	l.Configured = false // what speaks against it speaks on: a person answers that one by one
	return &file.Kept, l, nil
}

// KeptLayouts are the layouts that are kept in a directory, of whatever tables. Nothing may be
// opened by them: one that cannot be read is left out.
func KeptLayouts(dir string) []layout.Config {
	files, _ := os.ReadDir(dir)
	var all []layout.Config
	for _, f := range files {
		var kept keptFile
		if data, err := os.ReadFile(filepath.Join(dir, f.Name())); err == nil && toml.Unmarshal(data, &kept) == nil {
			all = append(all, kept.Layouts...)
		}
	}
	return all
}

func (c *Connection) keptError(op string, k Kept, kind client.Kind, err error) error {
	e := &client.Error{Kind: kind, Op: op + " in " + k.Path, Why: err.Error(), Err: err}
	failed, isPath := errors.AsType[*fs.PathError](err)
	if isPath {
		e.Why = failed.Err.Error()
	}
	switch {
	case kind != client.Usage:
		e.Do = "make its directory writable, or choose another place with --journal: it is kept beside the journal"
	case isPath:
		e.Do = "make it readable, or choose another place with --journal: it is kept beside the journal"
	default:
		e.Do = c.orForget(k)
	}
	return e
}

// orForget is what to do about a kept layout that cannot be used.
func (c *Connection) orForget(k Kept) string {
	return "correct that file, or forget it: " + CommandLine(
		append([]string{"layout", "--forget", "--table", k.Table}, c.options.Place...),
	)
}

// Correct says how to correct the table's layout, where it stands.
func (t *Table) Correct() string {
	if t.Kept != nil {
		return "correct the layout that was accepted, on L in the inspector, or forget it: " + t.Command(
			[]string{"layout", "--forget"},
		)
	}
	if !t.Layout.Configured {
		return "describe the layout in the config; this shows what was recognised: " + t.Command([]string{"layout"})
	}
	return "correct the layout in the config, which this shows: " + t.Command([]string{"layout"})
}

// Keep accepts the layout that the table is read by: it is kept for this table, by its
// TableId, until it is forgotten. The answer is for Kept, which the caller sets.
func Keep(t *Table) (*Kept, error) {
	op := "keeping the layout of " + t.Name
	switch {
	case t.conn.options.Kept == "":
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   op,
			Why:  "there is no place to keep it",
			Do:   "start with --journal, or set a home directory",
		}
	case t.Layout.Empty():
		return nil, &client.Error{
			Kind: client.NoLayout,
			Op:   op,
			Why:  "no layout was recognised",
			Do:   "see what was found: " + t.Command([]string{"layout"}),
		}
	}
	k := t.conn.keptOf(t.Description)
	k.On, k.Inferred = time.Now().UTC().Truncate(time.Second), t.Sample.shown("")
	head, err := toml.Marshal(k)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	config := t.Layout.Config(t.Name)
	config.Name = cmp.Or(t.Layout.Preset, t.Layout.Name, t.Name)
	text := "# A layout that was accepted for one table, kept by tallylock. `tallylock layout --forget` takes it away.\n" + string(head) + "\n" + string(config.TOML())
	if err := replaceFile(k.Path, []byte(text)); err != nil {
		return nil, t.conn.keptError(op, k, client.Failed, err)
	}
	return &k, nil
}

// Forget takes the layout away that was kept of a table, and reports whether there was one.
// The table need not be open: its layout may be what keeps it from being opened.
func (c *Connection) Forget(ctx context.Context, name string) (bool, error) {
	d, err := c.Describe(ctx, name)
	if err != nil || c.options.Kept == "" {
		return false, err
	}
	k := c.keptOf(d)
	err = os.Remove(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, c.keptError("forgetting the layout of "+name, k, client.Failed, err)
	}
	return true, nil
}

// Differs says how the layout that a sample shows differs from the one that was kept, a line
// each; nothing where it shows none, or the one that it showed when the other was accepted.
func Differs(ctx context.Context, t *Table) ([]string, error) {
	left := unreadUnits(t)
	if t.Kept == nil || t.Sample.unread != nil || left < 0.5 {
		return nil, nil
	}
	shown, err := newRecogniser(t, left).layout(ctx)
	if err != nil || shown.Empty() {
		return nil, err
	}
	if hash := t.Sample.shown(shown.Hash()); hash == t.Kept.Inferred || hash == t.Layout.Hash() {
		return nil, nil
	}
	return layout.Differences(t.Layout.Config(), shown.Config()), nil
}
