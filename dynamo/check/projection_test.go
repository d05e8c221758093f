package check_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
)

// wire records all Scan requests.
type wire struct {
	http.RoundTripper
	mu    sync.Mutex
	scans []scanRequest
}

// scanRequest is the body of a Scan request.
type scanRequest struct {
	TableName                string
	ConsistentRead           bool
	Limit                    int
	ProjectionExpression     string
	ExpressionAttributeNames map[string]string
}

// asks returns the attributes that the request names, sorted. It returns an empty text if the request is for whole
// items.
func (s scanRequest) asks() string {
	var names []string
	for place := range strings.SplitSeq(s.ProjectionExpression, ",") {
		names = append(names, s.ExpressionAttributeNames[place])
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
		body, again := asked(r)
		var s scanRequest
		if err := json.Unmarshal([]byte(body), &s); err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.scans = append(w.scans, s)
		w.mu.Unlock()
		r = again
	}
	return w.RoundTripper.RoundTrip(r)
}

// A check requests only the attributes that the layout names, for its sample and in every reading. But the second
// reading of the accounts is of whole items if findings need confirmation: any attribute may hold the value of an
// unclaimed lock.
func TestOnlyWhatIsNeededIsRead(t *testing.T) {
	t.Parallel()
	f := start(t)
	long := strings.Repeat("long", 60)                                            // needs one more reading to find its key
	more := doc{"about": str("x"), "ttl": num("4000000000"), "created": num("1")} // only the ttl is needed
	for _, table := range []string{"plain", "rich"} {
		f.create(table, "PK:S", "SK:S",
			user("1", "a", more), mail("a", more), user("2", "b", more), mail("left", more), user("3", long, more), user("4", "d"), user("5", "d"), mail("d"),
			doc{"PK": str("COUNTER"), "SK": str("VALUE"), "n": num("5"), "about": str("x")}, doc{"PK": str("ORDER#1"), "SK": str("ORDER"), "no": num("7"), "about": str("x")}, doc{"PK": str("ORDER#2"), "SK": str("ORDER"), "no": num("7")})
	}
	f.create("nicks", "k:S", "", doc{"k": str("ada"), "about": str("x")})
	f.expires("rich")
	rich := users(owned, func(c *config.Constraint) { c.Is = &config.Discriminator{Attribute: "kind", Value: "lock"} })
	rich.Accounts[0].Constraints = append(rich.Accounts[0].Constraints, config.Constraint{Attribute: "contact.nick", Table: "nicks", PK: "{v}"})
	rich.Counters = []config.Counter{{Name: "order", PK: "COUNTER", SK: "VALUE", Attribute: "n", IDs: []config.IDs{{Attribute: "no"}}}}
	watch := &wire{}
	see := func(o *dynamo.Options) { watch.RoundTripper, o.Transport = o.Transport, watch }
	for _, c := range []struct {
		table *dynamo.Table
		want  map[string]string // by table
	}{
		{f.described("plain", users(), see), map[string]string{"plain": "PK SK email tallylock_release"}},
		{
			f.described("rich", rich, see), map[string]string{
				"rich":  "PK SK contact contact.nick email kind n no owner tallylock_release ttl",
				"nicks": "k tallylock_release",
			},
		},
		{f.open("accounts", see), map[string]string{"accounts": "PK SK email tallylock_release username"}},
	} {
		for _, confirm := range []setting.Confirm{setting.ConfirmFull, setting.ConfirmReads, setting.ConfirmNone} {
			watch.scans = nil
			if _, sum := f.run(c.table, setting.Options{Confirm: confirm}); !sum.Complete {
				t.Errorf("%+v", sum)
			}
			whole := 0
			for _, s := range watch.scans {
				asks, want := s.asks(), c.want[s.TableName]
				switch {
				case asks == "":
					whole++
				case asks != want:
					t.Errorf("of %s %s (consistent: %v, limit %d) %q is asked for, want %q", confirm, s.TableName, s.ConsistentRead, s.Limit, asks, want)
				}
			}
			if len(watch.scans) < 2 || (whole > 0) != (confirm != setting.ConfirmNone) || whole > len(watch.scans)/2 {
				t.Errorf("%s, %s: %d scans, %d of whole items", c.table.Name, confirm, len(watch.scans), whole)
			}
		}
	}
}
