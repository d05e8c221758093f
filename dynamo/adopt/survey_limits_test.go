package adopt_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
)

// A table that is deleted and created again during a survey is another table, though it has the same name and items. The
// survey is incomplete.
func TestSurveyOfATableThatIsCreatedAgain(t *testing.T) {
	t.Parallel()
	var f *fixture.Tables
	var account sdk.Item
	f = fixture.New(t, hooked(func(operation string) {
		if operation != "Scan" || account == nil {
			return
		}
		if _, err := f.App().DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: aws.String("people")}); err != nil {
			t.Error(err)
		}
		f.Create("people", "PK:S", "SK:S")
		f.Put("people", account)
		account = nil
	}))
	r := open(t, f.Describe("people", rule(), fixture.Account("1", "ada@x.io", "ada")))
	account = fixture.Account("1", "ada@x.io", "ada")
	sum, err := adopt.Survey(t.Context(), r, setting.Options{Segments: 1}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "the table people was deleted and created again") || sum.Complete() || sum.Values != 1 {
		t.Errorf("the survey ended with %+v, %v", sum, err)
	}
}

// A problem lists twenty holders of a value, and counts the others.
func TestSurveyCountsMoreHolders(t *testing.T) {
	t.Parallel()
	for _, holders := range []int{20, 23} {
		var items []sdk.Item
		for n := range holders {
			items = append(items, fixture.Account(fmt.Sprint(n), "same@x.io", fmt.Sprint("p", n)))
		}
		r := open(t, fixture.New(t).Describe("people", rule(), items...))
		var found []adopt.Problem
		sum, err := adopt.Survey(t.Context(), r, setting.Options{}, func(p adopt.Problem) { found = append(found, p) }, nil)
		if err != nil || sum.Duplicates != 1 || sum.ToWrite != 0 || len(found) != 1 ||
			len(found[0].Accounts) != 20 || found[0].MoreAccounts != holders-20 {
			t.Errorf("%d holders: %+v, %+v, %v", holders, sum, found, err)
		}
	}
}
