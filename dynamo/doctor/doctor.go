// Package doctor tests everything that a connection needs: credentials, the endpoint, the clock,
// permissions, and the features of the endpoint. It writes nothing, so it reports the permissions to write
// as not tried. It imports client, attr, phrase and remedy. It knows no layouts, locks or counters. Start
// at Connection.
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

// State is the result of one test.
type State string

// The states of a Line.
const (
	Works    State = "works"
	Fails    State = "fails"
	Doubtful State = "doubtful" // it works in part, or the result is unknown
	Untried  State = "not tried"
)

// Line is one test and its result. Its fields may contain text from an endpoint, and are not sanitised.
type Line struct {
	Tried   string // the name of the test, such as "credentials" or "dynamodb:Scan"
	State   State
	Outcome string          // the result in words
	Do      []remedy.Remedy // the remedies; may be empty
}

// Failed returns the line of a test that failed with err.
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

// do returns text as a remedy that needs no flag and no command.
func do(text string) []remedy.Remedy { return []remedy.Remedy{remedy.Of(remedy.Text, text)} }

// run holds the data for the tests of one connection. say gets each Line.
type run struct {
	c   *client.Client
	say func(Line)
}

// Connection tests a connection, and its permissions on a table. It passes each Line to say as soon as the
// test is done. If table is empty, Connection takes the connection's first table. The text in the parameter
// first then follows the name of this table, and says why Connection took it. Connection returns an error
// only if the context has ended.
func Connection(ctx context.Context, c *client.Client, table, first string, say func(Line)) error {
	r := run{c, func(l Line) {
		if ctx.Err() == nil { // a cancelled test proves nothing
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
		r.say(Line{"permissions", Untried, "there is no table for these tests", []remedy.Remedy{remedy.Of(remedy.TryTable)}})
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

// login reports the source of the credentials.
func (r run) login(ctx context.Context) {
	const tried = "credentials"
	l, err := r.c.Login(ctx)
	switch {
	case err != nil:
		r.say(Failed(tried, err))
	case l.Source == "":
		r.say(Line{tried, Works, "no credentials found; a server on this machine needs none", nil})
	case l.Expires.IsZero():
		r.say(Line{tried, Works, "found: " + l.Source, nil})
	default:
		r.say(Line{tried, Works, "found: " + l.Source + ", valid until " + l.Expires.Local().Format("2006-01-02 15:04"), nil})
	}
}

// endpoint tests whether the endpoint answers, and compares the clocks. It returns false if the other tests
// are pointless: the context has ended, the endpoint does not answer, or the credentials do not work.
func (r run) endpoint(ctx context.Context) bool {
	const tried = "endpoint"
	ahead, dated, err := r.c.Clock(ctx)
	off := max(ahead, -ahead) > client.MostSkew
	switch client.KindOf(err) {
	case client.Cancelled:
		return false
	case client.Unreachable:
		l := Failed(tried, err)
		if r.c.Where() == r.c.Region() { // the endpoint is AWS's own, so the Region may be wrong
			l.Do = do("check the Region " + r.c.Region() + ", the network and the VPN")
		}
		r.say(l)
		r.say(Line{"permissions", Untried, "the endpoint does not answer", nil})
		return false
	}
	r.say(Line{tried, Works, r.c.Endpoint() + " answers", nil})
	switch {
	case !dated:
		r.say(Line{"clock", Doubtful, "unknown, because the endpoint's answer has no date", nil})
	case off:
		r.say(Line{
			"clock",
			Fails,
			apart(ahead) + "; AWS may refuse requests if the clock is wrong by more than 5 minutes",
			do("correct the clock of this machine"),
		})
	default:
		r.say(Line{"clock", Works, apart(ahead), nil})
	}
	switch client.KindOf(err) {
	case client.NoCredentials, client.Expired:
		if off {
			return true // the SDK corrects its clock by the answer, so the next requests may succeed
		}
		r.say(Failed("credentials", err))
		r.say(Line{"permissions", Untried, "the endpoint does not accept the credentials", nil})
		return false
	}
	return true
}

// apart puts the difference between this machine's clock and the endpoint's clock into words. It ignores a
// difference of up to two seconds, because the date in an answer has whole seconds.
func apart(ahead time.Duration) string {
	off := max(ahead, -ahead).Round(time.Second)
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	if off <= 2*time.Second {
		return "agrees with the clock of the endpoint"
	}
	return fmt.Sprintf("%.0f s %s the endpoint's clock", off.Seconds(), side)
}

// caller reports which role or user sends the requests. It omits the name of the session, because it is
// often the name of a person.
func (r run) caller(ctx context.Context) {
	const tried = "caller"
	who := r.c.Identity(ctx)
	switch {
	case who.Err != nil:
		l := Failed(tried, who.Err)
		l.State, l.Do = Doubtful, do("only the journal needs the caller, to record the AWS account")
		r.say(l)
	case who.ARN != "":
		r.say(Line{tried, Works, role(who.ARN) + " of the account " + who.Account, nil})
	}
}

// role puts the ARN of a caller into words. It omits the names of users and sessions, because they are
// often the names of persons.
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

// list tests whether the tables can be listed. named is true if a person named a table. Then nothing needs
// the list, and a denied permission is no failure.
func (r run) list(ctx context.Context, named bool) ([]string, error) {
	names, err := r.c.TableNames(ctx)
	if err == nil {
		r.say(Line{listTables, Works, phrase.Count(len(names), "table") + " in " + r.c.Where(), nil})
		return names, nil
	}
	l := r.lacks(listTables, "", err)
	if l.State == Fails {
		l.Outcome += without("no list of tables, no list of all counters")
	}
	if named && client.KindOf(err) == client.Denied {
		l.State = Doubtful
	}
	r.say(l)
	return nil, err
}
