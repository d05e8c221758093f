package layout

// meaning is what a setting says.
func meaning(kind, setting string) string {
	switch kind + "." + setting {
	case "account.pk":
		return "The account's partition key; {id} stands where its id does."
	case "account.sk":
		return "The account's sort key; {pk} repeats the partition key."
	case "account.is", "constraint.is", "counter.is", "ids.is":
		return "An attribute and its value that only these items have: type = user."
	case "constraint.attribute":
		return "Where the account holds the value: a name, or a path as contact.email."
	case "constraint.pk":
		return "The lock's partition key; {v} stands where the value does."
	case "constraint.sk":
		return "The lock's sort key; {pk} repeats the partition key."
	case "constraint.normalise":
		return "What the application does to a value before it locks it, in its order: trim, lower, upper, nfc, nfkc, sha256, base64, base64url, percent, dynamoflow."
	case "constraint.owner":
		return "The lock's attribute that names the account, by its id or its partition key."
	case "constraint.table":
		return "The locks' table, where it is not the accounts' own."
	case "constraint.index":
		return "An index on the attribute. It finds holders sooner, and never proves that there are none."
	case "constraint.unique":
		return "No locks keep the values, and no two accounts may hold one: true."
	case "constraint.nowhere_else":
		return "Nothing outside the layout holds the values: true. Then a release by owner reads only the owner's account."
	case "counter.semantics":
		return "last: the last number handed out. next: the next one. tally: how many there are."
	}
	return ""
}
