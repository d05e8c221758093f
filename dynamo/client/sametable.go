package client

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// otherWithin bounds the question of what a table of another connection is.
const otherWithin = 3 * time.Second

// others are the connections of the config whose tables may be those of this one,
// reached another way: a tunnel, another role, another name of the server.
type others struct {
	all []*described
	mu  sync.Mutex
	met map[string]caution // by the table's name as it was asked for
}

// caution is what is asked for of a table. from is the other connection that asks for
// its guard, and untold why it is not known whether the table is that connection's.
type caution struct {
	guard        Guard
	reason       bool
	from, untold string
}

// described is another connection of the config. It is reached when a table of it
// has to be told from one of this connection.
type described struct {
	options Options
	place   place
	once    sync.Once
	conn    *Client
	err     error
}

func newOthers(ctx context.Context, all []Config) *others {
	o := &others{met: map[string]caution{}}
	for _, c := range all {
		d := &described{options: c.Options(), place: c.resolve(ctx)}
		d.options.Write = false
		o.all = append(o.all, d)
	}
	return o
}

// of is what is known to be asked for of a table.
func (o *others) of(table string) caution {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.met[table]
}

// known makes sure that it is known what is asked for of a table, before it is
// written.
func (o *others) known(ctx context.Context, c *Client, table string) error {
	o.mu.Lock()
	_, known := o.met[table]
	o.mu.Unlock()
	if known || len(o.all) == 0 {
		return nil
	}
	_, err := c.Describe(ctx, table) // which meets it
	return err
}

// meet finds out what other connections ask for of a table that was described. name
// is what it was asked for by, which may be its ARN. It asks nothing where nothing
// can be written.
func (o *others) meet(ctx context.Context, c *Client, name string, d Description) {
	if !c.options.Write || c.options.Transport != nil {
		return
	}
	said := caution{guard: c.options.guardOf(d.Name), reason: c.options.requiresReason(d.Name)}
	asking := c.options.stricterThan(o.all, d.Name)
	same, untold := make([]bool, len(asking)), make([]string, len(asking))
	var wg sync.WaitGroup
	for n, other := range asking {
		wg.Go(func() { same[n], untold[n] = other.has(ctx, d) })
	}
	wg.Wait()
	for n, other := range asking {
		if !same[n] {
			continue
		}
		if g := other.options.guardOf(d.Name); g.stricter(said.guard) {
			said.guard, said.from, said.untold = g, other.options.Name, untold[n]
		}
		said.reason = said.reason || c.options.heedsReason(other.options, d.Name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.met[name], o.met[d.Name] = said, said
}

// has reports whether a table is one of this connection's. Where that cannot be told
// it is, with the reason: the stricter guard holds.
func (other *described) has(ctx context.Context, d Description) (has bool, untold string) {
	at := other.place
	aws := at.host == ""
	switch {
	case aws && at.err == nil && !d.onAWS():
		return false, "" // AWS names the account of each of its tables
	case aws && d.onAWS() && at.region != "" && at.region != d.Region:
		return false, ""
	case aws && d.onAWS() && at.region != "" && at.account != "":
		return at.account == d.Account, ""
	case at.err != nil:
		return true, reason(at.err)
	}
	ctx, cancel := context.WithTimeout(ctx, otherWithin)
	defer cancel()
	conn, err := other.reach(ctx)
	if err != nil {
		return true, err.Error()
	}
	if aws && d.onAWS() { // one question for all tables
		if who := conn.Identity(ctx); who.Account != "" {
			return who.Account == d.Account, ""
		}
	}
	found, err := conn.Describe(ctx, d.Name)
	switch {
	case err == nil && found.ID != "" && d.ID != "":
		return found.ID == d.ID, ""
	case err == nil:
		return true, "it has one of that name, and no TableId tells the two apart"
	case KindOf(err) == NoTable, errors.Is(err, syscall.ECONNREFUSED):
		return false, "" // it has no such table, or nobody is there at all
	}
	return true, err.Error()
}

// reach connects, once.
func (other *described) reach(ctx context.Context) (*Client, error) {
	other.once.Do(func() {
		o := other.options
		o.MFA = func() (string, error) { return "", errors.New("it asks for the code of a device") }
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), otherWithin) // it is kept, whoever gives up
		defer cancel()
		other.conn, other.err = Connect(ctx, o)
	})
	return other.conn, other.err
}

// anAccount is what accounts of AWS are called.
var anAccount = regexp.MustCompile(`^[0-9]{12}$`)

// onAWS reports whether the table says that it is one of AWS itself: other servers
// have neither accounts nor Regions, and call theirs 000000000000 or ddblocal.
func (d Description) onAWS() bool {
	return anAccount.MatchString(d.Account) && d.Account != "000000000000" && aRegion.MatchString(d.Region)
}
