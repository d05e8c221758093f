package change_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/embedded/sdk"
)

// Between the mark and the look, the table is deleted, created again and loaded in part, so the account that holds the
// value is missing. The lock stays, for any identity of the table that the endpoint reports.
func TestATableThatIsLoadedAgainFreesNothing(t *testing.T) {
	for name, hide := range map[string]string{
		"TableId":                            ``,
		"CreationDateTime":                   `"TableId":"[^"]*",?`,
		"neither":                            `"TableId":"[^"]*",?|"CreationDateTime":[0-9.eE+]*,?`,
		"CreationDateTime, restored in part": `"TableId":"[^"]*",?`,
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			again := false // the table was loaded again
			p := &proxy{to: f.Engine}
			p.answer = func(operation string, request []byte, answer *httptest.ResponseRecorder) bool {
				if operation == "DescribeTable" && hide != "" {
					said := regexp.MustCompile(hide).ReplaceAllString(answer.Body.String(), "")
					// AWS updates this count only every six hours.
					said = regexp.MustCompile(`"ItemCount":[0-9]*`).ReplaceAllString(said, `"ItemCount":104`)
					replace(answer, answer.Code, said)
				}
				if operation == "TransactWriteItems" && !onlyChecks(request) && !again { // the mark
					again = true
					f.reload("accounts", name == "CreationDateTime, restored in part")
				}
				return true
			}
			table := f.served(p, "accounts")
			plan, err := f.plan(table, "username", "alan")
			if err != nil {
				t.Fatal(err)
			}
			r := f.changer.Apply(t.Context(), plan, nil)
			if !again || r.Outcome != journal.Refused {
				t.Errorf("%s %v %v", r.Outcome, r.Reasons, r.Err)
			}
			if left := f.get("accounts", handle("alan")); left == nil {
				t.Error("the lock is gone")
			}
		})
	}
}

// reload deletes a table, creates it again, and puts back its locks with few accounts. If inPlace is set, it only
// deletes accounts, so the table keeps its time of creation.
func (f *fixture) reload(table string, inPlace bool) {
	f.t.Helper()
	ctx, app := f.t.Context(), f.App()
	out, err := app.Scan(ctx, &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		f.t.Fatal(err)
	}
	if inPlace {
		for _, i := range out.Items {
			if pk := text(i["PK"]); strings.HasPrefix(pk, "ACCT#") || strings.HasPrefix(pk, "UNIQ#EMAIL#") {
				f.delete(table, item{"PK": i["PK"], "SK": i["SK"]})
			}
		}
		return
	}
	if _, err := app.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table}); err != nil {
		f.t.Fatal(err)
	}
	if err := sdk.Fill(ctx, app, sdk.Table(table, "PK:S", "SK:S")); err != nil {
		f.t.Fatal(err)
	}
	for n, i := range out.Items {
		if strings.HasPrefix(text(i["PK"]), "UNIQ#") || n%8 == 0 {
			f.put(table, i)
		}
	}
}
