package embedded_test

import (
	"net/http"
	"strings"
	"testing"

	"tallylock/dynamo/embedded"
)

// The description of a table with replicas is like AWS's. A table with multi-Region strong consistency
// refuses only transactions.
func TestReplicas(t *testing.T) {
	e := embedded.New()
	for _, replicas := range []string{
		`{"TableName":"tab","Replicas":[{"RegionName":"eu-west-1"},{"RegionName":"eu-west-2"}]`,
		`{"TableName":"strong","MultiRegionConsistency":"STRONG","Replicas":[{"RegionName":"eu-west-1"}]`,
	} {
		if status, body := send(e, "CreateTable", strings.Replace(createTable, `{"TableName":"tab"`, replicas, 1)); status != http.StatusOK {
			t.Fatal(body)
		}
	}
	for table, want := range map[string][]string{
		"tab":    {`"MultiRegionConsistency":"EVENTUAL"`, `"Replicas":[{"RegionName":"eu-west-1","ReplicaStatus":"ACTIVE"},{"RegionName":"eu-west-2","ReplicaStatus":"ACTIVE"}]`},
		"strong": {`"MultiRegionConsistency":"STRONG"`, `"Replicas":[{"RegionName":"eu-west-1","ReplicaStatus":"ACTIVE"}]`},
	} {
		_, body := send(e, "DescribeTable", `{"TableName":"`+table+`"}`)
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s: %s is not in %s", table, part, body)
			}
		}
		for operation, request := range map[string]string{
			"TransactWriteItems": `{"TransactItems":[{"Put":{"TableName":"` + table + `","Item":{"pk":{"S":"a"}}}}]}`,
			"TransactGetItems":   `{"TransactItems":[{"Get":{"TableName":"` + table + `","Key":{"pk":{"S":"a"}}}}]}`,
			"PutItem":            `{"TableName":"` + table + `","Item":{"pk":{"S":"a"}}}`,
			"GetItem":            `{"TableName":"` + table + `","Key":{"pk":{"S":"a"}}}`,
			"BatchWriteItem":     `{"RequestItems":{"` + table + `":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}}]}}`,
		} {
			status, body := send(e, operation, request)
			if refused := table == "strong" && strings.HasPrefix(operation, "Transact"); refused != (status == http.StatusBadRequest) {
				t.Errorf("%s of %s: %d %s", operation, table, status, body)
			}
		}
	}
}
