package corpus_test

import (
	"slices"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/find"
	"tallylock/dynamo/verdict"
)

// friends are tables with items that look like accounts and locks, but are not.
var friends = []family{
	{
		name: "leases", tables: []string{"locks key"},
		people: []spec{{"key": "job-{n}", "ownerName": "host-{city}", "leaseDuration": "20000", "recordVersionNumber": "{token}", "isReleased": flag(false)}},
	},
	{
		name: "terraform", tables: []string{"tf-locks LockID"},
		people: []spec{{"LockID": "bucket/{slug}/terraform.tfstate-md5", "Digest": "{token}"}},
	},
	{
		name: "idempotency", tables: []string{"idempotency id"},
		people: []spec{{"id": "orders-fn#{token}", "status": "COMPLETED", "expiration": num("{sec}"), "data": "{order}"}},
	},
	{
		name: "verification tokens", tables: []string{"app pk sk"}, ids: uuid,
		people: []spec{{"pk": "USER#{id}", "sk": "USER#{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 1, item: spec{"pk": "VT#{email}", "sk": "VT#{token}", "identifier": "{email}", "token": "{token}", "expires": num("{sec}")}}},
	},
	{
		name: "carts", tables: []string{"shop PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{
			{each: 1, item: spec{"PK": "CART#{id}", "SK": "CART", "items": num("{n}")}},
			{each: 1, item: spec{"PK": "SETTINGS#{id}", "SK": "SETTINGS", "theme": "dark", "userId": "{id}"}},
			{each: 1, item: spec{"PK": "SESSION#{token}", "SK": "SESSION", "userId": "{id}"}},
		},
	},
	{
		name: "memberships", tables: []string{"teams PK SK +GSI1PK/GSI1SK"}, ids: ulid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{
			{each: 1, item: spec{"PK": "ORG#{tenant}", "SK": "MEMBER#{id}", "GSI1PK": "MEMBER#{id}", "GSI1SK": "ORG#{tenant}", "userId": "{id}", "role": "{plan}"}},
		},
	},
	{
		name: "orders by customer", tables: []string{"orders orderId +customerId"}, ids: uuid,
		people: []spec{{"orderId": "{order}", "customerId": "{id}", "email": "{email}", "total": num("{total}")}},
	},
	{
		name: "lookup cache", tables: []string{"cache key"},
		people: []spec{{"key": "geo:{city}:{n}", "value": "{phone}", "ttl": num("{sec}")}},
	},
	{
		name: "next-auth", tables: []string{"next-auth pk sk +GSI1PK/GSI1SK"}, ids: uuid,
		people: []spec{{"pk": "USER#{id}", "sk": "USER#{id}", "type": "USER", "id": "{id}", "email": "{email}", "name": "{name}", "GSI1PK": "USER#{email}", "GSI1SK": "USER#{email}"}},
		others: []other{
			{each: 1, item: spec{"pk": "USER#{id}", "sk": "ACCOUNT#github#{n}", "type": "ACCOUNT", "userId": "{id}", "GSI1PK": "ACCOUNT#github", "GSI1SK": "ACCOUNT#{n}"}},
			{each: 2, item: spec{"pk": "USER#{id}", "sk": "SESSION#{token}", "type": "SESSION", "userId": "{id}", "GSI1PK": "SESSION#{token}", "GSI1SK": "SESSION#{token}"}},
			{each: 4, item: spec{"pk": "VT#{email}", "sk": "VT#{token}", "type": "VT", "identifier": "{email}", "token": "{token}", "expires": num("{sec}")}},
		},
	},
	{
		name: "unique e-mails, no locks", tables: []string{"users userId +email"}, ids: uuid,
		people: []spec{{"userId": "{id}", "email": "{email}", "name": "{name}", "passwordHash": "{token}"}},
	},
	{
		name: "e-mail is the key", tables: []string{"users email"}, ids: uuid,
		people: []spec{{"email": "{email}", "userId": "{id}", "name": "{name}", "passwordHash": "{token}"}},
	},
	{
		name: "teams of users", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "userId": "{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 1, item: spec{"PK": "TEAM#{token}", "SK": "TEAM", "ownerId": "{id}", "teamName": "{slug}"}}},
	},
	{
		name: "rate limits", tables: []string{"limits pk sk"},
		people: []spec{{"pk": "RL#login#{email}", "sk": "WINDOW", "count": num("{n}"), "ttl": num("{sec}")}},
	},
	{
		name: "audit by e-mail", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{
			{each: 1, item: spec{"PK": "AUDIT#{email}", "SK": "{date}", "action": "LOGIN", "by": "{id}"}},
			{each: 2, item: spec{"PK": "AUDIT#{email}", "SK": "X{date}", "action": "LOGOUT", "by": "{id}"}},
		},
	},
	{
		name: "newsletter", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 3, strangers: 30, item: spec{"PK": "SUBSCRIBER#{email}", "SK": "SUBSCRIBER", "list": "weekly", "since": "{date}"}}},
	},
	{
		name: "password resets", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 5, item: spec{"PK": "RESET#{email}", "SK": "RESET", "code": "{token}", "ttl": num("{sec}")}}},
	},
	{
		name: "invitations", tables: []string{"app PK SK"}, ids: ulid,
		people: []spec{{"PK": "ORG#{tenant}", "SK": "USER#{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 8, strangers: 20, item: spec{"PK": "ORG#{tenant}", "SK": "INVITE#{email}", "invitedBy": "{id}", "expires": num("{sec}")}}},
	},
	{
		name: "leases on accounts", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 3, item: spec{"PK": "LOCK#{id}", "SK": "LOCK", "ownerName": "worker-{n}", "leaseDuration": num("20000"), "recordVersionNumber": "{token}"}}},
	},
	{
		name: "adjacency lists", tables: []string{"graph PK SK +SK/PK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER#{id}", "email": "{email}", "city": "{city}"}},
		others: []other{
			{each: 1, item: spec{"PK": "CITY#{city}", "SK": "USER#{id}"}},
			{each: 2, item: spec{"PK": "PLAN#{plan}", "SK": "USER#{id}", "since": "{date}"}},
		},
	},
	{
		name: "a table of orders beside", tables: []string{"customers id +email", "orders orderId"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 1, in: 1, item: spec{"orderId": "{order}", "customerId": "{id}", "email": "{email}", "total": num("{total}")}}},
	},
	{
		name: "one to one", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER", "userId": "{id}", "email": "{email}", "cartId": "{order}"}},
		others: []other{
			{each: 1, item: spec{"PK": "CART#{order}", "SK": "CART", "userId": "{id}", "total": num("{total}")}},
			{each: 1, item: spec{"PK": "PREFS#{id}", "SK": "PREFS", "lang": "en"}},
		},
	},
	{
		name: "chat", tables: []string{"chat PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER", "username": "{username}"}},
		others: []other{
			{each: 1, times: 5, item: spec{"PK": "ROOM#{city}", "SK": "MSG#{date}#{id}{k}", "from": "{username}", "text": "hello {k}"}},
			{each: 2, item: spec{"PK": "TYPING#{username}", "SK": "{city}", "ttl": num("{sec}")}},
		},
	},
}

// judgeFriend counts every confirmed finding, and every certain verdict about a broken lock, as wrong: these tables
// have no problems and no locks.
func (w *world) judgeFriend(t *testing.T, e served, queries ...string) *judgement {
	t.Helper()
	j := &judgement{}
	table, err := w.opened(t, e)
	if err != nil {
		j.lacks("not opened: %v", err)
		return j
	}
	j.toml = tomlOf(t, table)
	for _, c := range table.Layout.Constraints() {
		if !c.PK.Empty() {
			j.lacks("%s is taken for a constraint", c.Name)
		}
	}
	j.ask(t, table, queries...)
	return j
}

// judgeStrangers is like judgeFriend. It also opens the table again, and asks for the values before any check. The
// program may say that a value is held, but not that something is broken.
func (w *world) judgeStrangers(t *testing.T, e served, queries ...string) *judgement {
	t.Helper()
	j := w.judgeFriend(t, e, queries...)
	table, err := w.opened(t, e)
	if err != nil {
		t.Fatal(err)
	}
	j.find(t, table, verdict.Verdict.Broken, queries...)
	return j
}

// ask checks a table without problems, and asks for values.
func (j *judgement) ask(t *testing.T, table *dynamo.Table, queries ...string) {
	t.Helper()
	found, _, _ := findings(t.Context(), table) // an error is a right result: nothing can be checked
	for _, f := range found {
		if f.Confirmed {
			j.wrong("check: %s %s", f.Kind, f.Subject())
		} else {
			j.lacks("check: %s %s, not confirmed", f.Kind, f.Subject())
		}
	}
	j.find(t, table, verdict.Verdict.Broken, queries...) // Held is a right verdict: the account was read
}

// find looks for the values. It counts a certain verdict as wrong if the function says returns true for it.
func (j *judgement) find(t *testing.T, table *dynamo.Table, says func(verdict.Verdict) bool, queries ...string) {
	t.Helper()
	for _, q := range queries {
		answer, err := find.Find(t.Context(), table, q, find.Options{Scan: true})
		if err != nil {
			continue
		}
		for _, r := range answer.Locks {
			if says(r.Verdict) && !r.Provisional && !r.Constraint.PK.Empty() {
				j.wrong("find %s: %s %s", q, r.Constraint.Name, r.Verdict)
			}
		}
	}
}

// The program recognises no locks in these tables, for any words.
func TestFriendsAreLeftAlone(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		n := 0
		for _, f := range slices.Concat(friends, decoys) {
			for name, f := range withVariants(f) {
				if n++; !some(n - 1) {
					continue
				}
				group := "friends"
				if name != f.name {
					group += ", other words"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					w := f.build()
					who := f.person(12)
					report.add(group, name, w.judgeFriend(t, w.engine(t), who["email"][0], who["id"][0], who["slug"][0], who["username"][0], "nobody@example.org", f.person(1)["email"][0]))
				})
			}
		}
	})
	report.tell(t, bars{"friends": 100})
}
