package check_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/testrun"
)

// nicks returns a layout with a further constraint for each name, in the order of the names.
func nicks(names ...string) config.Layout {
	l := users(owned)
	for _, name := range names {
		nick := l.Accounts[0].Constraints[0]
		nick.Attribute, nick.PK = name, name+"#{v}"
		l.Accounts[0].Constraints = append(l.Accounts[0].Constraints, nick)
	}
	return l
}

var lasts = doc{"ttl": num("4000000000")}

// The check finds each account that will leave a lock behind, even if another of its locks has a finding.
func TestExpiryBesideAnotherFinding(t *testing.T) {
	t.Parallel()
	f := start(t)
	nick := func(v string, more ...doc) doc { return with(doc{"PK": str("nick#" + v), "SK": str("LOCK")}, more...) }
	nicked := func(v string) doc { return doc{"nick": str(v)} }
	f.create("beside", "PK:S", "SK:S",
		user("1", "a", lasts, nicked("a1")), nick("a1"), // no lock of the first value
		user("2", "b", lasts, nicked("b2")), mail("b", owner("1")), nick("b2"), // its lock names another account
		user("3", "c", lasts, nicked("c3")), user("4", "c"), mail("c"), nick("c3"), // two accounts hold it
		user("5", "d", nicked("d5")), nick("d5", lasts), // only the lock expires
		user("6", "e", lasts, nicked("e6")), mail("e", lasts, owner("6")), nick("e6"))
	f.expires("beside")
	table := f.described("beside", nicks("nick"))
	for mode, mark := range map[setting.Confirm]string{setting.ConfirmFull: "", setting.ConfirmReads: "", setting.ConfirmNone: "?"} {
		found, _ := f.run(table, setting.Options{Confirm: mode})
		var want []string
		for _, one := range []string{"missing-lock a", "expiring-account a1", "foreign-lock b", "expiring-account b2", "duplicate-value c", "expiring-account c3", "missing-lock d", "expiring-account d5", "expiring-account e6"} {
			want = append(want, one+mark)
		}
		f.want(found, want...)
	}
}

// with adds attributes to an item.
func with(item doc, more ...doc) doc {
	for _, m := range more {
		maps.Copy(item, m)
	}
	return item
}

// Random tables have accounts that do not expire together with all of their locks. The check finds each of these
// accounts once. The finding is about the first of the locks with another TTL.
func TestExpiryAtRandom(t *testing.T) {
	t.Parallel()
	f := start(t)
	names := []string{"email", "nick", "phone"}
	for seed := range uint64(testrun.Runs(8, 3)) {
		dice := rand.New(rand.NewPCG(seed, 5))
		var items []doc
		var want []string
		for id := range 60 {
			account := user(fmt.Sprint(id), "")
			expires := dice.IntN(2) == 0
			if expires {
				with(account, lasts)
			}
			told := false
			for n, name := range names {
				v := fmt.Sprint(name, id)
				account[name] = str(v)
				lock := with(doc{"PK": str(name + "#" + v), "SK": str("LOCK")}, owner(fmt.Sprint(id)))
				if n == 0 {
					lock["PK"] = str("MAIL#" + v)
				}
				lasting := dice.IntN(2) == 0
				if lasting {
					with(lock, lasts)
				}
				switch dice.IntN(8) {
				case 0:
					want = append(want, "missing-lock "+v)
					continue
				case 1:
					with(lock, owner(fmt.Sprint(id+1000)))
					want = append(want, "foreign-lock "+v)
				default:
					if expires != lasting && !told {
						told = true
						want = append(want, "expiring-account "+v)
					}
				}
				items = append(items, lock)
			}
			items = append(items, account)
		}
		table := fmt.Sprint("random", seed)
		f.create(table, "PK:S", "SK:S", items...)
		f.expires(table)
		found, sum := f.run(f.described(table, nicks("nick", "phone")), setting.Options{Confirm: setting.ConfirmReads})
		if f.want(found, want...); !sum.Complete {
			t.Errorf("seed %d: %+v", seed, sum)
		}
	}
}

// If the TTL attribute of one table is unknown, the check compares no TTLs: the items of that table would look as if
// they never expired.
func TestExpiryThatOneTableDoesNotTell(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.create("people", "PK:S", "SK:S", user("1", "a", lasts), user("2", "b", lasts))
	f.create("mails", "PK:S", "SK:S", mail("a", lasts), mail("b", lasts))
	f.expires("people")
	f.expires("mails")
	apart := users(func(c *config.Constraint) { c.Table = "mails" })
	for _, silent := range []string{"", "people", "mails"} {
		table := f.described("people", apart, func(o *dynamo.Options) { o.Transport = mute{silent, o.Transport} })
		found, sum := f.run(table, setting.Options{})
		f.want(found)
		if said := strings.Contains(strings.Join(sum.Notes, " "), "DescribeTimeToLive is missing"); said != (silent != "") {
			t.Errorf("%q does not tell, and the notes are %q", silent, sum.Notes)
		}
	}
}

// mute refuses to tell the TTL attribute of one table.
type mute struct {
	table string
	http.RoundTripper
}

func (m mute) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if m.table != "" && bytes.Contains(body, []byte(`"TableName":"`+m.table+`"`)) {
		return denied{[]string{"DescribeTimeToLive"}, m.RoundTripper}.RoundTrip(r)
	}
	return m.RoundTripper.RoundTrip(r)
}
