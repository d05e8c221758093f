package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
)

// SQL judges a lock, and leaves another part of the item, such as an id, to the check. The lock counts once. If it
// counted twice, it would hide the duplicate value.
func TestALockCountsOnce(t *testing.T) {
	f := start(t)
	f.create("twice", "PK:S", "SK:S", user("1", "x"), user("2", "x"), mail("x"))
	table := f.described("twice", users())
	const lock, account = `{"PK":{"S":"MAIL#x"},"SK":{"S":"LOCK"}}`, `{"PK":{"S":"USER#%d"},"SK":{"S":"PROFILE"}}`
	accounts := fmt.Sprintf(account+","+account, 1, 2)
	c, err := candidates.Open(filed(t, lined(counted(table, []string{
		about(table, `"finding":"duplicate-value","constraint":"email","value":"x","lock":`+lock+`,"accounts":[`+accounts+`],"lock_exists":true`),
		about(table, `"unjudged":"ids","of":"twice","item":`+lock),
		about(table, fmt.Sprintf(`"counted":"items","of":"twice","of_id":%q,"count":3,"accounted":2`, table.ID)),
		about(table, `"counted":"constraint","constraint":"email","locks":1,"calls":2`),
	}))))
	if err != nil {
		t.Fatal(err)
	}
	got, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
	if err != nil || sum.Locks != 1 {
		t.Fatal(err, sum.Locks)
	}
	f.want(got, "duplicate-value x")
}

// Locks may have a table of their own. Suppose that this table is deleted and created again after the SQL was printed.
// Then an export of the old table does not show which locks are missing now.
func TestCandidatesOfAnOlderLockTable(t *testing.T) {
	f := start(t)
	config := users(func(c *config.Constraint) { c.Table = "locks" })
	f.create("users", "PK:S", "SK:S", user("1", "x"))
	f.create("locks", "PK:S", "SK:S", mail("x"))
	table := f.described("users", config)
	ids := map[string]string{"users": table.ID, "locks": table.DescriptionOf("locks").ID}
	rows := func(table *dynamo.Table) string {
		items := func(name, more string) string {
			return about(table, fmt.Sprintf(`"counted":"items","of":%q,"of_id":%q,"count":1%s`, name, ids[name], more))
		}
		return lined(counted(table, []string{
			items("users", `,"accounted":1`), items("locks", ""),
			about(table, `"counted":"constraint","constraint":"email","locks":1,"calls":1`),
		}))
	}
	checked := func(table *dynamo.Table) (finding.Summary, error) {
		c, err := candidates.Open(filed(t, rows(table)))
		if err != nil {
			t.Fatal(err)
		}
		_, sum, err := run(t.Context(), table, setting.Options{Candidates: c})
		return sum, err
	}
	if sum, err := checked(table); err != nil || !sum.Complete {
		t.Fatalf("%v, %+v", err, sum)
	}
	name := "locks"
	if _, err := f.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
		t.Fatal(err)
	}
	f.create("locks", "PK:S", "SK:S", mail("y"))
	sum, err := checked(f.described("users", config))
	if err == nil || client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "a different table that was also called locks") || sum.Complete {
		t.Errorf("%v, %+v", err, sum)
	}
}
