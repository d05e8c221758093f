package corpus_test

import (
	"slices"
	"testing"

	"tallylock/dynamo/layout"
)

// described is how a person would describe some of the families: read with that, each has
// to be judged right, or the corpus itself is wrong about them.
var described = map[string]layout.AccountConfig{
	"onetable scoped":         {PK: "{tenant}#user#{id}", SK: "user#", Constraints: of("email", "_unique#{tenant}#User#email#{v}", "_unique#", "")},
	"typedorm":                {PK: "USER#{id}", SK: "USER#{id}", Constraints: slices.Concat(of("email", "DRM_GEN_USER.EMAIL#{v}", "DRM_GEN_USER.EMAIL#{v}", ""), of("username", "DRM_GEN_USER.USERNAME#{v}", "DRM_GEN_USER.USERNAME#{v}", ""))},
	"electrodb constraint":    {PK: "$mi6#userid_{id}", SK: "$user_1", Constraints: of("email", "$mi6#value_{v}", "$constraint_1#name_email#entity_user", "", "lower")},
	"dynamo-bao":              {PK: "u#{id}", SK: "u", Constraints: of("email", "_raft_uc#_uc1#u#email:{v}", "_raft_uc", "relatedId")},
	"dynamo-bao tenants":      {PK: "[{tenant}]#u#{id}", SK: "u", Constraints: of("email", "[{tenant}]#_raft_uc#_uc1#u#email:{v}", "_raft_uc", "relatedId")},
	"dynamoflow":              {PK: "users#{id}#", SK: "users#", Constraints: of("email", "users_unique_email#{v}#", "users_unique_email#", "", "lower")},
	"uniq":                    {PK: "MEMBER#{id}", SK: "PROFILE", Constraints: slices.Concat(of("email", "UNIQ#EMAIL#{v}", "UNIQ", "memberId", "lower"), of("nickname", "UNIQ#NICKNAME#{v}", "UNIQ", "memberId", "lower"))},
	"toasty":                  {PK: "{id}", Constraints: in("index_users_by_email", of("email", "{v}", "", "id"))},
	"email-constraint":        {PK: "{id}", SK: "User", Constraints: of("email", "{v}", "EmailConstraint", "userId")},
	"own table, kinds":        {PK: "{id}", Constraints: in("UniqueConstraints", slices.Concat(of("emailAddress", "EMAIL", "{v}", "userId"), of("userName", "USERNAME", "{v}", "userId")))},
	"value in the sort key":   {PK: "USER#{id}", SK: "PROFILE", Constraints: of("username", "USERNAMES", "{v}", "UserId")},
	"scope before the value":  {PK: "TENANT#{tenant}", SK: "USER#{id}", Constraints: of("email", "TENANT#{tenant}#EMAIL#{v}", "LOCK", "userId")},
	"scope from an attribute": {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "T#{tenantId}#EMAIL#{v}", "UNIQUE", "")},
	"value not last":          {PK: "USER#{id}", SK: "PROFILE", Constraints: of("username", "HANDLE#{v}#T#{tenant}", "HANDLE", "")},
	"sha256":                  {PK: "USER#{id}", SK: "PROFILE", Constraints: of("email", "EMAILHASH#{v}", "LOCK", "userId", "lower", "sha256")},
	"claims and orders":       {PK: "CUSTOMER#{id}", SK: "PROFILE", Constraints: of("email", "EMAIL#{v}", "EMAIL", "customerId")},
}

func of(attribute, pk, sk, owner string, normalise ...string) []layout.ConstraintConfig {
	return []layout.ConstraintConfig{{Attribute: attribute, PK: pk, SK: sk, Owner: owner, Normalise: normalise}}
}

func in(table string, constraints []layout.ConstraintConfig) []layout.ConstraintConfig {
	for n := range constraints {
		constraints[n].Table = table
	}
	return constraints
}

// Whoever describes a table as it is gets exactly the truth: nothing but recognition is
// judged by the other tests.
func TestTruthOfFamilies(t *testing.T) {
	report := &report{}
	t.Run("each", func(t *testing.T) {
		for _, g := range recognised {
			for _, f := range g.families {
				account, ok := described[f.name]
				if !ok {
					continue
				}
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					w := f.build()
					c := layout.Config{Name: "ours", Tables: []string{w.tables[0].name()}, Accounts: []layout.AccountConfig{account}}
					report.add("described", f.name, w.judge(t, w.engine(t), c))
				})
			}
		}
	})
	report.tell(t, bars{"described": 100})
}
