package corpus_test

// decoys are tables with items that have accounts' values in their keys, but are not locks: tokens, caches, lists.
var decoys = []family{
	{
		name: "reset tokens that name the user", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "RESET#{email}", "SK": "RESET", "userId": "{id}", "tokenHash": "{token}", "ttl": num("{sec}")}}},
	},
	{
		name: "login links by e-mail", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 3, item: spec{"PK": "MAGIC#{email}", "SK": "MAGIC", "userId": "{id}", "expiresAt": num("{sec}")}}},
	},
	{
		name: "phone codes with attempts", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"phone": "{tel}"})},
		others: []other{{each: 2, item: spec{"PK": "OTP#{tel}", "SK": "OTP", "code": "{k}{order}", "attempts": num("{k}"), "ttl": num("{sec}")}}},
	},
	{
		name: "login attempts", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "LOGINATTEMPTS#{email}", "SK": "COUNTER", "attempts": num("3"), "ttl": num("{sec}")}}},
	},
	{
		name: "last login", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "LASTLOGIN#{email}", "SK": "LASTLOGIN", "at": "{date}"}}},
	},
	{
		name: "last login of many", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, strangers: 30, item: spec{"PK": "LASTLOGIN#{email}", "SK": "LASTLOGIN", "at": "{date}"}}},
	},
	{
		name: "addresses of each user", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "MAILBOX#{id}", "SK": "EMAIL#{email}"}}},
	},
	{
		name: "logins of a day", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "LOGINS#2026-11-22", "SK": "{email}"}}},
	},
	{
		name: "logins of a day, owners", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "LOGIN#{email}", "SK": "20261122", "userId": "{id}"}}},
	},
	{
		name: "active in a month", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "ACTIVE:2026-11:{email}", "SK": "ACTIVE", "userId": "{id}"}}},
	},
	{
		name: "active in a week", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "2026-W47#{email}", "SK": "ACTIVE", "userId": "{id}"}}},
	},
	{
		name: "a reminder of a year", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, item: spec{"PK": "REMINDER_2026", "SK": "{email}"}}},
	},
	{
		name: "bounces", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, strangers: 10, item: spec{"PK": "SUPPRESSED#{email}", "SK": "SUPPRESSED", "reason": "BOUNCE", "at": "{date}"}}},
	},
	{
		name: "profile cache by handle", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"handle": "{username}", "city": "{city}"})},
		others: []other{{each: 2, item: spec{"PK": "CACHE#{username}", "SK": "CACHE", "name": "{name}", "city": "{city}", "userId": "{id}", "ttl": num("{sec}")}}},
	},
	{
		name: "api keys", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "APIKEY#{token}", "SK": "APIKEY", "userId": "{id}", "createdAt": "{date}"}}},
	},
	{
		name: "api keys on the user", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"apiKey": "{token}"})},
		others: []other{{each: 2, item: spec{"PK": "APIKEY#{token}", "SK": "APIKEY", "userId": "{id}", "createdAt": "{date}"}}},
	},
	{
		name: "sessions on the user", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"currentSession": "{token}"})},
		others: []other{{each: 2, item: spec{"PK": "SESSION#{token}", "SK": "SESSION", "userId": "{id}", "ttl": num("{sec}")}}},
	},
	{
		name: "a stripe customer", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"stripeId": "cus_{order}"})},
		others: []other{{each: 2, item: spec{"PK": "STRIPE#cus_{order}", "SK": "STRIPE", "userId": "{id}"}}},
	},
	{
		name: "slugs with posts", tables: []string{"blog PK SK"}, ids: uuid,
		people: []spec{{"PK": "POST#{id}", "SK": "META", "slug": "{slug}", "title": "{city}"}},
		others: []other{{each: 1, item: spec{"PK": "SLUG#{slug}", "SK": "CONTENT", "html": "<h1>{name} in {city} {last} {n}</h1>", "words": num("{n}")}}},
	},
	{
		name: "domains with configuration", tables: []string{"saas PK SK"}, ids: ulid,
		people: []spec{{"PK": "TENANT#{id}", "SK": "TENANT", "domain": "{domain}", "plan": "{plan}"}},
		others: []other{{each: 1, item: spec{"PK": "DOMAIN#{domain}", "SK": "CONFIG", "theme": "{city}", "maxUsers": num("{total}"), "tenantId": "{id}"}}},
	},
	{
		name: "search rows", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"handle": "{username}"})},
		others: []other{{each: 1, item: spec{"PK": "SEARCH", "SK": "{username}#{id}", "name": "{name}"}}},
	},
	{
		name: "followers by handle", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"handle": "{username}"})},
		others: []other{{each: 1, times: 2, item: spec{"PK": "FOLLOWERS#{username}", "SK": "F{k}#{last}", "since": "{date}"}}},
	},
	{
		name: "preferences by e-mail", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "PREFS#{email}", "SK": "PREFS", "weekly": flag(true), "lang": "{plan}"}}},
	},
	{
		name: "consents in a table beside", tables: []string{"users id", "user-consents email"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 2, in: 1, item: spec{"email": "{email}", "consent": flag(true), "at": "{date}"}}},
	},
	{
		name: "subscribers beside", tables: []string{"users id", "newsletter-by-email email"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}"}},
		others: []other{{each: 1, strangers: 30, in: 1, item: spec{"email": "{email}", "since": "{date}"}}},
	},
	{
		name: "waiting list", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, strangers: 40, item: spec{"PK": "WAITLIST", "SK": "{email}", "since": "{date}"}}},
	},
	{
		name: "invited users", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 1, strangers: 20, item: spec{"PK": "INVITE#{email}", "SK": "INVITE", "invitedBy": "admin", "status": "{plan}"}}},
	},
	{
		name: "unsubscribed", tables: []string{"app PK SK"}, ids: serial, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "UNSUBSCRIBED#{email}", "SK": "UNSUBSCRIBED", "userId": "{id}"}}},
	},
	{
		name: "verified e-mails", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "VERIFIED#{email}", "SK": "VERIFIED", "userId": "{id}", "at": "{date}"}}},
	},
	{
		name: "blocked, of few", tables: []string{"app PK SK"}, ids: uuid, count: 4, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "BLOCKED#{email}", "SK": "BLOCKED", "userId": "{id}"}}},
	},
	{
		name: "orders by e-mail, one each", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "GUEST#{email}", "SK": "ORDER#{order}", "total": num("{total}")}}},
	},
	{
		name: "uploads by hash", tables: []string{"files PK SK"}, ids: uuid,
		people: []spec{{"PK": "FILE#{id}", "SK": "FILE", "sha": "{token}", "name": "{slug}.png"}},
		others: []other{{each: 1, item: spec{"PK": "BLOB#{token}", "SK": "BLOB", "refs": num("1")}}},
	},
	{
		name: "profile by handle", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "ACCOUNT#{id}", "SK": "ACCOUNT", "handle": "{username}", "email": "{email}"}},
		others: []other{{each: 1, item: spec{"PK": "PROFILE#{username}", "SK": "PROFILE", "bio": "I am {name} from {city}, {n}", "accountId": "{id}"}}},
	},
	{
		name: "carts by e-mail", tables: []string{"shop PK SK"}, ids: uuid, people: []spec{user},
		others: []other{{each: 2, item: spec{"PK": "CART#{email}", "SK": "CART", "userId": "{id}", "updatedAt": "{date}"}}},
	},
}
