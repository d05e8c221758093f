package embedded_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"tallylock/dynamo/embedded"
	"tallylock/dynamo/embedded/sdk"
)

// The conformance suite tests the behaviour of DynamoDB, through the SDK. It runs on the embedded
// engine, or on the endpoint in TALLYLOCK_TEST_ENDPOINT. The file in TALLYLOCK_TEST_DEVIATIONS lists
// cases in which that endpoint is known to be wrong. They run, too, and have to fail.
const (
	endpointVariable   = "TALLYLOCK_TEST_ENDPOINT"
	deviationsVariable = "TALLYLOCK_TEST_DEVIATIONS"
)

// conformance is one case.
type conformance struct {
	name string
	run  func(t *trial)
}

func TestConformance(t *testing.T) {
	deviations := readDeviations(t)
	for _, c := range slices.Concat(tableCases, itemCases, conditionCases, updateCases, pageCases, queryCases, indexCases, batchCases, transactionCases, refusalCases, wireCases, updateTableCases, tagCases, accountCases, collectionCases) {
		t.Run(c.name, func(t *testing.T) {
			failures := attempt(t, c.run)
			reason, listed := deviations[c.name]
			delete(deviations, c.name)
			switch {
			case !listed:
				for _, f := range failures {
					t.Error(f)
				}
			case len(failures) == 0:
				t.Errorf("passes, but is listed as a deviation (%s): remove the entry", reason)
			default:
				t.Logf("known deviation (%s): %s", reason, strings.Join(failures, "; "))
			}
		})
	}
	for name := range deviations {
		t.Errorf("a deviation is listed for %q, which is no case", name)
	}
}

// readDeviations reads "case: reason" lines.
func readDeviations(t *testing.T) map[string]string {
	out := map[string]string{}
	name := os.Getenv(deviationsVariable)
	if name == "" {
		return out
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		test, reason, ok := strings.Cut(line, ":")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Fatalf("%s: no reason in %q", name, line)
		}
		out[test] = strings.TrimSpace(reason)
	}
	return out
}

// attempt runs a case and returns its failures.
func attempt(t *testing.T, run func(*trial)) []string {
	tr := &trial{ctx: t.Context(), db: connect()}
	done := make(chan struct{})
	go func() { // a fatal failure ends only this goroutine
		defer close(done)
		defer tr.tearDown()
		defer func() {
			if p := recover(); p != nil {
				tr.errorf("panic: %v", p)
			}
		}()
		run(tr)
	}()
	<-done
	return tr.failures
}

// connect returns a client of the endpoint under test, by default of a new engine.
func connect() *dynamodb.Client {
	if endpoint := os.Getenv(endpointVariable); endpoint != "" {
		return client(endpoint, &http.Transport{DisableKeepAlives: true})
	}
	return connectTo(embedded.New())
}

func connectTo(e *embedded.Engine) *dynamodb.Client {
	return client("http://embedded.invalid", e.Transport())
}

func client(endpoint string, transport http.RoundTripper) *dynamodb.Client {
	return sdk.Client(transport, func(o *dynamodb.Options) {
		o.BaseEndpoint, o.Retryer = &endpoint, aws.NopRetryer{}
	})
}

// trial runs a case. It records failures instead of reporting them, since a known deviation has to
// fail.
type trial struct {
	ctx      context.Context
	db       *dynamodb.Client
	failures []string
	tables   []string
}

func (t *trial) errorf(format string, args ...any) {
	_, file, line, _ := runtime.Caller(1)
	for depth := 2; strings.HasSuffix(file, "/conformance_test.go"); depth++ {
		_, file, line, _ = runtime.Caller(depth)
	}
	at := fmt.Sprintf("%s:%d: ", file[strings.LastIndexByte(file, '/')+1:], line)
	t.failures = append(t.failures, at+fmt.Sprintf(format, args...))
}

func (t *trial) fatalf(format string, args ...any) {
	t.errorf(format, args...)
	runtime.Goexit()
}

func (t *trial) ok(err error) {
	if err != nil {
		t.fatalf("%v", err)
	}
}

// refused checks the code of an error.
func (t *trial) refused(err error, code string, about ...any) {
	if got := sdk.Code(err); got != code {
		t.errorf("%v: got %v, want %s", fmt.Sprint(about...), err, code)
	}
}

const invalid = "ValidationException"

// equal compares two values as text.
func (t *trial) equal(got, want any, about ...any) {
	if g, w := show(got), show(want); g != w {
		t.errorf("%s got %s, want %s", fmt.Sprint(about...), g, w)
	}
}

func (t *trial) tearDown() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), time.Minute)
	defer cancel()
	for _, name := range t.tables {
		_, _ = t.db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
	}
}

// create makes a table with a unique name.
func (t *trial) create(in *dynamodb.CreateTableInput) *string {
	name := "tallylock-test-" + uuid.NewString()
	in.TableName = &name
	if in.BillingMode == "" {
		in.BillingMode = types.BillingModePayPerRequest
	}
	_, err := t.db.CreateTable(t.ctx, in)
	t.ok(err)
	t.tables = append(t.tables, name)
	t.ok(dynamodb.NewTableExistsWaiter(t.db).Wait(t.ctx, &dynamodb.DescribeTableInput{TableName: &name}, time.Minute))
	return &name
}

// table makes a table with the partition key pk, and the sort key sk if the
// types name two.
func (t *trial) table(keyTypes ...types.ScalarAttributeType) *string {
	return t.create(withKey(keyTypes...))
}

func withKey(keyTypes ...types.ScalarAttributeType) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{}
	for i, kt := range keyTypes {
		in.AttributeDefinitions = append(in.AttributeDefinitions, define([]string{"pk", "sk"}[i], kt))
	}
	in.KeySchema = schema([]string{"pk", "sk"}[:len(keyTypes)]...)
	return in
}

const (
	typeS = types.ScalarAttributeTypeS
	typeN = types.ScalarAttributeTypeN
	typeB = types.ScalarAttributeTypeB
)

func define(name string, kt types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: &name, AttributeType: kt}
}

func schema(names ...string) []types.KeySchemaElement {
	var out []types.KeySchemaElement
	for i, name := range names {
		out = append(out, types.KeySchemaElement{AttributeName: &name, KeyType: []types.KeyType{types.KeyTypeHash, types.KeyTypeRange}[i]})
	}
	return out
}

func (t *trial) put(table *string, items ...doc) {
	for _, item := range items {
		_, err := t.db.PutItem(t.ctx, &dynamodb.PutItemInput{TableName: table, Item: item})
		t.ok(err)
	}
}

func (t *trial) get(table *string, key doc) doc {
	out, err := t.db.GetItem(t.ctx, &dynamodb.GetItemInput{TableName: table, Key: key, ConsistentRead: aws.Bool(true)})
	t.ok(err)
	return out.Item
}
