package client

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/athena"
	"github.com/aws/aws-sdk-go-v2/service/athena/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// callAll calls each operation of an SDK's client, with a filled input. It returns the names of the operations that the
// guard let through.
func callAll(t *testing.T, sdk any, option any) (passed []string) {
	t.Helper()
	client, operations := reflect.ValueOf(sdk), 0
	for n := range client.NumMethod() {
		method := client.Type().Method(n)
		// func(context.Context, *XInput, ...func(*Options)) (*XOutput, error)
		if method.Type.NumIn() != 4 || !method.Type.IsVariadic() || method.Type.In(2).Kind() != reflect.Pointer {
			continue
		}
		operations++
		in := reflect.New(method.Type.In(2).Elem())
		fill(in.Elem(), 0)
		answer := client.Method(n).Call([]reflect.Value{reflect.ValueOf(context.Background()), in, reflect.ValueOf(option)})
		err, _ := reflect.TypeAssert[error](answer[1])
		if err == nil {
			t.Errorf("%s answered, and nobody is here", method.Name)
		}
		if KindOf(err) != ReadOnly {
			passed = append(passed, method.Name)
		}
	}
	if operations < 50 {
		t.Fatalf("only %d operations were found: the SDK's methods look different now", operations)
	}
	return passed
}

// The guard lets only four operations pass to Athena. StartQueryExecution passes only with a statement of the run.
func TestAthenaSendsOnlyStatementsOfTheRun(t *testing.T) {
	w := &wire{}
	c, err := Connect(t.Context(), Options{Transport: w, Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Athena(AthenaPlace{}, "s3://b/p/tallylock-runs/7/")
	once := func(o *athena.Options) { o.RetryMaxAttempts = 1 }
	if got := callAll(t, a.sdk, once); !slices.Equal(got, []string{"GetQueryExecution", "GetQueryResults", "StopQueryExecution"}) {
		t.Errorf("the guard let %q through", got)
	}
	const with = "\nWITH (format = 'PARQUET', write_compression = 'ZSTD', external_location = 's3://b/p/tallylock-runs/"
	for text, own := range map[string]bool{
		"SHOW TABLES 'tallylock_*'":                                              true,
		"DROP TABLE IF EXISTS tallylock_items_7":                                 true,
		"CREATE TABLE tallylock_items_7" + with + "7/tables/x/') AS\nSELECT 1":   true,
		"CREATE EXTERNAL TABLE tallylock_lines_1_7 (line string)\nROW FORMAT":    true,
		"UNLOAD (\nSELECT 1\n) TO 's3://b/p/tallylock-runs/7/x/'" + unloadFormat: true,
		"SELECT 1":                                       true,
		"DROP TABLE IF EXISTS tallylock_items_8":         false,
		"DROP TABLE IF EXISTS people_7":                  false,
		"DROP TABLE IF EXISTS tallylock_items_7, people": false,
		"CREATE TABLE tallylock_items_7" + with + "8/tables/x/') AS\nSELECT 1": false,
		"CREATE TABLE people" + with + "7/tables/x/') AS\nSELECT 1":            false,
		"UNLOAD (\nSELECT 1\n) TO 's3://b/other/x/'" + unloadFormat:            false,
		"INSERT INTO people SELECT 1":                                          false,
		"DROP DATABASE scratch CASCADE":                                        false,
		" DROP TABLE people":                                                   false,
		"SHOW TABLES 'tallylock_*'\nDROP TABLE people":                         false,
	} {
		for into, there := range map[string]bool{"s3://b/p/tallylock-runs/7/results/": true, "s3://b/other/": false} {
			_, err := a.sdk.StartQueryExecution(t.Context(), &athena.StartQueryExecutionInput{
				QueryString: &text, ResultConfiguration: &types.ResultConfiguration{OutputLocation: &into},
			}, once)
			if let := KindOf(err) != ReadOnly; let != (own && there) {
				t.Errorf("%q with results in %s: %v", text, into, err)
			}
		}
	}
}

const unloadFormat = "\nWITH (format = 'TEXTFILE')"

// The guard of a folder lets only lists and deletions below the folder pass.
func TestAFolderSendsOnlyItsRequests(t *testing.T) {
	w := &wire{}
	c, err := Connect(t.Context(), Options{Transport: w, Region: "eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Folder("b", "p/tallylock-runs/")
	if err != nil {
		t.Fatal(err)
	}
	guarded := func(o *s3.Options) { f.options(o); o.RetryMaxAttempts = 1 }
	// The inputs are outside of the folder.
	if got := callAll(t, f.bucket.sdk, guarded); len(got) > 0 || len(w.sent) > 0 {
		t.Errorf("the guard let %q through: %d requests", got, len(w.sent))
	}
	for _, one := range []struct {
		bucket, keys string // keys are the prefix of the list, or the deleted objects
		own          bool
	}{
		{"b", "p/tallylock-runs/7/x", true},
		{"b", "p/tallylock-runs/7/x p/tallylock-runs/7/y", true},
		{"b", "p/tallylock-runs", false},
		{"b", "p/other", false},
		{"b", "p/tallylock-runs/7/x p/other", false},
		{"b", "p/other p/tallylock-runs/7/x", false},
		{"other", "p/tallylock-runs/7/x", false},
	} {
		in := &s3.DeleteObjectsInput{Bucket: &one.bucket, Delete: &s3types.Delete{}}
		for key := range strings.FieldsSeq(one.keys) {
			in.Delete.Objects = append(in.Delete.Objects, s3types.ObjectIdentifier{Key: aws.String(key)})
		}
		_, err := f.bucket.sdk.DeleteObjects(t.Context(), in, guarded)
		if let := KindOf(err) != ReadOnly; let != one.own {
			t.Errorf("deleting %s in %s: %v", one.keys, one.bucket, err)
		}
		if strings.Contains(one.keys, " ") {
			continue
		}
		_, err = f.bucket.sdk.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &one.bucket, Prefix: &one.keys}, guarded)
		if let := KindOf(err) != ReadOnly; let != one.own {
			t.Errorf("listing %s in %s: %v", one.keys, one.bucket, err)
		}
	}
}
