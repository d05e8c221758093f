package change_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
)

// The tests TestX… play traces that look right, but would delete or put a lock wrongly. They are the shortest
// traces of a model of the protocol, and have their numbers from the model.

// stage is a table with the accounts A and B, which are on different pages of a look, B first. X and Y are other
// accounts.
type stage struct {
	*fixture
	table      *dynamo.Table
	a, b, x, y string
	// steps has the events before the tool's requests. Each event happens once. The requests are "mark", "page 1", "page
	// 2", "delete" and "unmark", with "again" for another sending, such as "delete again".
	steps map[string]func()
	pages int
	seen  map[string]int
	ctx   context.Context
	// bodies has the requests of the tool's writes.
	bodies [][]byte
}

func newStage(t *testing.T) *stage {
	s := &stage{fixture: start(t), steps: map[string]func(){}, seen: map[string]int{}, ctx: t.Context()}
	s.create("odd")
	for n := range 4 {
		i := row(fmt.Sprintf("ACCT#%d", n), "PROFILE", "photo", strings.Repeat("x", 390<<10))
		s.put("odd", i)
	}
	s.put("odd", row("ACCT#small", "PROFILE", "username", "always"))
	s.put("odd", handle("always"))
	// A scan returns items in the order of the hashes of their keys. A page takes two of these accounts.
	var order []string
	for _, i := range s.items(place{"odd", "ACCT#"}) {
		if id := strings.TrimPrefix(text(i["PK"]), "ACCT#"); id != "small" {
			order = append(order, id)
		}
	}
	s.b, s.x, s.y, s.a = order[0], order[1], order[2], order[3]
	s.table = s.open("odd", uniqPreset, func(o *dynamo.Options) { o.AutoReadUnits = 0.001 })
	return s
}

// move changes the value of an account together with its locks, in one transaction. An empty text is no value.
func (s *stage) move(id, from, to string) {
	s.t.Helper()
	update := &types.Update{TableName: aws.String("odd"), Key: profile(id), ExpressionAttributeValues: item{}}
	if from == "" {
		update.ConditionExpression = aws.String("attribute_exists(PK) AND attribute_not_exists(username)")
	} else {
		update.ConditionExpression = aws.String("username = :from")
		update.ExpressionAttributeValues[":from"] = str(from)
	}
	update.UpdateExpression = aws.String("REMOVE username")
	if to != "" {
		update.UpdateExpression = aws.String("SET username = :to")
		update.ExpressionAttributeValues[":to"] = str(to)
	}
	if len(update.ExpressionAttributeValues) == 0 {
		update.ExpressionAttributeValues = nil
	}
	actions := []types.TransactWriteItem{{Update: update}}
	if to != "" {
		actions = append(actions, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("odd"), Item: handle(to), ConditionExpression: aws.String("attribute_not_exists(PK)")}})
	}
	if from != "" {
		actions = append(actions, types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String("odd"), Key: handle(from)}})
	}
	if !s.transact(actions...) {
		s.t.Fatalf("%s cannot go from %q to %q", id, from, to)
	}
}

// release applies a plan, and lets the events of steps happen before its requests.
func (s *stage) release(p *plan.Plan) change.Receipt {
	s.t.Helper()
	s.before = func(operation string, body []byte) error {
		name := ""
		switch {
		case operation == "Scan":
			s.pages++
			name = fmt.Sprint("page ", s.pages)
		case operation != "TransactWriteItems":
			return nil
		case marks(body):
			name = "mark"
		case updatesMark(body, "REMOVE"):
			name = "unmark"
		default:
			name = "delete"
		}
		if operation == "TransactWriteItems" {
			s.bodies = append(s.bodies, body)
		}
		s.seen[name]++
		if s.seen[name] > 1 {
			name += " again"
		}
		if step := s.steps[name]; step != nil {
			delete(s.steps, name)
			step()
		}
		return nil
	}
	r := s.changer.Apply(s.ctx, p, nil)
	s.before = nil
	for name := range s.steps {
		s.t.Errorf("%s never came", name)
	}
	return r
}

// keeps checks that a release was refused, and that the lock of v still exists without a mark.
func (s *stage) keeps(r change.Receipt, v string) {
	s.t.Helper()
	if r.Outcome != journal.Refused || r.Err != nil {
		s.t.Errorf("%s %v %v; want refused", r.Outcome, r.Reasons, r.Err)
	}
	if lock := s.get("odd", handle(v)); len(lock) != 2 {
		s.t.Errorf("the lock is %v", lock)
	}
}
