package check_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fault"
	"tallylock/internal/testrun"
)

// workload is a table with many concurrent writers. Each writer sends its next transaction after the answer to its last
// one. Locks of usernames name no owner, locks of e-mail addresses name their accounts, and there are counters.
//
// The writers make no mistakes: only accounts that expire leave broken values behind. So a check should find only these
// values and the problems that spoil has made.
type workload struct {
	*world
	people []*person

	mu    sync.Mutex
	faded map[string]bool // values of accounts that have expired
	did   map[string]int  // the number of transactions of each kind
}

// person is an account that comes and goes. Only one writer at a time changes it.
type person struct {
	sync.Mutex
	id, username, email string // username is empty if there is no account
}

// The size of a workload. There are twice as many values as people, so each value is free half of the time. If a check
// reads a lock repeatedly, it finds the lock absent at times.
const (
	people = 40
	names  = 2 * people
	fading = 6
	turn   = 50 * time.Millisecond // the longest time of a transaction
)

func newWorkload(t *testing.T, seed uint64, d fault.Delays) *workload {
	c := &workload{world: newWorld(t, seed, d), faded: map[string]bool{}, did: map[string]int{}}
	for n := range people {
		c.people = append(c.people, &person{id: fmt.Sprint("p", n)})
	}
	if err := sdk.Expire(t.Context(), c.app, worldTable, "ttl"); err != nil {
		t.Fatal(err)
	}
	return c
}

// spoil puts two problems of each kind into the table, and some people who never change. It returns the findings in the
// form of said.
func (c *workload) spoil() (wrong []string) {
	var all []doc
	for n := range 30 {
		no := fmt.Sprint("still", n)
		all = append(all, personItem(no, no, no+"@x"), lockKey(no), mailLock(no+"@x", no))
	}
	all = append(all, lockKey("undefined"))
	wrong = append(wrong, "malformed-lock undefined")
	for n := range 2 {
		of := func(kind string) string { return fmt.Sprint(kind, n) }
		whole := func(id string, more ...doc) { // an account, for which the caller adds locks
			all = append(all, personItem(id, id, id+"@x", more...))
		}
		wrong = append(wrong, "orphaned-lock "+of("left"), "orphaned-lock "+of("gone")+"@x")
		all = append(all, lockKey(of("left")), mailLock(of("gone")+"@x", of("gone")))

		wrong = append(wrong, "stale-lock "+of("old")+"@x")
		whole(of("changed"))
		all = append(all, lockKey(of("changed")), mailLock(of("changed")+"@x", of("changed")), mailLock(of("old")+"@x", of("changed")))

		wrong = append(wrong, "foreign-lock "+of("foreign")+"@x")
		whole(of("foreign"))
		all = append(all, lockKey(of("foreign")), mailLock(of("foreign")+"@x", of("nobody")))

		wrong = append(wrong, "missing-lock "+of("bare"), "missing-lock "+of("bare")+"@x")
		whole(of("bare"))

		wrong = append(wrong, "duplicate-value "+of("twin"), "duplicate-value "+of("twin")+"@x")
		whole(of("twin"))
		all = append(all, personItem(of("twins"), of("twin"), of("twin")+"@x"), lockKey(of("twin")), mailLock(of("twin")+"@x", of("twin")))

		wrong = append(wrong, "unnormalised-value "+of("Ada"))
		whole(of("Ada"))
		all = append(all, lockKey(of("ada")), mailLock(of("ada")+"@x", of("Ada")))

		wrong = append(wrong, "expiring-account "+of("ends"))
		ends := doc{"ttl": num("4000000000")}
		whole(of("ends"), ends)
		mail := mailLock(of("ends")+"@x", of("ends"))
		mail["ttl"] = ends["ttl"]
		all = append(all, lockKey(of("ends")), mail)

		// Two spellings of a username are two values, because the layout does not fold usernames. Each has its own account
		// and lock.
		whole(of("zoe"))
		all = append(all, personItem(of("ZOE"), of("ZOE"), of("other")+"@x"), lockKey(of("zoe")), lockKey(of("ZOE")), mailLock(of("zoe")+"@x", of("zoe")), mailLock(of("other")+"@x", of("ZOE")))
	}
	for name, value := range map[string]types.AttributeValue{"behind": num("3"), "text": str("7"), "big": num("9007199254740993"), "odd": num("7"), "twice": num("9"), "issue": num("0"), "order": num("0")} {
		all = append(all, doc{"PK": str("COUNTER"), "SK": str(name), "n": value})
	}
	for name, id := range map[string]string{"behind": "4", "lost": "2", "twice": "5"} {
		all = append(all, doc{"PK": str(strings.ToUpper(name) + "#" + id), "SK": str("a")})
	}
	all = append(all, doc{"PK": str("TWICE#5"), "SK": str("b")})
	wrong = append(wrong, "counter-behind behind", "counter-missing lost", "counter-not-a-number text", "counter-unsafe-integer big", "counter-off-step odd", "duplicate-id twice")
	if err := sdk.Put(c.t.Context(), c.app, worldTable, all...); err != nil {
		c.t.Fatal(err)
	}
	slices.Sort(wrong)
	return wrong
}

func personItem(id, username, email string, more ...doc) doc {
	item := accountItem(id, username)
	item["email"] = str(email)
	for _, m := range more {
		maps.Copy(item, m)
	}
	return item
}

func mailKey(v string) doc { return doc{"PK": str("MAIL#" + strings.ToLower(v)), "SK": str("LOCK")} }

func mailLock(v, id string) doc {
	item := mailKey(v)
	item["owner"] = str(id)
	return item
}

// open opens the workload through a slow network.
func (c *workload) open(settle time.Duration) *dynamo.Table {
	c.t.Helper()
	l := config.Layout{Name: "workload", Tables: []string{worldTable}, Accounts: []config.Account{{PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{
		{Attribute: "username", PK: "UNIQ#{v}", SK: "LOCK"},
		{Attribute: "email", PK: "MAIL#{v}", SK: "LOCK", Owner: "owner", Normalise: []string{"lower"}},
	}}}}
	for _, name := range []string{"behind", "lost", "text", "big", "odd", "twice", "issue", "order"} {
		counter := config.Counter{Name: name, PK: "COUNTER", SK: name, Attribute: "n", IDs: []config.IDs{{PK: strings.ToUpper(name) + "#{number}", SK: "{part}"}}}
		if name == "odd" {
			counter.Step = "2"
		}
		l.Counters = append(l.Counters, counter)
	}
	return opened(c.t, dynamo.Options{Options: client.Options{Transport: slow{c.engine.Transport(), turn}, Settle: settle}, Layouts: []config.Layout{l}}, worldTable)
}

// slow delays each request, and each answer.
type slow struct {
	http.RoundTripper
	most time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(rand.N(s.most))
	defer func() { time.Sleep(rand.N(s.most)) }()
	return s.RoundTripper.RoundTrip(r)
}

// work runs one writer until the context ends.
func (c *workload) work(ctx context.Context, dice *rand.Rand) {
	for ctx.Err() == nil {
		switch dice.IntN(100) {
		case 0, 1, 2, 3, 4, 5, 6, 7:
			c.mint(dice)
		case 8:
			c.fade(dice)
		case 9, 10: // a new person who never changes
			id := fmt.Sprint("new", c.count("settled in"))
			c.join(&person{id: id}, id, id+"@x")
		default:
			if p := c.people[dice.IntN(people)]; p.TryLock() {
				c.move(p, dice)
				p.Unlock()
			}
		}
		c.rest(dice)
	}
}

// rest sleeps for a random time that is shorter than turn.
func (c *workload) rest(dice *rand.Rand) { time.Sleep(time.Duration(dice.Int64N(int64(turn)))) }

// done counts a transaction if it was carried out, and returns carriedOut.
func (c *workload) done(what string, carriedOut bool) bool {
	if carriedOut {
		c.count(what)
	}
	return carriedOut
}

// count adds 1 to the number of transactions of a kind, and returns the number.
func (c *workload) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.did[what]++
	return c.did[what]
}

func (c *workload) move(p *person, dice *rand.Rand) {
	username, email := fmt.Sprint("v", dice.IntN(names)), fmt.Sprint("v", dice.IntN(names), "@x")
	switch kind := dice.IntN(8); {
	case p.username == "":
		c.join(p, username, email)
	case kind < 3:
		c.rename(p, username, "changed")
	case kind == 3:
		if email != p.email && c.done("mailed", c.write(put(personItem(p.id, p.username, email)), putNew(mailLock(email, p.id)), remove(mailKey(p.email)))) {
			p.email = email
		}
	case kind == 4: // gives the name up, and takes it back unless another person has it
		back := p.username
		if c.rename(p, "away-"+p.id, "went away") {
			c.rest(dice)
			c.rename(p, back, "came back")
		}
	case kind == 5:
		c.part(p)
	default: // the person leaves, and another one takes both values
		username, email := p.username, p.email
		heir := c.people[dice.IntN(people)]
		if heir == p || !heir.TryLock() {
			return
		}
		defer heir.Unlock()
		if c.part(p) && heir.username == "" {
			c.rest(dice)
			c.done("inherited", c.join(heir, username, email))
		}
	}
}

func (c *workload) join(p *person, username, email string) bool {
	signedUp := c.done("signed up", c.write(putNew(personItem(p.id, username, email)), putNew(lockKey(username)), putNew(mailLock(email, p.id))))
	if signedUp {
		p.username, p.email = username, email
	}
	return signedUp
}

func (c *workload) rename(p *person, username, what string) bool {
	if username == p.username {
		return false
	}
	renamed := c.done(what, c.write(put(personItem(p.id, username, p.email)), putNew(lockKey(username)), remove(lockKey(p.username))))
	if renamed {
		p.username = username
	}
	return renamed
}

func (c *workload) part(p *person) bool {
	parted := c.done("left", c.write(remove(accountKey(p.id)), remove(lockKey(p.username)), remove(mailKey(p.email))))
	if parted {
		p.username = ""
	}
	return parted
}

// fade signs a person up, and deletes the account as DynamoDB's TTL does: without its locks. It does so only a few
// times.
func (c *workload) fade(dice *rand.Rand) {
	n := c.count("began to fade")
	if n > fading {
		return
	}
	p := &person{id: fmt.Sprint("faded", n)}
	c.join(p, p.id, p.id+"@x")
	c.rest(dice)
	c.mu.Lock() // before the deletion: a check may find these locks at once
	c.faded["orphaned-lock "+p.username], c.faded["orphaned-lock "+p.email] = true, true
	c.mu.Unlock()
	c.done("expired", c.write(remove(accountKey(p.id))))
}

// mint takes a number. It writes an issue together with the issue counter in one transaction. It writes an order after
// the order counter.
func (c *workload) mint(dice *rand.Rand) {
	ctx := context.Background()
	if dice.IntN(2) == 0 {
		out, err := c.app.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String(worldTable), Key: doc{"PK": str("COUNTER"), "SK": str("order")},
			UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: doc{":one": num("1")}, ReturnValues: types.ReturnValueUpdatedNew,
		})
		if err != nil {
			c.t.Error(err)
			return
		}
		c.rest(dice)
		c.done("ordered", c.write(putNew(doc{"PK": str("ORDER#" + number(out.Attributes["n"])), "SK": str("a")})))
		return
	}
	out, err := c.app.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(worldTable), Key: doc{"PK": str("COUNTER"), "SK": str("issue")}, ConsistentRead: aws.Bool(true)})
	if err != nil {
		c.t.Error(err)
		return
	}
	seen := number(out.Item["n"])
	n, err := strconv.Atoi(seen)
	if err != nil {
		c.t.Error(err)
		return
	}
	next := fmt.Sprint(n + 1)
	c.done("issued", c.write(types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(worldTable), Key: doc{"PK": str("COUNTER"), "SK": str("issue")}, ConditionExpression: aws.String("n = :seen"),
		UpdateExpression: aws.String("SET n = :next"), ExpressionAttributeValues: doc{":seen": num(seen), ":next": num(next)},
	}}, putNew(doc{"PK": str("ISSUE#" + next), "SK": str("a")})))
}

func number(v types.AttributeValue) string {
	n, is := v.(*types.AttributeValueMemberN)
	if !is {
		return ""
	}
	return n.Value
}

// Many writers work at full speed. The check finds each problem that exists from start to end, and confirms only true
// findings.
func TestFullSpeed(t *testing.T) {
	t.Parallel()
	for _, look := range []setting.Look{setting.Strong, setting.Eventual}[:testrun.Runs(2, 1)] {
		t.Run(string(look), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { fullSpeed(t, 1, look) })
		})
	}
}

func fullSpeed(t *testing.T, seed uint64, look setting.Look) {
	c := newWorkload(t, seed, fault.Delays{Seed: seed, Lag: time.Second, Spread: 300 * time.Millisecond})
	want := c.spoil()
	table := c.open(1500 * time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	for n := range uint64(testrun.Runs(8, 3)) {
		busy.Go(func() { c.work(ctx, rand.New(rand.NewPCG(seed, n))) })
	}
	time.Sleep(time.Second)
	begun := time.Now()
	found, sum, err := run(t.Context(), table, setting.Options{Segments: 48, Look: look})
	took := time.Since(begun)
	stop()
	busy.Wait()
	if err != nil || !sum.Complete {
		t.Fatal(errors.Join(err, errors.New(sum.Why)))
	}
	var got []string
	for _, one := range found {
		if line := said([]finding.Finding{one})[0]; one.Confirmed && !c.faded[line] {
			got = append(got, line)
		}
	}
	slices.Sort(got)
	alike(t, got, want) // fails, too, if a finding occurs twice
	for _, what := range []string{"signed up", "changed", "mailed", "went away", "came back", "left", "inherited", "expired", "settled in", "issued", "ordered"} {
		if c.did[what] == 0 {
			t.Errorf("nobody %s: %v", what, c.did)
		}
	}
	if t.Failed() {
		for _, one := range found {
			t.Logf("%s %s: confirmed %v, %s", one.Kind, one.Value, one.Confirmed, one.Detail)
		}
	}
	t.Logf("%s: %v, %d found, %d unsettled", took, c.did, len(found), sum.Unsettled)
}
