package corpus_test

// public are designs from public articles and repositories, written by hand.
var public = []family{
	{
		name: "whole key as owner", tables: []string{"saas PK SK"}, ids: uuid,
		people: []spec{{"PK": "ACCOUNT|{id}", "SK": "ACCOUNT", "login": "{username}", "company": "{slug}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "LOGIN|{v}", "SK": "LOGIN", "account": "ACCOUNT|{id}"}}},
	},
	{
		name: "paths", tables: []string{"store path kind"}, ids: hex24,
		people: []spec{{"path": "/users/{id}", "kind": "profile", "email": "{email}", "displayName": "{name} {last}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"path": "/emails/{v}", "kind": "claim", "uid": "{id}"}}},
	},
	{
		name: "firestore style", tables: []string{"docs id"}, ids: hex24,
		people: []spec{{"id": "users/{id}", "username": "{username}", "photo": "https://cdn.test/{id}.png"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"id": "usernames/{v}", "uid": "{id}"}}},
	},
	{
		name: "underscores", tables: []string{"table1 key"}, ids: short,
		people: []spec{{"key": "user_{id}", "email": "{email}", "plan": "{plan}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"key": "email_{v}", "user": "{id}"}}},
	},
	{
		name: "dashes", tables: []string{"prod-main pk sk"}, ids: ulid,
		people: []spec{{"pk": "USER-{id}", "sk": "A", "mail": "{email}", "first": "{name}", "last": "{last}"}},
		locks:  []lock{{of: "email", item: spec{"pk": "MAIL-{v}", "sk": "A"}}},
	},
	{
		name: "dots", tables: []string{"pairs k"}, ids: hex24,
		people: []spec{{"k": "user.{id}", "handle": "{username}", "since": "{date}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"k": "handle.{v}", "user": "{id}"}}},
	},
	{
		name: "tildes", tables: []string{"main hk rk"}, ids: ulid,
		people: []spec{{"hk": "U~{id}", "rk": "U", "e": "{email}", "n": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"hk": "E~{v}", "rk": "E", "u": "{id}"}}},
	},
	{
		name: "double colons", tables: []string{"Entities partitionKey sortKey"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"partitionKey": "User::{id}", "sortKey": "User", "emailAddress": "{email}", "active": flag(true)}},
		locks:  []lock{{of: "email", owned: true, item: spec{"partitionKey": "UserEmail::{v}", "sortKey": "UserEmail", "userId": "{id}"}}},
	},
	{
		name: "colons", tables: []string{"app pk sk"}, ids: uuid,
		people: []spec{{"pk": "user:{id}", "sk": "profile", "email": "{email}", "nickname": "{username}"}},
		locks: []lock{
			{of: "email", item: spec{"pk": "unique:user:email:{v}", "sk": "unique"}},
			{of: "username", item: spec{"pk": "unique:user:nickname:{v}", "sk": "unique"}},
		},
	},
	{
		name: "a number in a text key", tables: []string{"subscribers PK SK"}, ids: uuid,
		people: []spec{{"PK": "SUB#{id}", "SK": "SUB", "msisdn": num("{phone}"), "city": "{city}"}},
		locks:  []lock{{of: "phone", owned: true, item: spec{"PK": "MSISDN#{v}", "SK": "MSISDN", "subscriber": "{id}"}}},
	},
	{
		name: "a number as key", tables: []string{"Users userId", "Phones phone:N"}, ids: uuid,
		people: []spec{{"userId": "{id}", "phone": num("{phone}"), "name": "{name}"}},
		locks:  []lock{{of: "phone", in: 1, owned: true, item: spec{"phone": num("{v}"), "userId": "{id}"}}},
	},
	{
		name: "nested", tables: []string{"crm PK SK"}, ids: uuid,
		people: []spec{{"PK": "CONTACT#{id}", "SK": "DETAILS", "contact": spec{"email": "{email}", "phone": "{phone}"}, "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "CONTACTEMAIL#{v}", "SK": "CONTACTEMAIL", "contactId": "{id}"}}},
	},
	{
		name: "a set", tables: []string{"people PK SK"}, ids: uuid,
		people: []spec{{"PK": "PERSON#{id}", "SK": "PERSON", "emails": many("emails"), "name": "{name}"}},
		locks:  []lock{{of: "emails", owned: true, item: spec{"PK": "MAILBOX#{v}", "SK": "MAILBOX", "personId": "{id}"}}},
	},
	{
		name: "a list", tables: []string{"people PK SK"}, ids: uuid,
		people: []spec{{"PK": "PERSON#{id}", "SK": "PERSON", "addresses": list("emails"), "name": "{name}"}},
		locks:  []lock{{of: "emails", owned: true, item: spec{"PK": "ADDRESS#{v}", "SK": "ADDRESS", "personId": "{id}"}}},
	},
	{
		name: "owner by handle", tables: []string{"social PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "username": "{username}", "email": "{email}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "username": "{username}"}}},
	},
	{
		name: "trimmed and folded", tables: []string{"shop PK SK"}, ids: uuid, mixed: true, padded: true, chain: "trim|lower",
		people: []spec{{"PK": "SHOPPER#{id}", "SK": "SHOPPER", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "SHOPPER_EMAIL#{v}", "SK": "SHOPPER_EMAIL", "shopperId": "{id}"}}},
	},
	{
		name: "much on the lock", tables: []string{"app PK SK"}, ids: ulid,
		people: []spec{{"PK": "MEMBER#{id}", "SK": "MEMBER", "type": "Member", "version": num("1"), "email": "{email}", "createdAt": "{date}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "MEMBEREMAIL#{v}", "SK": "MEMBEREMAIL", "type": "MemberEmail", "version": num("1"), "createdAt": "{date}", "createdBy": "signup-fn", "memberId": "{id}", "requestId": "{token}"}}},
	},
	{
		name: "hash only", tables: []string{"Users id"}, ids: uuid,
		people: []spec{{"id": "{id}", "kind": "user", "username": "{username}", "name": "{name}"}},
		locks:  []lock{{of: "username", item: spec{"id": "USERNAME:{v}", "kind": "username"}}},
	},
	{
		name: "an index beside the locks", tables: []string{"app PK SK +GSI1PK/GSI1SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER", "GSI1PK": "EMAIL#{email}", "GSI1SK": "USER", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "RESERVED#{v}", "SK": "RESERVED", "by": "{id}"}}},
	},
	{
		name: "value first", tables: []string{"login pk sk"}, ids: uuid,
		people: []spec{{"pk": "{id}", "sk": "user", "email": "{email}", "created": num("{sec}")}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "{v}|email", "sk": "login", "userId": "{id}"}}},
	},
	{
		name: "bare value twice", tables: []string{"people pk sk"}, ids: uuid,
		people: []spec{{"pk": "{id}", "sk": "{id}", "type": "PERSON", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "{v}", "sk": "{v}", "type": "EMAIL", "personId": "{id}"}}},
	},
	{
		name: "a partition of names in a tenant", tables: []string{"orgs PK SK"}, ids: ulid, perTenant: true,
		people: []spec{{"PK": "ORG#{tenant}", "SK": "MEMBER#{id}", "username": "{username}", "role": "{plan}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "ORG#{tenant}#USERNAMES", "SK": "{v}", "memberId": "{id}"}}},
	},
	{
		name: "domains", tables: []string{"sites PK SK"}, ids: ulid,
		people: []spec{{"PK": "SITE#{id}", "SK": "SITE", "customDomain": "{domain}", "title": "{name} at {city}"}},
		locks:  []lock{{of: "domain", owned: true, item: spec{"PK": "DOMAIN#{v}", "SK": "DOMAIN", "siteId": "{id}"}}},
	},
	{
		name: "the handle is the id", tables: []string{"social PK SK"},
		people: []spec{{"PK": "USER#{username}", "SK": "USER#{username}", "Username": "{username}", "Email": "{email}", "Bio": "{city}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "USEREMAIL#{v}", "SK": "USEREMAIL#{v}", "Username": "{username}"}}},
	},
	{
		name: "a profile and a login", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "LOGIN", "email": "{email}", "hash": "{token}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "LOGINEMAIL#{v}", "SK": "LOGINEMAIL"}}},
		others: []other{{each: 1, item: spec{"PK": "USER#{id}", "SK": "PROFILE", "name": "{name}", "city": "{city}"}}},
	},
	{
		name: "devices", tables: []string{"iot PK SK"}, ids: uuid, mixed: true,
		people: []spec{{"PK": "DEVICE#{id}", "SK": "DEVICE", "serialNumber": "{serial}", "firmware": "1.{n}.0"}},
		locks:  []lock{{of: "serial", owned: true, item: spec{"PK": "SERIAL#{v}", "SK": "SERIAL", "deviceId": "{id}"}}},
		others: []other{{each: 1, times: 3, item: spec{"PK": "DEVICE#{id}", "SK": "READING#{date}#{k}", "value": num("{n}{k}")}}},
	},
	{
		name: "wallets", tables: []string{"dapp pk sk"}, ids: uuid, chain: "lower",
		people: []spec{{"pk": "user#{id}", "sk": "user", "wallet": "{wallet}", "nonce": "{token}"}},
		locks:  []lock{{of: "wallet", owned: true, item: spec{"pk": "wallet#{v}", "sk": "wallet", "userId": "{id}"}}},
	},
	{
		name: "linked identities", tables: []string{"auth PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER", "googleId": "{sub}", "email": "{email}"}},
		locks: []lock{
			{of: "sub", owned: true, item: spec{"PK": "IDENTITY#google#{v}", "SK": "IDENTITY", "userId": "{id}"}},
			{of: "email", owned: true, item: spec{"PK": "IDENTITY#email#{v}", "SK": "IDENTITY", "userId": "{id}"}},
		},
	},
	{
		name: "two tables of locks", tables: []string{"Users id", "Emails email", "Usernames username"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "username": "{username}"}},
		locks: []lock{
			{of: "email", in: 1, owned: true, item: spec{"email": "{v}", "id": "{id}"}},
			{of: "username", in: 2, owned: true, item: spec{"username": "{v}", "id": "{id}"}},
		},
	},
	{
		name: "a table of all constraints", tables: []string{"users id", "unique_constraints pk"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", in: 1, owned: true, item: spec{"pk": "users#email#{v}", "entityId": "{id}"}}},
	},
	{
		name: "copies on the lock", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER", "username": "{username}", "name": "{name}", "city": "{city}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "NAME#{v}", "SK": "NAME", "username": "{v}", "name": "{name}", "userId": "{id}"}}},
	},
	{
		name: "a number as sort key", tables: []string{"app pk sk:N"}, ids: uuid,
		people: []spec{{"pk": "user#{id}", "sk": num("0"), "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "email#{v}", "sk": num("0"), "userId": "{id}"}}},
	},
	{
		name: "versions of the account", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "v0", "email": "{email}", "Latest": num("1")}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "v0", "userId": "{id}"}}},
		others: []other{{each: 4, item: spec{"PK": "USER#{id}", "SK": "v1", "email": "{email}"}}},
	},
	{
		name: "one partition", tables: []string{"small pk sk"}, ids: uuid,
		people: []spec{{"pk": "USER", "sk": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "USER_EMAIL", "sk": "{v}", "userId": "{id}"}}},
	},
	{
		name: "base64url", tables: []string{"app pk sk"}, ids: uuid,
		people: []spec{{"pk": "acct#{id}", "sk": "acct", "email": "{email}", "tier": "{plan}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "acctemail#{v|base64url}", "sk": "acctemail", "acctId": "{id}"}}},
	},
	{
		name: "serial ids", tables: []string{"legacy PK SK"}, ids: serial,
		people: []spec{{"PK": "U#{id}", "SK": "U", "uid": num("{id}"), "login": "{username}", "mail": "{email}"}},
		locks: []lock{
			{of: "username", owned: true, item: spec{"PK": "L#{v}", "SK": "L", "uid": num("{id}")}},
			{of: "email", owned: true, item: spec{"PK": "M#{v}", "SK": "M", "uid": num("{id}")}},
		},
	},
	{
		name: "employees and badges", tables: []string{"staff PK SK"}, ids: serial, perTenant: true,
		people: []spec{{"PK": "COMPANY#{tenant}", "SK": "EMPLOYEE#{id}", "companyId": "{tenant}", "workEmail": "{email}", "badge": "{serial}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "COMPANY#{tenant}#WORKEMAIL#{v}", "SK": "WORKEMAIL", "employeeId": "{id}"}}},
	},
	{
		name: "slug of an organisation's project", tables: []string{"projects PK SK"}, ids: ulid,
		people: []spec{{"PK": "ORG#{tenant}", "SK": "PROJECT#{id}", "slug": "{slug}", "title": "{city}"}},
		locks:  []lock{{of: "slug", owned: true, item: spec{"PK": "ORG#{tenant}#SLUG#{v}", "SK": "SLUG", "projectId": "{id}"}}},
	},
	{
		name: "serverless sign-up", tables: []string{"users-dev PK SK"}, ids: uuid,
		people: []spec{{"PK": "u#{id}", "SK": "u#{id}", "emailAddress": "{email}", "firstName": "{name}", "lastName": "{last}", "createdOn": num("{ms}")}},
		locks:  []lock{{of: "email", item: spec{"PK": "ue#{v}", "SK": "ue#{v}"}}},
		others: []other{
			{each: 2, times: 2, item: spec{"PK": "u#{id}", "SK": "o#{order}{k}", "amount": num("{total}")}},
			{each: 3, item: spec{"PK": "n#{token}", "SK": "n", "to": "{email}", "template": "welcome"}},
		},
	},
	{
		name: "players", tables: []string{"game PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"PK": "PLAYER#{id}", "SK": "STATS", "gamertag": "{username}", "wins": num("{n}")}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "GAMERTAGS", "SK": "TAG#{v}", "playerId": "{id}"}}},
		others: []other{{each: 1, times: 4, item: spec{"PK": "MATCH#{order}{k}", "SK": "PLAYER#{id}", "score": num("{n}{k}")}}},
	},
}
