package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tallylock/internal/testrun"
)

// sampled are tables that are much larger than the sample that the program reads, and tables with few
// accounts and locks.
var sampled = []family{
	{
		name: "20,000 accounts", tables: []string{"app PK SK"}, ids: uuid, count: 20_000, mixed: true, chain: "lower",
		people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL", "patron": "{id}"}}},
	},
	{
		name: "20,000 accounts, no owners", tables: []string{"app PK SK"}, ids: uuid, count: 20_000,
		people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL"}}},
	},
	{
		name: "20,000 accounts and a table of locks", tables: []string{"patrons id", "patron_mails mail"}, ids: uuid, count: 20_000,
		people: []spec{{"id": "{id}", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", in: 1, owned: true, item: spec{"mail": "{v}", "patron": "{id}"}}},
	},
	{
		name: "1 % accounts", tables: []string{"app PK SK"}, ids: uuid, count: 300,
		people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL", "patron": "{id}"}}},
		others: []other{{strangers: 30_000, item: spec{"PK": "EVENT#{token}", "SK": "EVENT", "at": "{date}", "city": "{city}"}}},
	},
	{
		name: "1 % accounts with an index", tables: []string{"app PK SK +mail"}, ids: uuid, count: 300,
		people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL"}}},
		others: []other{{strangers: 30_000, item: spec{"PK": "EVENT#{token}", "SK": "EVENT", "at": "{date}", "city": "{city}"}}},
	},
	{
		name: "0.3 % accounts", tables: []string{"app PK SK"}, ids: uuid, count: 90,
		people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL", "patron": "{id}"}}},
		others: []other{{strangers: 30_000, item: spec{"PK": "EVENT#{token}", "SK": "EVENT", "at": "{date}", "mail": "{email}"}}},
	},
	{
		name: "0.3 % accounts in a partition", tables: []string{"app PK SK"}, ids: uuid, count: 90,
		people: []spec{{"PK": "PATRONS", "SK": "{id}", "mail": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "PATRONMAILS", "SK": "{v}", "patron": "{id}"}}},
		others: []other{{strangers: 30_000, item: spec{"PK": "EVENT#{token}", "SK": "EVENT", "at": "{date}"}}},
	},
}

// rare are tables with few accounts: each design, with one account in fifty to five hundred items.
func rare() (all []family) {
	noted := other{item: spec{"PK": "EVENT#{token}", "SK": "EVENT", "at": "{date}", "city": "{city}", "note": strings.Repeat("it was cloudy ", 20)}}
	for _, f := range []family{
		{
			name: "owners", tables: []string{"app PK SK"},
			people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
			locks:  []lock{{of: "email", owned: true, item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL", "patron": "{id}"}}},
			others: []other{noted},
		},
		{
			name: "no owners", tables: []string{"app PK SK"},
			people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
			locks:  []lock{{of: "email", item: spec{"PK": "PATRONMAIL#{v}", "SK": "PATRONMAIL"}}},
			others: []other{noted},
		},
		{
			name: "two locks", tables: []string{"app PK SK +mail"},
			people: []spec{{"PK": "PATRON#{id}", "SK": "#CARD#{id}", "mail": "{email}", "handle": "{username}"}},
			locks: []lock{
				{of: "email", owned: true, item: spec{"PK": "uniq#mail#{v}", "SK": "uniq#mail#{v}", "patron": "{id}"}},
				{of: "username", owned: true, item: spec{"PK": "uniq#handle#{v}", "SK": "uniq#handle#{v}", "patron": "{id}"}},
			},
			others: []other{noted},
		},
		{
			name: "a table of locks", tables: []string{"app PK SK", "app_mails mail"},
			people: []spec{{"PK": "PATRON#{id}", "SK": "CARD", "mail": "{email}", "name": "{name}"}},
			locks:  []lock{{of: "email", in: 1, owned: true, item: spec{"mail": "{v}", "patron": "{id}"}}},
			others: []other{noted},
		},
	} {
		for _, share := range []int{50, 100, 200, 500} {
			f := f
			f.name, f.ids = fmt.Sprintf("one in %d, %s", share, f.name), uuid
			f.count = 20_000 / share
			f.others = slices.Clone(f.others)
			f.others[0].strangers = 20_000
			all = append(all, f)
		}
	}
	return all
}

// From a sample of a table, the program recognises either the right layout or none.
func TestRecognisedInSamples(t *testing.T) {
	if !testrun.Long() {
		t.Skip("TALLYLOCK_LONG is not set")
	}
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range []group{{"sampled", sampled}, {"sampled, rare", rare()}} {
			for _, f := range g.families {
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					w := f.build()
					report.add(g.name, f.name, w.judge(t, w.engine(t)))
				})
			}
		}
	})
	report.tell(t, bars{"sampled": 80, "sampled, rare": 100})
}

// A large table has an item for each account, and for as many people without an account. Such items are not recognised
// as locks, even if the sample has no people without an account.
func TestStrangersAreLeftAloneInSamples(t *testing.T) {
	if !testrun.Long() {
		t.Skip("TALLYLOCK_LONG is not set")
	}
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for name, item := range map[string]spec{
			"last login":            {"PK": "LASTLOGIN#{email}", "SK": "LASTLOGIN", "at": "{date}"},
			"last login, owners":    {"PK": "LASTLOGIN#{email}", "SK": "LASTLOGIN", "userId": "{id}", "at": "{date}"},
			"newsletter":            {"PK": "NEWSLETTER", "SK": "{email}"},
			"last login, own table": {"email": "{email}", "at": "{date}"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := family{
					name: name, tables: []string{"app PK SK", "app_logins email"}, ids: uuid, count: 8_000, people: []spec{user},
					others: []other{{each: 1, strangers: 8_000, item: item}},
				}
				if item["PK"] == nil {
					f.others[0].in = 1
				}
				w := f.build()
				report.add("strangers", name, w.judgeStrangers(t, w.engine(t), f.person(12)["email"][0], f.person(8_200)["email"][0], f.person(15_000)["email"][0]))
			})
		}
	})
	report.tell(t, bars{"strangers": 0})
}

// Half of the accounts of a large table have an item. Such items are not recognised as locks, even if in the sample
// each account has one.
func TestHalfIsLeftAloneInSamples(t *testing.T) {
	if !testrun.Long() {
		t.Skip("TALLYLOCK_LONG is not set")
	}
	report := &report{}
	for _, word := range []string{"VERIFIED", "EMAIL"} {
		f := family{
			name: word, tables: []string{"app PK SK"}, ids: uuid, count: 15_000, people: []spec{user},
			others: []other{{each: 2, item: spec{"PK": word + "#{email}", "SK": word, "userId": "{id}", "at": "{date}"}}},
		}
		w := f.build()
		report.add("half", f.name, w.judgeFriend(t, w.engine(t), f.person(12)["email"][0], f.person(5)["email"][0]))
	}
	report.tell(t, bars{"half": 100})
}
