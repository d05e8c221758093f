// Package doctor tries, one by one, what a connection needs: credentials, the endpoint, the
// clock, permissions, and what the endpoint can do. It writes nothing, and what a write
// alone would show it leaves untried, and says so. It imports client, attr, phrase and remedy; it
// knows no layouts, locks or counters. Start at Connection.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// State is what came of trying something.
type State string

// The states of a Line.
const (
	Works    State = "works"
	Fails    State = "fails"
	Doubtful State = "doubtful" // it works so far, or was not told
	Untried  State = "not tried"
)

// Line is one thing that was tried. Its texts may hold text from an endpoint: they are
// not sanitised.
type Line struct {
	Tried   string // "credentials", "dynamodb:Scan"
	State   State
	Outcome string          // in words
	Do      []remedy.Remedy // empty: nothing has to be done
}

// Failed is the line of something that does not work.
func Failed(tried string, err error) Line {
	if known, ok := errors.AsType[*client.Error](err); ok {
		l := Line{tried, Fails, known.Why, []remedy.Remedy{known.Remedy}}
		if known.Do != "" {
			l.Do = do(known.Do)
		}
		return l
	}
	return Line{tried, Fails, err.Error(), nil}
}

// do is a remedy that takes neither a flag nor a command.
func do(text string) []remedy.Remedy { return []remedy.Remedy{remedy.Of(remedy.Text, text)} }

// run tries things on one connection.
type run struct {
	c   *client.Client
	say func(Line)
}

// Connection tries what can be done on a connection, on the table or on the first that there
// is, and says each line as soon as it is known. first is said of that first table. The error
// is that of a context that has ended.
func Connection(ctx context.Context, c *client.Client, table, first string, say func(Line)) error {
	r := run{c, func(l Line) {
		if ctx.Err() == nil { // what was stopped tells nothing
			say(l)
		}
	}}
	r.login(ctx)
	r.say(Line{"Region", Works, c.Region(), nil})
	if !r.endpoint(ctx) {
		return ctx.Err()
	}
	r.caller(ctx)
	names, err := r.list(ctx, table != "")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	chosen := ""
	switch {
	case table != "":
	case err != nil:
		r.say(Line{"permissions", Untried, "there is no table to try them on", []remedy.Remedy{remedy.Of(remedy.TryTable)}})
		return nil
	case len(names) == 0:
		r.say(Line{
			"permissions",
			Untried,
			"there is no table in " + c.Where(),
			[]remedy.Remedy{remedy.Of(remedy.OtherRegion)},
		})
		return nil
	default:
		table, chosen = names[0], first
	}
	r.table(ctx, table, chosen)
	return ctx.Err()
}

// login says where the credentials come from.
func (r run) login(ctx context.Context) {
	const tried = "credentials"
	l, err := r.c.Login(ctx)
	switch {
	case err != nil:
		r.say(Failed(tried, err))
	case l.Source == "":
		r.say(Line{tried, Works, "none were found, and a server on this machine needs none", nil})
	case l.Expires.IsZero():
		r.say(Line{tried, Works, "found: " + l.Source, nil})
	default:
		r.say(Line{tried, Works, "found: " + l.Source + ", good until " + l.Expires.Local().Format("2006-01-02 15:04"), nil})
	}
}

// endpoint says whether the endpoint answers, and whether its clock agrees. It reports
// whether there is more to try.
func (r run) endpoint(ctx context.Context) bool {
	const tried = "endpoint"
	ahead, dated, err := r.c.Clock(ctx)
	off := max(ahead, -ahead) > client.MostSkew
	switch client.KindOf(err) {
	case client.Cancelled:
		return false
	case client.Unreachable:
		l := Failed(tried, err)
		if r.c.Where() == r.c.Region() { // one of AWS's, whose name is made of the Region
			l.Do = do("is " + r.c.Region() + " the right Region, and are the network and the VPN up?")
		}
		r.say(l)
		r.say(Line{"permissions", Untried, "the endpoint does not answer", nil})
		return false
	}
	r.say(Line{tried, Works, r.c.Endpoint() + " answers", nil})
	switch {
	case !dated:
		r.say(Line{"clock", Doubtful, "the endpoint's answer has no date to compare it with", nil})
	case off:
		r.say(Line{
			"clock",
			Fails,
			apart(ahead) + "; AWS refuses what is signed more than 5 minutes off",
			do("set this machine's clock"),
		})
	default:
		r.say(Line{"clock", Works, apart(ahead), nil})
	}
	switch client.KindOf(err) {
	case client.NoCredentials, client.Expired:
		if off {
			return true // the SDK signs by the endpoint's clock from the second attempt on
		}
		r.say(Failed("credentials", err))
		r.say(Line{"permissions", Untried, "the endpoint does not accept the credentials", nil})
		return false
	}
	return true
}

// apart says how far this machine's clock is ahead. Dates of answers have whole seconds.
func apart(ahead time.Duration) string {
	off := max(ahead, -ahead).Round(time.Second)
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	if off <= 2*time.Second {
		return "agrees with the endpoint's"
	}
	return fmt.Sprintf("%.0f s %s the endpoint's", off.Seconds(), side)
}

// caller says who the requests come from, as far as a report may show it: the name of a
// session is often a person's.
func (r run) caller(ctx context.Context) {
	const tried = "caller"
	who := r.c.Identity(ctx)
	switch {
	case who.Err != nil:
		l := Failed(tried, who.Err)
		l.State, l.Do = Doubtful, do("nothing needs it but the journal, which writes down the account")
		r.say(l)
	case who.ARN != "":
		r.say(Line{tried, Works, role(who.ARN) + " of the account " + who.Account, nil})
	}
}

// role is what an ARN says that the caller is, without the name of a person.
func role(arn string) string {
	parts := strings.Split(arn, "/")
	switch kind := parts[0]; {
	case strings.HasSuffix(kind, ":assumed-role") && len(parts) > 1:
		return "the role " + parts[1]
	case strings.HasSuffix(kind, ":root"):
		return "the root user"
	case strings.HasSuffix(kind, ":user"):
		return "an IAM user"
	case strings.HasSuffix(kind, ":federated-user"):
		return "a federated user"
	}
	return "a caller"
}

// list tries to list the tables. named: a table was named, and can be reached without.
func (r run) list(ctx context.Context, named bool) ([]string, error) {
	names, err := r.c.TableNames(ctx)
	if err == nil {
		r.say(Line{listTables, Works, phrase.Count(len(names), "table") + " in " + r.c.Where(), nil})
		return names, nil
	}
	l := r.lacks(listTables, "", err)
	if l.State == Fails {
		l.Outcome += without("no list of tables, no counters of all")
	}
	if named && client.KindOf(err) == client.Denied {
		l.State = Doubtful
	}
	r.say(l)
	return nil, err
}
