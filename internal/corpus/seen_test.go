package corpus_test

// seen are frequent designs, with various words, separators and sort keys.
var seen = []family{
	{
		name: "bare word", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "METADATA", "email": "{email}", "name": "{name}", "createdAt": "{date}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "CLAIM", "userId": "{id}"}}},
	},
	{
		name: "bare word, no owner", tables: []string{"app PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"PK": "PLAYER#{id}", "SK": "METADATA", "displayName": "{username}", "score": num("{n}0")}},
		locks:  []lock{{of: "username", item: spec{"PK": "PLAYER_NAME#{v}", "SK": "RESERVED"}}},
	},
	{
		name: "three words", tables: []string{"saas pk sk"}, ids: ulid,
		people: []spec{{"pk": "user#{id}", "sk": "user#{id}", "email": "{email}", "phone": "{tel}", "handle": "{username}"}},
		locks: []lock{
			{of: "email", owned: true, item: spec{"pk": "email#{v}", "sk": "email#{v}", "userId": "{id}"}},
			{of: "tel", owned: true, item: spec{"pk": "phone#{v}", "sk": "phone#{v}", "userId": "{id}"}},
			{of: "username", owned: true, item: spec{"pk": "handle#{v}", "sk": "handle#{v}", "userId": "{id}"}},
		},
	},
	{
		name: "slug", tables: []string{"app PK SK"}, ids: ulid,
		people: []spec{{"PK": "ORG#{id}", "SK": "METADATA", "orgName": "{name} Works", "slug": "{slug}", "plan": "{plan}"}},
		locks:  []lock{{of: "slug", owned: true, item: spec{"PK": "SLUG#{v}", "SK": "LOOKUP", "orgId": "{id}"}}},
	},
	{
		name: "value in the sort key", tables: []string{"game PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "username": "{username}", "level": num("{n}")}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "USERNAMES", "SK": "{v}", "UserId": "{id}"}}},
	},
	{
		name: "value in the sort key of a tenant", tables: []string{"orgs PK SK"}, ids: ulid, perTenant: true,
		people: []spec{{"PK": "ORG#{tenant}", "SK": "USER#{id}", "email": "{email}", "name": "{name}", "role": "{plan}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "ORG#{tenant}", "SK": "EMAIL#{v}", "userId": "{id}"}}},
	},
	{
		name: "owner in the sort key", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER#{id}", "username": "{username}", "bio": "{city}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "USERNAME#{v}", "SK": "USER#{id}"}}},
	},
	{
		name: "scope before the value", tables: []string{"app PK SK"}, ids: uuid, perTenant: true,
		people: []spec{{"PK": "TENANT#{tenant}", "SK": "USER#{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "TENANT#{tenant}#EMAIL#{v}", "SK": "LOCK", "userId": "{id}"}}},
	},
	{
		name: "scope from an attribute", tables: []string{"app PK SK"}, ids: uuid, perTenant: true,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "tenantId": "{tenant}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "T#{tenant}#EMAIL#{v}", "SK": "UNIQUE"}}},
	},
	{
		name: "value not last", tables: []string{"app PK SK"}, ids: uuid, perTenant: true,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "tenant": "{tenant}", "username": "{username}", "city": "{city}"}},
		locks:  []lock{{of: "username", item: spec{"PK": "HANDLE#{v}#T#{tenant}", "SK": "HANDLE"}}},
	},
	{
		name: "own table", tables: []string{"Customers customerId", "CustomerEmails email"}, ids: uuid,
		people: []spec{{"customerId": "{id}", "email": "{email}", "fullName": "{name} {last}"}},
		locks:  []lock{{of: "email", in: 1, owned: true, item: spec{"email": "{v}", "customerId": "{id}", "reservedAt": "{date}"}}},
	},
	{
		name: "own table, kinds", tables: []string{"Users userId", "UniqueConstraints constraintType constraintValue"}, ids: uuid,
		people: []spec{{"userId": "{id}", "emailAddress": "{email}", "userName": "{username}"}},
		locks: []lock{
			{of: "email", in: 1, owned: true, item: spec{"constraintType": "EMAIL", "constraintValue": "{v}", "userId": "{id}"}},
			{of: "username", in: 1, owned: true, item: spec{"constraintType": "USERNAME", "constraintValue": "{v}", "userId": "{id}"}},
		},
	},
	{
		name: "two kinds share locks", tables: []string{"negocio PK SK"}, ids: uuid,
		people: []spec{
			{"PK": "EMPLEADO#{id}", "SK": "PERFIL", "idEmp": "{id}", "correo": "{email}", "nombre": "{name}"},
			{"PK": "CLIENTE#{id}", "SK": "PERFIL", "idCliente": "{id}", "correo": "{email}", "nombre": "{name}", "ciudad": "{city}"},
		},
		locks: []lock{
			{of: "email", owned: true, only: 1, item: spec{"PK": "CORREO#{v}", "SK": "UNICO", "idEmp": "{id}"}},
			{of: "email", owned: true, only: 2, item: spec{"PK": "CORREO#{v}", "SK": "UNICO", "idCliente": "{id}"}},
		},
	},
	{
		name: "two kinds, one owner attribute", tables: []string{"market pk sk"}, ids: ulid,
		people: []spec{
			{"pk": "SELLER#{id}", "sk": "SELLER", "email": "{email}", "shop": "{slug}"},
			{"pk": "BUYER#{id}", "sk": "BUYER", "email": "{email}", "name": "{name}"},
		},
		locks: []lock{{of: "email", owned: true, item: spec{"pk": "EMAIL#{v}", "sk": "EMAIL", "accountId": "{id}", "at": "{date}"}}},
	},
	{
		name: "claim first", tables: []string{"signup PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "sub": "{id}", "preferred_username": "{username}", "confirmedAt": "{date}"}},
		locks:  []lock{{of: "username", owned: true, item: spec{"PK": "USERNAME#{v}", "SK": "CLAIM", "status": "BOUND", "claimedAt": "{date}", "userSub": "{id}"}}},
	},
	{
		name: "percent", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v|percent}", "SK": "LOCK", "userId": "{id}"}}},
	},
	{
		name: "base64", tables: []string{"app PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v|base64}", "SK": "LOCK", "userId": "{id}"}}},
	},
	{
		name: "sha256", tables: []string{"app PK SK"}, ids: uuid, mixed: true, chain: "lower",
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAILHASH#{v|sha256}", "SK": "LOCK", "userId": "{id}"}}},
	},
	{
		name: "sha256, no owner", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "UNIQUE#{v|sha256}", "SK": "UNIQUE"}}},
	},
	{
		name: "amplify", tables: []string{"User id +email"}, ids: uuid,
		people: []spec{{"id": "{id}", "__typename": "User", "email": "{email}", "createdAt": "{date}", "updatedAt": "{date}", "owner": "{id}::{username}"}},
		locks:  []lock{{of: "email", item: spec{"id": "User#email#{v}", "__typename": "Unique"}}},
	},
	{
		name: "amplify, hashed", tables: []string{"User id"}, ids: uuid,
		people: []spec{{"id": "{id}", "__typename": "User", "email": "{email}", "createdAt": "{date}"}},
		locks:  []lock{{of: "email", item: spec{"id": "{sha256:User#email#{v}}", "__typename": "Unique"}}},
	},
	{
		name: "better-auth lengths", tables: []string{"auth __ba_pk __ba_sk"}, ids: short,
		people: []spec{{"__ba_pk": "E#s4:user#s{id|len}:{id}", "__ba_sk": "#", "__ba_model": "user", "id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"__ba_pk": "U#s4:user#s5:email#s{v|len}:string:{v}", "__ba_sk": "#"}}},
	},
	{
		name: "claims and orders", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "CUSTOMER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "customerId": "{id}"}}},
		others: []other{
			{each: 2, times: 3, item: spec{"PK": "CUSTOMER#{id}", "SK": "ORDER#{order}-{k}", "email": "{email}", "total": num("{total}")}},
			{each: 3, item: spec{"PK": "ORDER#{order}", "SK": "ORDER", "customerEmail": "{email}", "customerId": "{id}"}},
			{each: 4, item: spec{"PK": "SESSION#{token}", "SK": "SESSION", "userId": "{id}", "email": "{email}", "ttl": num("{sec}")}},
		},
	},
	{
		name: "all that can be wrong", tables: []string{"app PK SK"}, ids: uuid, more: true,
		people: []spec{{"PK": "CUSTOMER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "customerId": "{id}"}}},
	},
	{
		name: "all that can be wrong, no owners", tables: []string{"app pk sk"}, ids: uuid, more: true, mixed: true, chain: "lower",
		people: []spec{{"pk": "user#{id}", "sk": "user", "username": "{username}", "name": "{name}"}},
		locks:  []lock{{of: "username", item: spec{"pk": "taken#{v}", "sk": "taken"}}},
	},
	{
		// Only the owners in the locks show that the profiles are the accounts.
		name: "a copy of each account", tables: []string{"app PK SK"}, ids: uuid,
		people: []spec{{"PK": "CUSTOMER#{id}", "SK": "PROFILE", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL#{v}", "SK": "EMAIL", "customerId": "{id}"}}},
		others: []other{{each: 1, item: spec{"PK": "ORDER#{order}", "SK": "ORDER", "email": "{email}", "total": num("{total}")}}},
	},
}
