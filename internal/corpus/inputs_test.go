package corpus_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
)

// input is a published table, or a similar one.
type input struct {
	name string
	// tables have the names and keys, written as in family.tables. The first table is opened.
	tables []string
	items  func(*items)
	// want lists the constraints: "ACCOUNT/PROFILE attribute: LOCK#{v}/LOCK". A constraint without locks ends with
	// "unique". A constraint with a derived key ends with the key.
	want []string
	// finds lists the findings of a check: "duplicate-value VALUE". Nil means that no check is made.
	finds []string
}

// items collects the lines of a table (numbered.items).
type items struct {
	*rand.Rand
	lines []string
}

func (w *items) add(format string, a ...any) { w.lines = append(w.lines, fmt.Sprintf(format, a...)) }

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// ulid returns the id of the n-th item by time.
func (w *items) ulid(n int) string {
	id := []byte(fmt.Sprintf("01JDM%c%c%c%c%c", crockford[n/1024%32], crockford[n/32%32], crockford[n%32], crockford[w.IntN(32)], crockford[w.IntN(32)]))
	for len(id) < 26 {
		id = append(id, crockford[w.IntN(32)])
	}
	return string(id)
}

func (w *items) uuid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-9%03x-%012x", w.Uint32(), w.IntN(1<<16), w.IntN(1<<12), w.IntN(1<<12), w.Uint64N(1<<48))
}

// rulesOf lists the rules of a layout in the form of input.want.
func rulesOf(l *layout.Layout) (all []string) {
	for _, a := range l.Accounts {
		for _, c := range slices.Concat(a.Constraints, a.Unlocked) {
			lock := place(c.PK, c.SK)
			if c.PK.Empty() {
				lock = "unique"
			}
			text := fmt.Sprintf("%s %s: %s", place(a.PK, a.SK), c.Attribute, lock)
			if a.Is.Attribute != "" {
				text = fmt.Sprintf("%s (%s = %s) %s: %s", place(a.PK, a.SK), a.Is.Attribute, a.Is.Value, c.Attribute, lock)
			}
			for _, d := range a.Derived {
				text += " " + d.Attribute + "=" + d.Template.String()
			}
			all = append(all, text)
		}
	}
	return all
}

func place(pk, sk layout.Template) string { return strings.Trim(pk.String()+"/"+sk.String(), "/") }

// The program recognises the published tables, and a check finds exactly their problems.
func TestInputs(t *testing.T) {
	for _, in := range inputs {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				w := &items{Rand: rand.New(rand.NewPCG(seed, 29))}
				in.items(w)
				built := numbered{tables: in.tables, items: strings.Join(w.lines, "\n")}.build()
				table, err := built.opened(t, built.engine(t))
				if err != nil {
					t.Fatal(err)
				}
				if got := rulesOf(table.Layout); !slices.Equal(got, in.want) {
					t.Errorf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(got, "\n"), strings.Join(in.want, "\n"))
				}
				if in.finds == nil {
					continue
				}
				all, _, err := findings(t.Context(), table)
				if err != nil {
					t.Fatal(err)
				}
				var found []string
				for _, f := range all {
					found = append(found, strings.TrimSpace(fmt.Sprint(f.Kind, " ", f.Subject(), " ", strings.Join(f.Attributes, " "))))
				}
				slices.Sort(found)
				if !slices.Equal(found, in.finds) {
					t.Errorf("seed %d: found\n%s\nwant\n%s", seed, strings.Join(found, "\n"), strings.Join(in.finds, "\n"))
				}
			}
		})
	}
}

var inputs = []input{
	{
		name: "orders listed by customer", tables: []string{"shop PK SK"},
		items: func(w *items) { listedOrders(w, 4, func(int) int { return 10037 }) },
	},
	{
		name: "orders listed by customers", tables: []string{"shop PK SK"},
		items: func(w *items) { listedOrders(w, 60, func(int) int { return 10000 + w.IntN(25) }) },
	},
	{
		name: "one order of each customer, listed", tables: []string{"shop PK SK"},
		items: func(w *items) { listedOrders(w, 25, func(n int) int { return 10000 + n }) },
	},
	{
		name: "invoices under their number, copied", tables: []string{"billing pk sk"},
		items: func(w *items) {
			for n := range 30 {
				id, number := w.uuid(), fmt.Sprintf("INV-2026-%04d", n+1)
				same := fmt.Sprintf("invoiceNumber=%s client=C%d total:%d due=2026-12-%02d", number, w.IntN(9), w.IntN(5000), n%28+1)
				w.add("pk=INVOICE#%s sk=META %s", id, same)
				if n != 3 {
					w.add("pk=NUMBER#%s sk=META %s", number, same)
				}
			}
		},
	},
	{
		name: "bare customers, orders repeat their addresses", tables: []string{"shop pk"},
		items: func(w *items) {
			for n := range 24 {
				w.add("pk=%s email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("pk=email#c%d@x.io", n)
			}
			for n := range 30 {
				mail := fmt.Sprintf("c%d@x.io", w.IntN(24))
				if n%6 == 0 {
					mail = fmt.Sprintf("guest%d@y.io", n)
				}
				w.add("pk=ORDER#%s email=%s total:%d status=paid", w.uuid(), mail, w.IntN(900))
			}
		},
		want:  []string{"{id} email: email#{v}"},
		finds: []string{},
	},
	{
		name: "bare customers, each with one order at most", tables: []string{"shop pk"},
		items: func(w *items) {
			for n := range 24 {
				w.add("pk=%s email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("pk=email#c%d@x.io", n)
				if n != 3 {
					w.add("pk=ORDER#%s email=c%d@x.io total:%d", w.uuid(), n, w.IntN(900))
				}
			}
			w.add("pk=ORDER#%s email=c%d@x.io total:%d", w.uuid(), 4, w.IntN(900))
			w.add("pk=ORDER#%s email=guest@x.io total:%d", w.uuid(), w.IntN(900))
		},
		want:  []string{"{id} email: email#{v}"},
		finds: []string{},
	},
	{
		name: "bare customers, bare orders", tables: []string{"shop pk"},
		items: func(w *items) {
			for n := range 24 {
				w.add("pk=%s type=customer email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("pk=email#c%d@x.io", n)
			}
			for n := range 34 {
				mail := fmt.Sprintf("c%d@x.io", w.IntN(24))
				if n%6 == 0 {
					mail = fmt.Sprintf("guest%d@y.io", n)
				}
				w.add("pk=%s type=order email=%s total:%d", w.uuid(), mail, w.IntN(900))
			}
		},
		want:  []string{"{id} (type = customer) email: email#{v}"},
		finds: []string{},
	},
	{
		name: "bare customers, orders told by their type", tables: []string{"shop pk"},
		items: func(w *items) {
			for n := range 24 {
				w.add("pk=%s type=customer email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("pk=email#c%d@x.io", n)
			}
			for range 34 {
				w.add("pk=order:%s type=order email=c%d@x.io total:%d", w.uuid(), w.IntN(24), w.IntN(900))
			}
		},
		want:  []string{"{id} (type = customer) email: email#{v}"},
		finds: []string{},
	},
	{
		name: "bare customers, orders that nothing tells from them", tables: []string{"shop pk"},
		items: func(w *items) {
			for n := range 24 {
				w.add("pk=%s email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("pk=email#c%d@x.io", n)
			}
			for range 34 {
				w.add("pk=order:%s email=c%d@x.io total:%d", w.uuid(), w.IntN(24), w.IntN(900))
			}
		},
	},
	{
		name: "bare customers with a sort key", tables: []string{"shop PK SK"},
		items: func(w *items) {
			for n := range 24 {
				w.add("PK=%s SK=PROFILE email=c%d@x.io name=N%d", w.uuid(), n, n)
				w.add("PK=email#c%d@x.io SK=email", n)
			}
			for n := range 30 {
				mail := fmt.Sprintf("c%d@x.io", w.IntN(24))
				if n%6 == 0 {
					mail = fmt.Sprintf("guest%d@y.io", n)
				}
				w.add("PK=%s SK=ORDER email=%s total:%d status=paid", w.uuid(), mail, w.IntN(900))
			}
		},
		want:  []string{"{id}/PROFILE email: email#{v}/email"},
		finds: []string{},
	},
	{
		name: "a name that breaks the tie", tables: []string{"main pk sk"},
		items: func(w *items) { uniqueEmails(w, "email") },
		want:  []string{"User#{id}/User# uniqueEmail: _unique#User#uniqueEmail#{v}/_unique#"},
		finds: []string{"missing-lock u0@x.io", "orphaned-lock u24@x.io", "orphaned-lock u25@x.io", "orphaned-lock u26@x.io", "orphaned-lock u27@x.io", "orphaned-lock u28@x.io"},
	},
	{
		name: "a scope of three events", tables: []string{"registrations registration_id"},
		items: func(w *items) {
			events := []string{"devcon-2026", "gophers-2026", "rust-days"}
			for n := range 30 {
				mail, event := fmt.Sprintf("p%d@x.io", n-n%3*(n%2)), events[n%3]
				w.add("registration_id=%s email=%s event_id=%s name=N%d", w.uuid(), mail, event, n)
				w.add("registration_id=EMAIL_LOCK#%s#%s", mail, event)
			}
		},
		want:  []string{"{id} email: EMAIL_LOCK#{v}#{event_id}"},
		finds: []string{},
	},
	{
		name: "a scope of three events under UUIDs", tables: []string{"registrations registration_id"},
		items: func(w *items) {
			events := []string{w.uuid(), w.uuid(), w.uuid()}
			for n := range 45 {
				mail, event := fmt.Sprintf("p%d@x.io", n/3), events[n%3]
				w.add("registration_id=%s email=%s event_id=%s name=N%d", w.uuid(), mail, event, n)
				w.add("registration_id=EMAIL_LOCK#%s#%s createdAt=2026-01-02T03:04:05Z", mail, event)
			}
		},
		want:  []string{"{id} email: EMAIL_LOCK#{v}#{event_id}"},
		finds: []string{},
	},
	{
		name: "leads of two locations", tables: []string{"crm PK SK"},
		items: func(w *items) {
			for n := range 2 {
				w.add("PK=LOCATION#%s SK=META itemType=Location", []string{"berlin", "paris"}[n])
			}
			for n := range 6 {
				phone := fmt.Sprintf("+49170%07d", w.IntN(1e7))
				w.add("PK=LOCATION#berlin SK=LEAD#%s itemType=Lead phone=%s", w.ulid(n), phone)
				w.add("PK=LEAD_MOBILE#%s SK=META", phone)
			}
		},
		want:  []string{"LOCATION#berlin/LEAD#{id} phone: LEAD_MOBILE#{v}/META"},
		finds: []string{},
	},
	{
		name: "leads of locations", tables: []string{"crm PK SK"},
		items: func(w *items) {
			for n := range 8 {
				w.add("PK=LOCATION#loc%d SK=META itemType=Location name=L%d", n, n)
			}
			for n := range 30 {
				phone := fmt.Sprintf("+49170%07d", w.IntN(1e7))
				w.add("PK=LOCATION#loc%d SK=LEAD#%s itemType=Lead phone=%s name=N%d", w.IntN(8), w.uuid(), phone, n)
				w.add("PK=LEAD_MOBILE#%s SK=META", phone)
			}
		},
		want:  []string{"LOCATION#{k1}/LEAD#{id} phone: LEAD_MOBILE#{v}/META"},
		finds: []string{},
	},
	{
		name: "Auth.js", tables: []string{"next-auth pk sk +GSI1PK/GSI1SK"},
		items: authJS,
		want:  []string{"USER#{id}/{pk} email: unique GSI1PK=USER#{email} GSI1SK=USER#{email}"},
		finds: []string{"drifted-key GSI1PK GSI1PK GSI1SK", "duplicate-value u8@x.io"},
	},
	{
		name: "Auth.js, without its index", tables: []string{"next-auth pk sk"},
		items: authJS,
		want:  []string{"USER#{id}/{pk} email: unique GSI1PK=USER#{email} GSI1SK=USER#{email}"},
		finds: []string{"drifted-key GSI1PK GSI1PK GSI1SK", "duplicate-value u8@x.io"},
	},
	{
		name: "a lock under the account's id", tables: []string{"game PK SK"},
		items: func(w *items) {
			for n := range 12 {
				id, name := w.uuid(), fmt.Sprintf("player%d", n)
				w.add("PK=USER#%s SK=PROFILE username=%s score:%d", id, name, n)
				w.add("PK=USERNAME#%s SK=USER#%s", name, id)
				if n == 0 {
					id = w.uuid()
					w.add("PK=USER#%s SK=PROFILE username=%s score:%d", id, name, n)
					w.add("PK=USERNAME#%s SK=USER#%s", name, id)
				}
			}
		},
		want:  []string{"USER#{id}/PROFILE username: USERNAME#{v}/USER#{id}"},
		finds: []string{"duplicate-value player0"},
	},
	{
		name: "two players of one name", tables: []string{"game PK SK"},
		items: func(w *items) {
			for _, id := range []string{"a", "b"} {
				w.add("PK=USER#%s SK=PROFILE username=player0", id)
				w.add("PK=USERNAME#player0 SK=USER#%s", id)
			}
		},
		want:  []string{"USER#{id}/PROFILE username: USERNAME#{v}/USER#{id}"},
		finds: []string{"duplicate-value player0"},
	},
}

// listedOrders adds orders by id. Each order has a copy in the list of its customer. The first order has only this
// copy.
func listedOrders(w *items, many int, customer func(n int) int) {
	for n := range many {
		id, at := w.ulid(n*7), fmt.Sprintf("2026-03-%02dT10:%02d:00.000Z", n%28+1, n%60)
		buyer := customer(n)
		same := fmt.Sprintf("orderId=%s customerId=C%d total:%d createdAt=%s", id, buyer, 100+w.IntN(900), at)
		if n > 0 {
			w.add("PK=ORDER#%s SK=META %s", id, same)
		}
		w.add("PK=CUSTOMER#C%d SK=ORDER#%s#%s %s", buyer, at, id, same)
	}
}

// uniqueEmails adds accounts with an e-mail in the attribute named by kept. Active accounts repeat the e-mail in
// uniqueEmail; accounts with deletedAt do not. The locks belong to uniqueEmail. One lock is missing, and five belong to
// deleted accounts.
func uniqueEmails(w *items, kept string) {
	lock := func(n int) { w.add("pk=_unique#User#uniqueEmail#u%d@x.io sk=_unique# _type=_Unique", n) }
	for n := range 29 {
		id := w.ulid(n)
		switch {
		case n < 21:
			w.add("pk=User#%s sk=User# _type=User %s=u%d@x.io uniqueEmail=u%d@x.io", id, kept, n, n)
			if n > 0 {
				lock(n)
			}
		default:
			w.add("pk=User#%s sk=User# _type=User %s=u%d@x.io deletedAt=2026-01-02", id, kept, n)
			if n > 23 {
				lock(n)
			}
		}
	}
}

// If there are many tables, the program first samples a table whose name resembles the name of the accounts' table.
func TestLocksAmongManyTables(t *testing.T) {
	w := &items{Rand: rand.New(rand.NewPCG(1, 29))}
	for n := range 30 {
		id := w.uuid()
		w.add("memberId=%s email=m%d@x.io name=N%d", id, n, n)
		w.add("@1 email=m%d@x.io memberId=%s", n, id)
	}
	tables := []string{"members memberId", "member_emails email", "audit id", "books id", "carts id", "deals id", "feeds id"}
	built := numbered{tables: tables, items: strings.Join(w.lines, "\n")}.build()
	for n := 2; n < len(tables); n++ {
		built.tables[n].items = []jsonItem{{"id": map[string]any{"S": "x"}, "note": map[string]any{"S": "y"}}}
	}
	table, err := built.opened(t, built.engine(t))
	if err != nil {
		t.Fatal(err)
	}
	if got := rulesOf(table.Layout); len(got) != 1 || got[0] != "{id} email: {v}" {
		t.Errorf("%q", got)
	}
}

// authJS adds users in the form of Auth.js. One user has an old index key, and two users have the same address.
func authJS(w *items) {
	for n := range 20 {
		id, mail := w.uuid(), fmt.Sprintf("u%d@x.io", n)
		indexed := mail
		switch n {
		case 4:
			indexed = "old@x.io"
		case 9:
			mail, indexed = "u8@x.io", "u8@x.io"
		}
		w.add("pk=USER#%s sk=USER#%s type=USER id=%s email=%s GSI1PK=USER#%s GSI1SK=USER#%s", id, id, id, mail, indexed, indexed)
	}
}
