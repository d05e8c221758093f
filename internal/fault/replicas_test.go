package fault_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fault"
)

// Only the named table has replicas.
func TestReplicas(t *testing.T) {
	e := withTable(t, fault.WithReplicas("tab", false, "eu-west-1", "eu-west-2"), fault.WithReplicas("strong", true, "eu-west-1"), fault.WithReplicas("none", false))
	for table, want := range map[string]string{"tab": "EVENTUAL eu-west-1 eu-west-2", "strong": "STRONG eu-west-1", "none": "", "other": ""} {
		if table != "tab" {
			create(t, e, table)
		}
		out, err := connectTo(e).DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			t.Fatal(err)
		}
		got := string(out.Table.MultiRegionConsistency)
		for _, r := range out.Table.Replicas {
			got += " " + *r.RegionName
		}
		if got != want {
			t.Errorf("%s: %s; want %s", table, got, want)
		}
		_, err = connectTo(e).TransactGetItems(t.Context(), getOf(table))
		if refused := table == "strong"; refused != (sdk.Code(err) == "ValidationException") {
			t.Errorf("%s: %s", table, fmt.Sprint(err))
		}
	}
}
