package corpus_test

// libraries are designs of real libraries that are not in the catalogue.
var libraries = []family{
	{
		name: "dynamoose by hand", tables: []string{"app pk sk"},
		people: []spec{{"pk": "USER#{id}", "sk": "USER#{id}", "email": "{email}", "name": "{name}", "createdAt": num("{ms}"), "updatedAt": num("{ms}")}},
		locks:  []lock{{of: "email", owned: true, item: spec{"pk": "EMAIL#{v}", "sk": "EMAIL#{v}", "userId": "{id}", "createdAt": num("{ms}"), "updatedAt": num("{ms}")}}},
	},
	{
		name: "toolbox by hand", tables: []string{"app PK SK"}, mixed: true, chain: "lower",
		people: []spec{{"PK": "USER#{id}", "SK": "META", "_et": "User", "_ct": "{date}", "_md": "{date}", "id": "{id}", "email": "{email}", "name": "{name}"}},
		locks:  []lock{{of: "email", owned: true, item: spec{"PK": "UNIQUE#EMAIL#{v}", "SK": "UNIQUE", "_et": "UniqueEmail", "_ct": "{date}", "_md": "{date}", "email": "{raw}", "userId": "{id}"}}},
	},
	{
		name: "onetable with another type field", tables: []string{"app pk sk"}, mixed: true,
		people: []spec{{"pk": "USER#{id}", "sk": "user#", "Type": "User", "id": "{id}", "tenant": "{tenant}", "email": "{email}", "username": "{username}", "created": "{date}"}},
		locks: []lock{
			{of: "email", item: spec{"pk": "_unique#User#email#{v}", "sk": "_unique#", "Type": "_Unique"}},
			{of: "username", item: spec{"pk": "_unique#User#username#{v}", "sk": "_unique#", "Type": "_Unique"}},
		},
		others: []other{{each: 4, item: spec{"pk": "order#{order}", "sk": "order#", "Type": "Order", "id": "{order}", "email": "{email}", "total": num("{total}")}}},
	},
	{
		name: "onetable in one scope", tables: []string{"app pk sk"}, mixed: true,
		people: []spec{{"pk": "user#{id}", "sk": "user#", "_type": "User", "id": "{id}", "tenant": "{tenant}", "email": "{email}", "username": "{username}", "created": "{date}"}},
		locks: []lock{
			{of: "email", item: spec{"pk": "_unique#acme#User#email#{v}", "sk": "_unique#", "_type": "_Unique"}},
			{of: "username", item: spec{"pk": "_unique#acme#User#username#{v}", "sk": "_unique#", "_type": "_Unique"}},
		},
	},
}
