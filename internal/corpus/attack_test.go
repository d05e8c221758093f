package corpus_test

import (
	"maps"
	"slices"
)

// user is an account of the most common design.
var user = spec{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}

// with adds attributes to a spec.
func with(s spec, more spec) spec {
	out := maps.Clone(s)
	maps.Copy(out, more)
	return out
}

func times(n int, s spec) []spec { return slices.Repeat([]spec{s}, n) }

// attacks are tables in which some accounts have no locks on purpose, or other items look like accounts or locks. For
// these tables, the program may answer "unknown".
var attacks = []family{
	{
		name: "soft-deleted accounts freed their locks", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"deletedAt": "{date}"}), user, user, user},
		locks: []lock{
			{of: "email", owned: true, only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", owned: true, only: 3, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", owned: true, only: 4, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
		},
	},
	{
		name: "soft-deleted by a flag", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"deleted": flag(true)}), with(user, spec{"deleted": flag(false)}), with(user, spec{"deleted": flag(false)})},
		locks: []lock{
			{of: "email", owned: true, only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", owned: true, only: 3, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
		},
	},
	{
		name: "few soft-deleted accounts freed their locks", tables: []string{"app PK SK"}, ids: uuid, count: 60,
		people: append([]spec{with(user, spec{"deletedAt": "{date}"})}, times(29, user)...),
		locks:  []lock{{of: "email", owned: true, but: 1, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "few soft-deleted by a flag, no owners", tables: []string{"app PK SK"}, ids: uuid, count: 60,
		people: append([]spec{with(user, spec{"deleted": flag(true)})}, times(29, with(user, spec{"deleted": flag(false)}))...),
		locks:  []lock{{of: "email", but: 1, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "few closed accounts freed their locks", tables: []string{"app PK SK"}, ids: uuid, count: 60,
		people: append([]spec{with(user, spec{"status": "CLOSED"})}, times(29, with(user, spec{"status": "OPEN"}))...),
		locks:  []lock{{of: "email", owned: true, but: 1, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "few accounts are not verified", tables: []string{"app PK SK"}, ids: uuid, count: 60,
		people: append([]spec{user}, times(29, with(user, spec{"verifiedAt": "{date}"}))...),
		locks:  []lock{{of: "email", owned: true, but: 1, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "a canonical e-mail beside the e-mail", tables: []string{"app PK SK"}, ids: uuid, mixed: true,
		people: []spec{with(user, spec{"canonicalEmail": "{canonical}"})},
		locks:  []lock{{of: "canonical", asked: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "a canonical e-mail beside the e-mail, no owners", tables: []string{"app PK SK"}, ids: uuid, mixed: true,
		people: []spec{with(user, spec{"emailNormalized": "{canonical}"})},
		locks:  []lock{{of: "canonical", asked: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "unverified accounts have no locks", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user, with(user, spec{"verifiedAt": "{date}"}), with(user, spec{"verifiedAt": "{date}"})},
		locks: []lock{
			{of: "email", only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
			{of: "email", only: 3, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
		},
	},
	{
		name: "status active", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"status": "PENDING"}), with(user, spec{"status": "ACTIVE"}), with(user, spec{"status": "SUSPENDED"})},
		locks: []lock{
			{of: "email", owned: true, only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", owned: true, only: 3, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
		},
	},
	{
		name: "profile, credentials and settings", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
		others: []other{
			{each: 1, item: spec{"PK": "USER#{id}", "SK": "CREDENTIALS", "email": "{email}", "hash": "{token}"}},
			{each: 1, item: spec{"PK": "USER#{id}", "SK": "SETTINGS", "email": "{email}", "lang": "en"}},
		},
	},
	{
		name: "profile and credentials, owners", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
		others: []other{{each: 1, item: spec{"PK": "USER#{id}", "SK": "CREDENTIALS", "email": "{email}", "hash": "{token}"}}},
	},
	{
		name: "archived accounts keep their values", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
		others: []other{{strangers: 20, item: spec{"PK": "ARCHIVED#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}", "archivedAt": "{date}"}}},
	},
	{
		name: "archived under the user", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
		others: []other{{strangers: 20, item: spec{"PK": "USER#{id}", "SK": "ARCHIVED", "email": "{email}", "name": "{name}"}}},
	},
	{
		name: "locks that expire", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}", "ttl": num("{sec}")}}},
	},
	{
		name: "two locks of a value", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"tenant": "{tenant}"})},
		locks: []lock{
			{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
			{of: "email", owned: true, item: spec{"PK": "TENANT#{tenant}#EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}},
		},
	},
	{
		name: "six in ten locks are missing", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{user},
		locks:  []lock{{of: "email", owned: true, from: 24, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "three people", tables: []string{"app PK SK"}, ids: uuid, count: 3, people: []spec{user},
		locks: []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "two people, no owners", tables: []string{"app PK SK"}, ids: short, count: 2, people: []spec{user},
		locks: []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "one person", tables: []string{"app PK SK"}, ids: short, count: 1, people: []spec{with(user, spec{"nick": "{username}"})},
		locks: []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "four people, short ids", tables: []string{"app PK SK"}, ids: serial, count: 4, people: []spec{user},
		locks: []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": num("{id}")}}},
	},
	{
		name: "dots of few are dropped", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user}, chain: "undot",
		locks: []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "dots of few are dropped, no owners", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user}, chain: "undot",
		locks: []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "drafts of accounts", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
		others: []other{{strangers: 10, item: spec{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "draft": flag(true)}}},
	},
	{
		name: "social sign-ups without locks", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"provider": "google"}), with(user, spec{"provider": "password"})},
		locks:  []lock{{of: "email", only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "shadow accounts without locks", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{with(user, spec{"parent": "{token}"}), user, user, user, user},
		locks: []lock{
			{of: "email", only: 2, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
			{of: "email", only: 3, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
			{of: "email", only: 4, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
			{of: "email", only: 5, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}},
		},
	},
	{
		name: "reset tokens beside locks", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
		others: []other{{each: 2, item: spec{"PK": "RESET#{email}", "SK": "RESET", "userId": "{id}", "tokenHash": "{token}", "ttl": num("{sec}")}}},
	},
	{
		name: "last login beside locks", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
		others: []other{{each: 1, strangers: 20, item: spec{"PK": "LASTLOGIN#{email}", "SK": "LASTLOGIN", "userId": "{id}", "at": "{date}"}}},
	},
	{
		name: "composite ids, each region", tables: []string{"app PK SK"}, ids: serial, people: []spec{{"PK": "REGION#{city}", "SK": "USER#{id}", "email": "{email}", "name": "{name}"}},
		locks: []lock{{of: "email", owned: true, item: spec{"PK": "REGION#{city}#EMAIL", "SK": "{v}", "user": "{id}"}}},
	},
	{
		name: "values that hold values", tables: []string{"app PK SK"}, ids: uuid, people: []spec{with(user, spec{"nick": "{username}", "site": "{username}.example.com"})},
		locks: []lock{
			{of: "username", owned: true, item: spec{"PK": "UNIQ#{v}", "SK": "UNIQ", "userId": "{id}"}},
			{of: "username", owned: true, item: spec{"PK": "UNIQ#{v}.example.com", "SK": "UNIQ", "userId": "{id}"}},
		},
	},
	{
		name: "nick is the e-mail's name", tables: []string{"app PK SK"}, ids: uuid, people: []spec{with(user, spec{"nick": "{username}"})},
		locks:  []lock{{of: "username", item: spec{"PK": "NICK#{v}", "SK": "NICK"}}},
		others: []other{{each: 1, item: spec{"PK": "EMAIL#{email}", "SK": "INBOX", "unread": num("{n}{n}")}}},
	},
	{
		name: "after a bad import", tables: []string{"app PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{user, with(user, spec{"email": "{email|lower}", "imported": "2026-01"})},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "userId": "{id}"}}},
	},
	{
		name: "billing e-mail is mostly the same", tables: []string{"app PK SK"}, ids: uuid, people: []spec{with(user, spec{"billingEmail": "{login}"})},
		locks: []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
	},
	{
		name: "a login that is mostly the e-mail, no owners", tables: []string{"app PK SK"}, ids: uuid, people: []spec{with(user, spec{"login": "{login}"})},
		locks: []lock{{of: "login", item: spec{"PK": "LOGIN#{v}", "SK": "LOGIN"}}},
	},
	{
		name: "events that hold the e-mails", tables: []string{"app PK SK"}, ids: uuid, people: []spec{user},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL"}}},
		others: []other{{each: 1, item: spec{"PK": "EVENT#{token}", "SK": "SIGNUP", "email": "{email}", "at": "{date}", "ip": "10.0.0.{n}"}}},
	},
	{
		name: "overloaded index items", tables: []string{"app PK SK +GSI1PK/GSI1SK"}, ids: uuid,
		people: []spec{with(user, spec{"GSI1PK": "{email}", "GSI1SK": "USER"})},
		locks:  []lock{{of: "email", item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "GSI1PK": "LOCK", "GSI1SK": "{v}"}}},
		others: []other{{each: 1, item: spec{"PK": "TICKET#{token}", "SK": "TICKET", "GSI1PK": "{email}", "GSI1SK": "TICKET#{date}"}}},
	},
}
