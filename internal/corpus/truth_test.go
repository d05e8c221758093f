package corpus_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/layout/config"
	"tallylock/internal/testrun"
)

// described has layouts of some families, as a person would write them. With these layouts, the program's answers have
// to be right; otherwise the corpus is wrong. Two families have uncertain answers, since an account holds an old value
// in another attribute.
var described = map[string]config.Account{
	"onetable scoped":                      {PK: "{tenant}#user#{id}", SK: "user#", Constraints: of("email", "_unique#{tenant}#User#email#{v}", "_unique#", "")},
	"typedorm":                             {PK: "USER#{id}", SK: "USER#{id}", Constraints: slices.Concat(of("email", "DRM_GEN_USER.EMAIL#{v}", "DRM_GEN_USER.EMAIL#{v}", ""), of("username", "DRM_GEN_USER.USERNAME#{v}", "DRM_GEN_USER.USERNAME#{v}", ""))},
	"electrodb constraint":                 {PK: "$mi6#userid_{id}", SK: "$user_1", Constraints: of("email", "$mi6#value_{v}", "$constraint_1#name_email#entity_user", "", "lower")},
	"dynamo-bao":                           {PK: "u#{id}", SK: "u", Constraints: of("email", "_raft_uc#_uc1#u#email:{v}", "_raft_uc", "relatedId")},
	"dynamo-bao tenants":                   {PK: "[{tenant}]#u#{id}", SK: "u", Constraints: of("email", "[{tenant}]#_raft_uc#_uc1#u#email:{v}", "_raft_uc", "relatedId")},
	"dynamoflow":                           {PK: "users#{id}#", SK: "users#", Constraints: of("email", "users_unique_email#{v}#", "users_unique_email#", "", "lower")},
	"uniq":                                 {PK: "MEMBER#{id}", SK: "PROFILE", Constraints: slices.Concat(of("email", "UNIQ#EMAIL#{v}", "UNIQ", "memberId", "lower"), of("nickname", "UNIQ#NICKNAME#{v}", "UNIQ", "memberId", "lower"))},
	"toasty":                               {PK: "{id}", Constraints: in("index_users_by_email", of("email", "{v}", "", "id"))},
	"email-constraint":                     {PK: "{id}", SK: "User", Constraints: of("email", "{v}", "EmailConstraint", "userId")},
	"own table, kinds":                     {PK: "{id}", Constraints: in("UniqueConstraints", slices.Concat(of("emailAddress", "EMAIL", "{v}", "userId"), of("userName", "USERNAME", "{v}", "userId")))},
	"value in the sort key":                {PK: "USER#{id}", SK: "PROFILE", Constraints: of("username", "USERNAMES", "{v}", "UserId")},
	"scope before the value":               {PK: "TENANT#{tenant}", SK: "USER#{id}", Constraints: of("email", "TENANT#{tenant}#EMAIL#{v}", "LOCK", "userId")},
	"scope from an attribute":              {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "T#{tenantId}#EMAIL#{v}", "UNIQUE", "")},
	"value not last":                       {PK: "USER#{id}", SK: "PROFILE", Constraints: of("username", "HANDLE#{v}#T#{tenant}", "HANDLE", "")},
	"sha256":                               {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAILHASH#{v}", "LOCK", "userId", "lower", "sha256")},
	"claims and orders":                    {PK: "CUSTOMER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "customerId")},
	"whole key as owner":                   {PK: "ACCOUNT|{id}", SK: "ACCOUNT", Constraints: of("login", "LOGIN|{v}", "LOGIN", "account")},
	"nested":                               {PK: "CONTACT#{id}", SK: "DETAILS", Constraints: of("contact.email", "CONTACTEMAIL#{v}", "CONTACTEMAIL", "contactId")},
	"a set":                                {PK: "PERSON#{id}", SK: "PERSON", Constraints: of("emails", "MAILBOX#{v}", "MAILBOX", "personId")},
	"a list":                               {PK: "PERSON#{id}", SK: "PERSON", Constraints: of("addresses", "ADDRESS#{v}", "ADDRESS", "personId")},
	"a number in a text key":               {PK: "SUB#{id}", SK: "SUB", Constraints: of("msisdn", "MSISDN#{v}", "MSISDN", "subscriber")},
	"a number as key":                      {PK: "{id}", Constraints: in("Phones", of("phone", "{v}", "", "userId"))},
	"a number as sort key":                 {PK: "user#{id}", SK: "0", Constraints: of("email", "email#{v}", "0", "userId")},
	"trimmed and folded":                   {PK: "SHOPPER#{id}", SK: "SHOPPER", Constraints: of("email", "SHOPPER_EMAIL#{v}", "SHOPPER_EMAIL", "shopperId", "trim", "lower")},
	"bare value twice":                     {PK: "{id}", SK: "{id}", Is: is("type", "PERSON"), Constraints: only(is("type", "EMAIL"), of("email", "{v}", "{v}", "personId"))},
	"the handle is the id":                 {PK: "USER#{id}", SK: "USER#{id}", Constraints: of("Email", "USEREMAIL#{v}", "USEREMAIL#{v}", "Username")},
	"versions of the account":              {PK: "USER#{id}", SK: "v0", Constraints: of("email", "EMAIL#{v}", "v0", "userId")},
	"serverless sign-up":                   {PK: "u#{id}", SK: "u#{id}", Constraints: of("emailAddress", "ue#{v}", "ue#{v}", "")},
	"players":                              {PK: "PLAYER#{id}", SK: "STATS", Constraints: of("gamertag", "GAMERTAGS", "TAG#{v}", "playerId", "lower")},
	"employees and badges":                 {PK: "COMPANY#{tenant}", SK: "EMPLOYEE#{id}", Constraints: of("workEmail", "COMPANY#{tenant}#WORKEMAIL#{v}", "WORKEMAIL", "employeeId")},
	"serial ids":                           {PK: "U#{id}", SK: "U", Constraints: slices.Concat(of("login", "L#{v}", "L", "uid"), of("mail", "M#{v}", "M", "uid"))},
	"owner by handle":                      {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "")},
	"an attribute that is mostly the same": {PK: "USER#{id}", SK: "PROFILE", Constraints: of("loginEmail", "LOGIN#{v}", "LOGIN", "userId")},
	"an owner that is mostly right":        {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId")},
	"no owner, though it often looks like one": {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "")},
	"few capitals, folded":                     {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId", "lower")},
	"few capitals, kept":                       {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId")},
	"guests have no locks":                     {PK: "USER#{id}", SK: "PROFILE", Is: is("type", "MEMBER"), Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId")},
	"two items under one lock key":             {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "LOCK", "userId")},
	"locked in two tables":                     {PK: "USER#{id}", SK: "PROFILE", Constraints: slices.Concat(of("email", "EMAIL#{v}", "EMAIL", "userId"), named("email-2", in("app-emails", of("email", "{v}", "", "userId"))))},
	"previous values":                          {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId")},
	"leads that hold the same values":          {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "userId")},
	"three words":                              {PK: "user#{id}", SK: "user#{id}", Constraints: slices.Concat(of("email", "email#{v}", "email#{v}", "userId"), of("phone", "phone#{v}", "phone#{v}", "userId"), of("handle", "handle#{v}", "handle#{v}", "userId"))},
	"all that can be wrong":                    {PK: "CUSTOMER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "customerId")},
	"all that can be wrong, no owners":         {PK: "user#{id}", SK: "user", Constraints: of("username", "taken#{v}", "taken", "", "lower")},
	"20,000 accounts":                          {PK: "PATRON#{id}", SK: "CARD", Constraints: of("mail", "PATRONMAIL#{v}", "PATRONMAIL", "patron", "lower")},
	"1 % accounts":                             {PK: "PATRON#{id}", SK: "CARD", Constraints: of("mail", "PATRONMAIL#{v}", "PATRONMAIL", "patron")},
}

func of(attribute, pk, sk, owner string, normalise ...string) []config.Constraint {
	return []config.Constraint{{Attribute: attribute, PK: pk, SK: sk, Owner: owner, Normalise: normalise}}
}

func is(attribute, value string) *config.Discriminator {
	return &config.Discriminator{Attribute: attribute, Value: value}
}

// only sets the attribute of the first constraint that distinguishes its locks from accounts.
func only(d *config.Discriminator, constraints []config.Constraint) []config.Constraint {
	constraints[0].Is = d
	return constraints
}

func named(name string, constraints []config.Constraint) []config.Constraint {
	constraints[0].Name = name
	return constraints
}

func in(table string, constraints []config.Constraint) []config.Constraint {
	for n := range constraints {
		constraints[n].Table = table
	}
	return constraints
}

// With the right layout, the answers are the truth. So the other tests judge only whether a layout is recognised.
func TestTruthOfFamilies(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range append(recognised, group{"sampled", sampled}) {
			for n, f := range g.families {
				account, ok := described[f.name]
				if !ok || !some(n) || f.count > 1000 && !testrun.Long() {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					w := f.build()
					c := config.Layout{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []config.Account{account}}
					report.add("described", f.name, w.judge(t, w.engine(t), c))
				})
			}
		}
	})
	report.tell(t, bars{"described": 95})
}
