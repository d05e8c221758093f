package configfile

import (
	"fmt"
	"strings"
	"testing"
)

// mistakes has configs with a mistake, and a part of the error. The line with the mistake ends in "# <-".
var mistakes = []struct{ name, config, says string }{
	{"a setting that is misspelt", "gaurd = \"deny\" # <-", `no setting "gaurd", did you mean "guard"?`},
	{"one of a connection", "[[connection]]\nname = \"a\"\nregoin = \"eu-west-1\" # <-", `did you mean "region"?`},
	{"one of an account", anAccount + "versoin = \"rev\" # <-", `did you mean "version"?`},
	{"one of a constraint", aConstraint + "normalize = [\"lower\"] # <-", `did you mean "normalise"?`},
	{"one of a counter", aCounter + "semantic = \"last\" # <-", `did you mean "semantics"?`},
	{"one in braces", anAccount + "is = { atribute = \"type\", value = \"user\" } # <-", `did you mean "attribute"?`},
	{"a section that is misspelt", "[[conection]] # <-\nname = \"a\"", `did you mean "connection"?`},
	{"a setting of another section", "region = \"eu-west-1\" # <-", "move it under [[connection]]"},
	{"an account's setting in the layout", "[[layout]]\nname = \"ours\"\npk = \"ACCT#{id}\" # <-", "move it under [[layout.account]]"},
	{"a check's setting at the top", "segments = 4 # <-", "move it under [check]"},
	{"a text for yes or no", "write = \"yes\" # <-", "write: this is a TOML string, but it must be true or false"},
	{"a text for a list", "[[layout]]\nname = \"ours\"\ntables = \"accounts\" # <-", "must be a list of texts"},
	{"a number for a text", "[[connection]]\nname = 3 # <-", "must be a text in quotes"},
	{"a number without quotes", aCounter + "start = 0 # <-", "must be a text in quotes"},
	{"a text for a table", "guards = \"deny\" # <-", "must be a table, such as { accounts"},
	{"a text for braces", anAccount + "is = \"user\" # <-", "must be { attribute = …, value = … }"},
	{"one section, twice in brackets", "[[check]] # <-\nconfirm = \"full\"", "write [check]"},
	{"a setting twice", "write = true\nwrite = false # <-", "already defined"},
	{"no TOML", "write true # <-", "="},
	{"no guard", "guard = \"denny\" # <-", `"denny" is not a guard: use confirm, type or deny, did you mean "deny"?`},
	{"no guard of a table", "write = true\n[guards]\na = \"type\"\nb = \"tpye\" # <-", `did you mean "type"?`},
	{"no guard of a connection's table", "[[connection]]\nname = \"a\"\nguards = { x = \"dney\" } # <-", `connection a: "dney" is not a guard`},
	{"no time", "settle = \"soon\" # <-", `"soon" is not a time to wait`},
	{"no number of units", "write = true\nauto_read_units = -1 # <-", "is not a number of units"},
	{"no colour", "[[connection]]\nname = \"a\"\ncolour = \"geen\" # <-", `did you mean "green"?`},
	{"no endpoint", "[[connection]]\nname = \"a\"\n\nendpoint_url = \"127.0.0.1:8000\" # <-", "is not an endpoint: give a URL"},
	{"a connection without a name", "[[connection]] # <-\nregion = \"eu-west-1\"", "has no name"},
	{"two connections of one name", "[[connection]]\nname = \"a\"\n[[connection]]\nregion = \"eu-west-1\"\nname = \"a\" # <-", "two connections have the name"},
	{"no such default", "default_connection = \"suport\" # <-\n[[connection]]\nname = \"support\"", `did you mean "support"?`},
	{"no such layout", "[[connection]]\nname = \"a\"\nlayout = \"unique\" # <-", `no layout or preset has the name "unique", did you mean "uniq"?`},
	{"no way to make sure", "[check]\nconfirm = \"ful\" # <-", "use full, reads or none"},
	{"no theme", "[ui]\nascii = true\ntheme = \"drak\" # <-", "use auto, dark or light"},
	{"no colour", "[theme]\ncolour_blind = true\nbad = \"red\" # <-", "write it as #rrggbb"},
	{"no action", "[keys]\nfnid = [\"x\"] # <-", `no action "fnid", did you mean "find"?`},
	{"no key", "[keys]\nfind = [\"x\"]\nopen = [\"entre\"] # <-", ": use a character, or one of"},
	{"one key for two actions", "[keys]\nquit = [\"q\"]\nopen = [\"q\"] # <-", "is bound to both"},

	{"a layout without a name", "[[layout]] # <-\ntables = [\"a\"]", "a layout has no name"},
	{"a layout of nothing", "[[layout]] # <-\nname = \"ours\"", "neither an account nor a counter"},
	{"two layouts of one name", anAccount + "[[layout]]\nname = \"ours\" # <-\n[[layout.account]]\npk = \"A#{id}\"", "two layouts have the name"},
	{"two layouts for one table", anAccount + "[[layout]]\nname = \"theirs\"\ntables = [\n  \"other\",\n  \"accounts\", # <-\n]\n[[layout.account]]\npk = \"A#{id}\"", "the layouts ours and theirs both name the table accounts"},
	{"a table twice", "[[layout]]\nname = \"ours\"\ntables = [\"accounts\", \"accounts\"] # <-\n[[layout.account]]\npk = \"A#{id}\"", "accounts is named twice"},
	{"no Region", "[[layout]]\nname = \"ours\"\nwritten_in = \"Ireland\" # <-\n[[layout.account]]\npk = \"A#{id}\"", `"Ireland" is not a Region: write a Region such as eu-west-1`},
	{"an account without a key", "[[layout]]\nname = \"ours\"\n[[layout.account]] # <-\nsk = \"PROFILE\"", "pk is missing: the template of the"},
	{"{ID} for {id}", "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"ACCT#{ID}\" # <-\nsk = \"PROFILE\"", "has {ID}: write {id} for the account's id"},
	{"{Id} in the sort key", "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"ORG#{org}\"\nsk = \"USER#{Id}\" # <-", "has {Id}: write {id} for the account's id"},
	{"an account without {id}", "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"ACCT\" # <-\nsk = \"PROFILE\"", "can be the key of only one account: write {id}"},
	{"a brace that does not close", "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"ACCT#{id\" # <-", "a brace is not closed"},
	{"a half of is", anAccount + "is = { attribute = \"type\" } # <-", "the attribute type needs a value"},
	{"the other half", anAccount + "is = { value = \"user\" } # <-", `the value "user" needs an attribute`},
	{"a version in braces", anAccount + "version = \"{rev}\" # <-", "is not the name of an attribute: write only the name"},
	{"a constraint without an attribute", anAccount + "[[layout.account.constraint]] # <-\npk = \"U#{v}\"", "attribute is missing: the account's attribute with the value"},
	{"a constraint without a key", anAccount + "[[layout.account.constraint]] # <-\nattribute = \"email\"\nsk = \"LOCK\"", "in place of the value. If there are no locks, set unique = true"},
	{"a template without {v}", anAccount + "[[layout.account.constraint]]\nattribute = \"email\"\npk = \"UNIQ#EMAIL\" # <-\nsk = \"LOCK\"", " have no {v}: write {v} in place of the value"},
	{"{V} for {v}", anAccount + "[[layout.account.constraint]]\nattribute = \"email\"\npk = \"UNIQ#EMAIL#{V}\" # <-\nsk = \"LOCK\"", "write {v} in place of {V}"},
	{"{email} for {v}", anAccount + "[[layout.account.constraint]]\nattribute = \"email\"\npk = \"UNIQ#EMAIL#{email}\" # <-\nsk = \"LOCK\"", "write {v} in place of {email}"},
	{"variables that touch", anAccount + "[[layout.account.constraint]]\nattribute = \"email\"\npk = \"U#{v}\"\nsk = \"{a}{b}\" # <-", "two variables touch"},
	{"two constraints of one name", aConstraint + "[[layout.account.constraint]]\nname = \"email\" # <-\nattribute = \"mail\"\npk = \"M#{v}\"", `two constraints have the name "email"`},
	{"two constraints of one key", aConstraint + "[[layout.account.constraint]]\nattribute = \"username\"\npk = \"UNIQ#EMAIL#{v}\" # <-\nsk = \"LOCK\"", "the constraints email and username use the same lock keys"},
	{"the same, written inline", anAccount + "constraint = [\n  { attribute = \"email\", pk = \"U#{v}\" },\n  { attribute = \"name\", pk = \"U#{v}\" }, # <-\n]", "use the same lock keys"},
	{"no normaliser", aConstraint + "normalise = [\"trim\", \"lowercase\"] # <-", `unknown normaliser "lowercase": use trim, lower, upper, nfc, nfkc, sha256, base64, base64url, percent or dynamoflow, did you mean "lower"?`},
	{"an owner in braces", aConstraint + "owner = \"{id}\" # <-", "is not the name of an attribute: write only the name"},
	{"no semantics", aCounter + "semantics = \"lats\" # <-", `did you mean "last"?`},
	{"no step", aCounter + "step = \"0\" # <-", "it must be at least 1"},
	{"no number", aCounter + "offset = \"two\" # <-", "is not a whole number"},
	{"a counter without a key", "[[layout]]\nname = \"ours\"\n[[layout.counter]] # <-\nattribute = \"n\"", "pk is missing: the template of the"},
	{"ids without a number", aCounter + "[[layout.counter.ids]] # <-\npk = \"ORDER#{no}\"", "in place of the id"},
	{"a tally that mints", strings.Replace(aCounter, "{name}", "N", 1) + "semantics = \"tally\" # <-\n[[layout.counter.ids]]\nattribute = \"no\"", "a tally hands out no ids: remove ids"},
}

const (
	anAccount   = "[[layout]]\nname = \"ours\"\ntables = [\"accounts\"]\n[[layout.account]]\npk = \"ACCT#{id}\"\nsk = \"PROFILE\"\n"
	aConstraint = anAccount + "[[layout.account.constraint]]\nattribute = \"email\"\npk = \"UNIQ#EMAIL#{v}\"\nsk = \"LOCK\"\n"
	aCounter    = "[[layout]]\nname = \"ours\"\n[[layout.counter]]\npk = \"COUNTER#{name}\"\nattribute = \"n\"\n"
)

// The error for each mistake has the line, and a reason or a suggestion.
func TestMistakesAreNamed(t *testing.T) {
	for _, tc := range mistakes {
		t.Run(tc.name, func(t *testing.T) {
			before, _, marked := strings.Cut(tc.config, "# <-")
			want := fmt.Sprintf("line %d: ", 1+strings.Count(before, "\n"))
			_, err := Parse([]byte(tc.config))
			if !marked || err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v\nwant %s… %s", err, want, tc.says)
			}
		})
	}
}

// Odd but valid configs have no error.
func TestOddConfigsAreAccepted(t *testing.T) {
	for name, config := range map[string]string{
		"one section in single brackets": "[layout]\nname = \"ours\"\n[layout.account]\npk = \"{id}\"\n[connection]\nname = \"a\"",
		"kinds that share their locks":   aConstraint + "[[layout.account]]\npk = \"BOT#{id}\"\n[[layout.account.constraint]]\nname = \"bot-email\"\nattribute = \"email\"\npk = \"UNIQ#EMAIL#{v}\"\nsk = \"LOCK\"",
		"constraints that share theirs":  aConstraint + "shared = true\n[[layout.account.constraint]]\nattribute = \"second\"\npk = \"UNIQ#EMAIL#{v}\"\nsk = \"LOCK\"\nshared = true",
		"one key, in two tables":         aConstraint + "[[layout.account.constraint]]\nattribute = \"second\"\ntable = \"locks\"\npk = \"UNIQ#EMAIL#{v}\"\nsk = \"LOCK\"",
		"an attribute called ID":         "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"ACCT#{id}\"\n[[layout.account.constraint]]\nattribute = \"email\"\npk = \"{ID}#{v}\"",
		"a key by another variable":      "[[layout]]\nname = \"ours\"\n[[layout.account]]\npk = \"USER#{email}\"",
		"nothing in braces":              anAccount + "is = { attribute = \"\", value = \"\" }",
		"an empty file":                  "",
		"layouts for no table":           "[[layout]]\nname = \"a\"\n[[layout.account]]\npk = \"{id}\"\n[[layout]]\nname = \"b\"\n[[layout.account]]\npk = \"{id}\"",
	} {
		if _, err := Parse([]byte(config)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A byte order mark is valid and does not change line numbers. The error for another encoding recommends UTF-8.
func TestConfigsInOtherEncodings(t *testing.T) {
	_, err := Parse([]byte("\ufeffwrite = true\nguard = 'none'\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("with a byte order mark: %v", err)
	}
	if _, err = Parse([]byte("\xff\xfew\x00r\x00")); err == nil || !strings.Contains(err.Error(), "save it as UTF-8") {
		t.Errorf("as UTF-16: %v", err)
	}
}

// Each part of a layout from a file has its line as Origin.
func TestALayoutKnowsItsLines(t *testing.T) {
	data := []byte("# ours\n" + aConstraint + aCounter)
	data = []byte(strings.Replace(string(data), "name = \"ours\"\n[[layout.counter]]", "name = \"theirs\"\n[[layout.counter]]", 1))
	c, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	c.lines = linesOf(data)
	c.locate("/etc/config.toml")
	ours, err := c.Layouts[0].Build()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := c.Layouts[1].Build()
	if err != nil {
		t.Fatal(err)
	}
	con := ours.Constraints()[0]
	for name, tc := range map[string]struct{ got, want string }{
		"an account's sk":   {ours.Accounts[0].Origin.Of("sk"), "line 7 of /etc/config.toml"},
		"what is not there": {ours.Accounts[0].Origin.Of("is"), "line 5 of /etc/config.toml"},
		"an attribute":      {con.Origin.Of("attribute"), "line 9 of /etc/config.toml"},
		"a lock's sk":       {con.Origin.Of("sk"), "line 11 of /etc/config.toml"},
		"a counter's":       {theirs.Counters[0].Origin.Of("attribute"), "line 16 of /etc/config.toml"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
}
