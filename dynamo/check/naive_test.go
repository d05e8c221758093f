package check_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/embedded/sdk"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// naive is the protocol that finds unclaimed locks, written a second time. A test can leave out a step of it, and show
// the wrong findings of a check without that step.
type naive struct {
	before bool          // reads the locks before the second reading of the accounts
	settle time.Duration // the wait between these two readings
	look   bool          // makes the second reading of the accounts strongly consistent
	looks  int
	// last reads a lock at the end.
	last func(r *reader, v string) bool
}

// whole has all steps of the protocol except the watch. Its second reading is strongly consistent.
var whole = naive{before: true, settle: settle, look: true, looks: 1, last: (*reader).lockAtOneMoment}

// tell returns the locks that the protocol calls orphaned.
func (p naive) tell(w *world) (findings []string) {
	r := w.reader()
	locked, holders := r.pass(false)
	var candidates []string
	for _, v := range locked {
		if len(holders[v]) == 0 {
			candidates = append(candidates, v)
		}
	}
	drop := func(why func(v string) bool) { candidates = slices.DeleteFunc(candidates, why) }
	if p.before {
		drop(func(v string) bool { return !r.lock(v) })
	}
	time.Sleep(p.settle)
	for range p.looks {
		_, holders := r.pass(p.look)
		drop(func(v string) bool { return len(holders[v]) > 0 })
	}
	drop(func(v string) bool { return !p.last(r, v) })
	for _, v := range candidates {
		findings = append(findings, "orphaned-lock "+v)
	}
	return findings
}

// missingBySteps finds missing locks. It reads the account, then the lock, then the account again.
func missingBySteps(w *world) (findings []string) {
	r := w.reader()
	locked, holders := r.pass(false)
	for v, ids := range holders {
		if !slices.Contains(locked, v) && r.holds(ids[0], v) && !r.lock(v) && r.holds(ids[0], v) {
			findings = append(findings, "missing-lock "+v)
		}
	}
	return findings
}

// duplicateBySteps finds duplicates by reading their accounts one after the other. If careful is set, it reads the
// first account a second time.
func duplicateBySteps(careful bool) func(w *world) []string {
	return func(w *world) (findings []string) {
		r := w.reader()
		_, holders := r.pass(false)
		for v, ids := range holders {
			if len(ids) > 1 && r.holds(ids[0], v) && r.holds(ids[1], v) && (!careful || r.holds(ids[0], v)) {
				findings = append(findings, "duplicate-value "+v)
			}
		}
		return findings
	}
}

// reader reads a table through its network.
type reader struct {
	w      *world
	client *dynamodb.Client
}

func (w *world) reader() *reader { return &reader{w, sdk.Client(w)} }

// pass reads the segments of worldTable in random order. It returns the values that have locks, and the holders of each
// value.
func (r *reader) pass(consistent bool) (locked []string, holders map[string][]string) {
	holders = map[string][]string{}
	for _, segment := range rand.Perm(segments) {
		page, err := r.client.Scan(r.w.t.Context(), &dynamodb.ScanInput{
			TableName: aws.String(worldTable), ConsistentRead: aws.Bool(consistent), Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(segments),
		})
		if err != nil {
			r.w.t.Fatal(err)
		}
		for _, item := range page.Items {
			pk := text(item["PK"])
			if v, is := strings.CutPrefix(pk, "UNIQ#"); is {
				locked = append(locked, v)
			} else if id, is := strings.CutPrefix(pk, "ACCT#"); is {
				v := text(item["username"])
				holders[v] = append(holders[v], id)
			}
		}
	}
	return locked, holders
}

// lock reports whether a value has a lock. The read is strongly consistent.
func (r *reader) lock(v string) bool { return r.get(lockKey(v)) != nil }

// holds reports whether an account holds a value. The read is strongly consistent.
func (r *reader) holds(id, v string) bool { return text(r.get(accountKey(id))["username"]) == v }

func (r *reader) get(key doc) doc {
	out, err := r.client.GetItem(r.w.t.Context(), &dynamodb.GetItemInput{TableName: aws.String(worldTable), Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		r.w.t.Fatal(err)
	}
	return out.Item
}

// lockAtOneMoment is like lock, but it reads in a transaction.
func (r *reader) lockAtOneMoment(v string) bool {
	out, err := r.client.TransactGetItems(r.w.t.Context(), &dynamodb.TransactGetItemsInput{
		TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: aws.String(worldTable), Key: lockKey(v)}}},
	})
	if err != nil {
		r.w.t.Fatal(err)
	}
	return len(out.Responses[0].Item) > 0
}

func text(v types.AttributeValue) string {
	s, is := v.(*types.AttributeValueMemberS)
	if !is {
		return ""
	}
	return s.Value
}
