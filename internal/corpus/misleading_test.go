package corpus_test

// misleading are tables in which a wrong layout fits nearly as well as the right one, or with so many problems that no
// layout fits well. For these tables, the program may answer "unknown", but its answers must not be wrong.
var misleading = []family{
	{
		name: "an attribute that is mostly the same", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "contactEmail": "{email}", "loginEmail": "{login}", "name": "{name}"}},
		locks:  []lock{{of: "login", owned: true, item: spec{"PK": "LOGIN#{v}", "SK": "LOGIN", "userId": "{id}"}}},
	},
	{
		name: "an owner that is mostly right", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "createdBy": "{by}", "userId": "{id}"}}},
	},
	{
		name: "no owner, though it often looks like one", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "createdBy": "{by}"}}},
	},
	{
		name: "few capitals, folded", tables: []string{"app PK SK"}, ids: uuid, mixed: true, fewMixed: true, chain: "lower",
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "few capitals, kept", tables: []string{"app PK SK"}, ids: uuid, mixed: true, fewMixed: true,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "guests have no locks", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{
			{"PK": "USER#{id}", "SK": "PROFILE", "type": "GUEST", "email": "{email}", "name": "{name}"},
			{"PK": "USER#{id}", "SK": "PROFILE", "type": "MEMBER", "email": "{email}", "name": "{name}"},
		},
		locks: []lock{{of: "email", owned: true, only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "a lock for each kind", tables: []string{"market PK SK"}, ids: uuid,
		people: []spec{
			{"PK": "SELLER#{id}", "SK": "SELLER", "email": "{email}", "name": "{name}"},
			{"PK": "BUYER#{id}", "SK": "BUYER", "email": "{email}", "name": "{name}"},
		},
		locks: []lock{
			{of: "email", owned: true, only: 1, item: spec{"PK": "SELLEREMAIL#{v}", "SK": "EMAIL", "ownerId": "{id}"}},
			{of: "email", owned: true, only: 2, item: spec{"PK": "BUYEREMAIL#{v}", "SK": "EMAIL", "ownerId": "{id}"}},
		},
	},
	{
		name: "two items under one lock key", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "LOCK", "userId": "{id}"}}},
		others: []other{{each: 3, item: spec{"PK": "EMAIL#{email}", "SK": "VERIFICATION", "userId": "{id}", "code": "{token}"}}},
	},
	{
		name: "previous values", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "previousEmails": list("previous"), "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "locked in two tables", tables: []string{"app PK SK", "app-emails email"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks: []lock{
			{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", in: 1, owned: true, item: spec{"email": "{v}", "userId": "{id}"}},
		},
	},
	{
		name: "eight people", tables: []string{"app PK SK"}, ids: uuid, count: 8,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "locks are being introduced", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, from: 25, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "half a hash", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v|sha256|half}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "a secret hash", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{sha256:pepper-{v|sha256}}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "capitals", tables: []string{"app PK SK"}, ids: uuid, chain: "upper",
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "username": "{username}", "name": "{name}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "USERNAME#{v}", "SK": "USERNAME", "userId": "{id}"}}},
	},
	{
		name: "one place for e-mails and usernames", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "alias": "{email}", "email": "{email}", "username": "{username}"}},
		locks: []lock{
			{of: "email", item: spec{"PK": "UNIQUE#{v}", "SK": "UNIQUE"}},
			{of: "username", item: spec{"PK": "UNIQUE#{v}", "SK": "UNIQUE"}},
		},
	},
	{
		name: "leads that hold the same values", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
		others: []other{{each: 2, item: spec{"PK": "LEAD#{token}", "SK": "LEAD", "email": "{email}", "campaign": "spring"}, strangers: 40}},
	},
}
