package corpus_test

// catalogue has a family for each row of the catalogue of layouts, with the items that its library writes.
var catalogue = []family{
	{
		name: "seed", tables: []string{"accounts PK SK"}, mixed: true, ids: hex24,
		people: []spec{{"PK": "ACCT#{id}", "SK": "PROFILE", "email": "{email}", "username": "{username}"}},
		locks: []lock{
			{of: "email", item: spec{"PK": "UNIQ#EMAIL#{v}", "SK": "LOCK"}},
			{of: "username", item: spec{"PK": "UNIQ#HANDLE#{v}", "SK": "LOCK"}},
		},
	},
	{
		name: "onetable", tables: []string{"app pk sk"}, mixed: true, ids: ulid,
		people: []spec{{"pk": "user#{id}", "sk": "user#", "_type": "User", "id": "{id}", "email": "{email}", "username": "{username}", "name": "{name}", "created": "{date}"}},
		locks: []lock{
			{of: "email", item: spec{"pk": "_unique#User#email#{v}", "sk": "_unique#", "_type": "_Unique"}},
			{of: "username", item: spec{"pk": "_unique#User#username#{v}", "sk": "_unique#", "_type": "_Unique"}},
		},
		others: []other{{each: 4, item: spec{"pk": "order#{order}", "sk": "order#", "_type": "Order", "id": "{order}", "email": "{email}", "total": num("{total}")}}},
	},
	{
		name: "onetable hash only", tables: []string{"app pk"}, mixed: true, ids: ulid,
		people: []spec{{"pk": "user#{id}", "_type": "User", "id": "{id}", "email": "{email}", "name": "{name}", "created": "{date}"}},
		locks:  []lock{{of: "email", item: spec{"pk": "_unique#User#email#{v}", "_type": "_Unique"}}},
		others: []other{{each: 4, item: spec{"pk": "order#{order}", "_type": "Order", "id": "{order}", "email": "{email}"}}},
	},
	{
		name: "onetable scoped", tables: []string{"app pk sk"}, mixed: true, ids: ulid, perTenant: true,
		people: []spec{{"pk": "{tenant}#user#{id}", "sk": "user#", "_type": "User", "id": "{id}", "tenant": "{tenant}", "email": "{email}", "created": "{date}"}},
		locks:  []lock{{of: "email", item: spec{"pk": "_unique#{tenant}#User#email#{v}", "sk": "_unique#", "_type": "_Unique"}}},
	},
	{
		name: "onetable legacy", tables: []string{"app pk sk"}, mixed: true, ids: ulid,
		people: []spec{{"pk": "user#{id}", "sk": "user#", "type": "User", "id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"pk": "User:email:{v}", "sk": "unique#", "type": "Unique"}}},
	},
	{
		name: "typedorm", tables: []string{"app PK SK"}, mixed: true, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER#{id}", "__en": "user", "id": "{id}", "email": "{email}", "username": "{username}", "name": "{name}"}},
		locks: []lock{
			{of: "email", item: spec{"PK": "DRM_GEN_USER.EMAIL#{v}", "SK": "DRM_GEN_USER.EMAIL#{v}"}},
			{of: "username", item: spec{"PK": "DRM_GEN_USER.USERNAME#{v}", "SK": "DRM_GEN_USER.USERNAME#{v}"}},
		},
		others: []other{{each: 5, item: spec{"PK": "ORDER#{order}", "SK": "ORDER#{order}", "__en": "order", "id": "{order}", "email": "{email}"}}},
	},
	{
		name: "typedorm simple", tables: []string{"app PK"}, mixed: true, ids: uuid,
		people: []spec{{"PK": "MEMBER#{id}", "__en": "member", "id": "{id}", "email": "{email}"}},
		locks:  []lock{{of: "email", item: spec{"PK": "DRM_GEN_MEMBER.EMAIL#{v}"}}},
	},
	{
		name: "electrodb constraint", tables: []string{"electro pk sk +gsi1pk/gsi1sk"}, mixed: true, chain: "lower",
		people: []spec{{"pk": "$mi6#userid_{id|lower}", "sk": "$user_1", "__edb_e__": "user", "__edb_v__": "1", "userId": "{id}", "email": "{email}", "name": "{name}", "createdAt": num("{ms}")}},
		locks: []lock{{of: "email", item: spec{
			"pk": "$mi6#value_{v}", "sk": "$constraint_1#name_email#entity_user", "gsi1pk": "$mi6#name_email#entity_user", "gsi1sk": "$constraint_1#value_{v}",
			"name": "email", "value": "{raw}", "entity": "user", "__edb_e__": "constraint", "__edb_v__": "1",
		}}},
		others: []other{{each: 3, item: spec{"pk": "$mi6#userid_{id}", "sk": "$order_1#orderid_{order}", "__edb_e__": "order", "__edb_v__": "1", "orderId": "{order}", "userId": "{id}", "email": "{email}"}}},
	},
	{
		name: "dynamo-bao", tables: []string{"bao _pk _sk +_gsi1_pk/_gsi1_sk"}, mixed: true, ids: ulid,
		people: []spec{{"_pk": "u#{id}", "_sk": "u", "userId": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"_pk": "_raft_uc#_uc1#u#email:{v}", "_sk": "_raft_uc", "uniqueValue": "_raft_uc#_uc1#u#email:{v}", "relatedModel": "User", "relatedId": "{id}"}}},
	},
	{
		name: "dynamo-bao tenants", tables: []string{"bao _pk _sk +_gsi1_pk/_gsi1_sk"}, mixed: true, ids: ulid, perTenant: true,
		people: []spec{{"_pk": "[{tenant}]#u#{id}", "_sk": "u", "_gsi_test_id": "{tenant}", "userId": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"_pk": "[{tenant}]#_raft_uc#_uc1#u#email:{v}", "_sk": "_raft_uc", "_gsi_test_id": "{tenant}", "uniqueValue": "[{tenant}]#_raft_uc#_uc1#u#email:{v}", "relatedModel": "User", "relatedId": "{id}"}}},
	},
	{
		name: "dynamoflow", tables: []string{"flow _PK _SK +_GSI1PK/_GSI1SK"}, mixed: true, chain: "lower",
		people: []spec{{"_PK": "users#{id}#", "_SK": "users#", "_c": "users", "_wc": num("1"), "id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", item: spec{"_PK": "users_unique_email#{v|escape}#", "_SK": "users_unique_email#", "_c": "users_unique_email", "_wc": num("1"), "val": "{raw}"}}},
	},
	{
		name: "toasty", tables: []string{"users id", "index_users_by_email email"}, mixed: true, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}", "moto": "{city}"}},
		locks:  []lock{{of: "email", in: 1, owned: true, item: spec{"email": "{v}", "id": "{id}"}}},
	},
	{
		name: "aws blog", tables: []string{"users pk"}, ids: uuid,
		people: []spec{{"pk": "{id}", "email": "{email}", "userName": "{username}", "fullName": "{name} {last}", "phoneNumber": "{phone}"}},
		locks: []lock{
			{of: "email", item: spec{"pk": "email#{v}"}},
			{of: "username", item: spec{"pk": "userName#{v}"}},
		},
	},
	{
		name: "debrie", tables: []string{"ecommerce PK SK +GSI1PK/GSI1SK"},
		people: []spec{{"PK": "CUSTOMER#{id}", "SK": "CUSTOMER#{id}", "Username": "{id}", "EmailAddress": "{email}", "Name": "{name}", "Type": "Customer"}},
		locks:  []lock{{of: "email", item: spec{"PK": "CUSTOMEREMAIL#{v}", "SK": "CUSTOMEREMAIL#{v}", "Type": "CustomerEmail"}}},
		others: []other{{each: 2, item: spec{"PK": "CUSTOMER#{id}", "SK": "#ORDER#{order}", "GSI1PK": "ORDER#{order}", "GSI1SK": "ORDER#{order}", "Type": "Order", "OrderId": "{order}", "Amount": num("{total}")}}},
	},
	{
		name: "debrie with owner", tables: []string{"ecommerce PK SK +GSI1PK/GSI1SK"},
		people: []spec{{"PK": "CUSTOMER#{id}", "SK": "CUSTOMER#{id}", "Username": "{id}", "Email": "{email}", "Type": "Customer"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "CUSTOMEREMAIL#{v}", "SK": "CUSTOMEREMAIL#{v}", "username": "{id}"}}},
	},
	{
		name: "useremail", tables: []string{"main pk sk"}, ids: uuid,
		people: []spec{{"pk": "USER#{id}", "sk": "PROFILE", "user_id": "{id}", "email": "{email}", "created_at": "{date}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "USEREMAIL#{v}", "sk": "USEREMAIL#{v}", "user_id": "{id}"}}},
	},
	{
		name: "uniq", tables: []string{"members PK SK"}, mixed: true, chain: "lower", ids: uuid,
		people: []spec{{"PK": "MEMBER#{id}", "SK": "PROFILE", "entityType": "MEMBER", "memberId": "{id}", "email": "{email}", "nickname": "{username}"}},
		locks: []lock{
			{of: "email", owned: true, item: spec{"PK": "UNIQ#EMAIL#{v}", "SK": "UNIQ", "entityType": "UNIQ", "memberId": "{id}"}},
			{of: "username", owned: true, item: spec{"PK": "UNIQ#NICKNAME#{v}", "SK": "UNIQ", "entityType": "UNIQ", "memberId": "{id}"}},
		},
	},
	{
		name: "authunique", tables: []string{"studio PK SK"}, ids: uuid,
		people: []spec{{"PK": "AUTH#user#{id}", "SK": "ITEM", "entityType": "AUTH", "model": "user", "id": "{id}", "email": "{email}", "name": "{name}", "createdAt": "{date}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "AUTHUNIQUE#user#email#{v}", "SK": "LOCK", "entityType": "AUTHUNIQUE", "model": "user", "field": "email", "value": "{v}", "targetId": "{id}"}}},
		others: []other{{each: 3, item: spec{"PK": "AUTH#session#{token}", "SK": "ITEM", "entityType": "AUTH", "model": "session", "id": "{token}", "userId": "{id}", "expiresAt": num("{sec}")}}},
	},
	{
		name: "unique-email", tables: []string{"app PK SK"}, mixed: true, chain: "trim|lower", ids: ulid,
		people: []spec{{"PK": "USER#{id}", "SK": "PROFILE", "recordType": "USER", "userId": "{id}", "email": "{email}", "status": "ACTIVE"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "UNIQUE#EMAIL#{v}", "SK": "UNIQUE", "recordType": "UNIQUE_EMAIL", "userId": "{id}"}}},
	},
	{
		name: "better-auth like", tables: []string{"auth pk"}, mixed: true, chain: "lower", ids: short,
		people: []spec{{"pk": "user#{id}", "_model": "user", "id": "{id}", "email": "{email}", "name": "{name}", "emailVerified": flag(true)}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "unique#user#email#{v}", "_model": "unique", "userId": "{id}"}}},
		others: []other{{each: 2, item: spec{"pk": "session#{token}", "_model": "session", "token": "{token}", "userId": "{id}"}}},
	},
	{
		name: "email-lock", tables: []string{"codex PK SK"}, ids: uuid,
		people: []spec{{"PK": "USER#{id}", "SK": "USER#{id}", "EntityType": "User", "userId": "{id}", "email": "{email}", "createdAt": "{date}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "EMAIL_LOCK#{v}", "SK": "EMAIL_LOCK#{v}", "EntityType": "EmailLock", "email": "{v}", "userId": "{id}", "createdAt": "{date}"}}},
	},
	{
		name: "email-constraint", tables: []string{"users pk sk"}, ids: uuid,
		people: []spec{{"pk": "{id}", "sk": "User", "email": "{email}", "firstName": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "{v}", "sk": "EmailConstraint", "userId": "{id}"}}},
	},
	{
		name: "uniques-table", tables: []string{"users id", "uniques value"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "username": "{username}"}},
		locks: []lock{
			{of: "email", in: 1, item: spec{"value": "{v}", "type": "email"}},
			{of: "username", in: 1, item: spec{"value": "{v}", "type": "username"}},
		},
	},
	{
		name: "uniques-table prefixed", tables: []string{"users id", "uniques value"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", in: 1, item: spec{"value": "UNIQUE#EMAIL:{v}", "type": "email"}}},
	},
	{
		name: "dynamoid", tables: []string{"app_users id"}, ids: uuid,
		people: []spec{{"id": "{id}", "email": "{email}", "name": "{name}", "created_at": num("{sec}.417"), "updated_at": num("{sec}.417")}},
		locks:  []lock{{of: "email", owned: true, item: spec{"id": "UserEmail#{v}", "user_id": "{id}", "created_at": num("{sec}.417"), "updated_at": num("{sec}.417")}}},
	},
}
