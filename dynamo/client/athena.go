package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/athena"
	"github.com/aws/aws-sdk-go-v2/service/athena/types"
	"github.com/aws/smithy-go"
)

// Athena runs the SQL of one run on Amazon Athena. It sends four operations: StartQueryExecution, GetQueryExecution,
// StopQueryExecution and GetQueryResults. The SDK's middleware stack refuses all other operations, and all statements
// that statementsOf does not match.
type Athena struct {
	place   AthenaPlace
	results string         // the folder of the results
	own     *regexp.Regexp // matches the statements of the run
	sdk     *athena.Client
	target  Target
}

// AthenaPlace is where Athena runs statements.
type AthenaPlace struct {
	// Workgroup, Catalog and Database may be empty: then Athena uses the workgroup primary, the catalog
	// AwsDataCatalog, and the database default.
	Workgroup, Catalog, Database string
}

// AthenaRuns is the folder of all runs below an output location.
const AthenaRuns = "tallylock-runs/"

// Athena returns a client of Athena in the connection's Region, with the connection's credentials. folder is the folder
// of the run, as s3://BUCKET/PREFIX/RUN/.
func (c *Client) Athena(at AthenaPlace, folder string) *Athena {
	a := &Athena{place: at, results: folder + "results/", own: statementsOf(folder), target: c.Target}
	a.sdk = athena.NewFromConfig(c.config, func(o *athena.Options) {
		o.APIOptions = append(o.APIOptions, refusing(a.guard))
	})
	a.target.endpoint = cmp.Or(aws.ToString(a.sdk.Options().BaseEndpoint), "https://athena."+c.region+".amazonaws.com")
	return a
}

// statementsOf matches the statements of the run in a folder: they make and drop only tables with the id of the run in
// their names, and write only into the folder.
func statementsOf(folder string) *regexp.Regexp {
	table := "tallylock_[a-z0-9_]*" + regexp.QuoteMeta(path.Base(folder))
	place := "'" + regexp.QuoteMeta(strings.ReplaceAll(folder, "'", "''")) + "[^']*'"
	return regexp.MustCompile("(?s)^(" + strings.Join([]string{
		`SHOW TABLES 'tallylock_\*'`,
		`DROP TABLE IF EXISTS ` + table,
		`CREATE EXTERNAL TABLE ` + table + ` \(line string\)\n.*`,
		`CREATE TABLE ` + table + `\nWITH \(format = 'PARQUET', write_compression = 'ZSTD', external_location = ` + place + `\) AS\n.*`,
		`UNLOAD \(\n.*\n\) TO ` + place + `\nWITH \(format = 'TEXTFILE'\)`,
		`SELECT .*`,
	}, "|") + ")$")
}

// athenaOperations are the only operations that an Athena sends.
var athenaOperations = []string{"StartQueryExecution", "GetQueryExecution", "StopQueryExecution", "GetQueryResults"}

// guard refuses other operations, statements that do not belong to the run, and other places for the results.
func (a *Athena) guard(operation string, request any) error {
	if !slices.Contains(athenaOperations, operation) {
		return refused(operation, false)
	}
	in, starts := request.(*athena.StartQueryExecutionInput)
	if !starts {
		return nil
	}
	into := in.ResultConfiguration
	if into == nil || aws.ToString(into.OutputLocation) != a.results || !a.own.MatchString(aws.ToString(in.QueryString)) {
		return &Error{
			Kind: ReadOnly, Op: "sending a statement to Athena",
			Why: "tallylock sends only the statements of a check, with results below " + a.results,
		}
	}
	return nil
}

// Execution is a statement that Athena has run.
type Execution struct {
	ID string
	// Output is the address of the result in S3.
	Output  string
	Scanned int64 // bytes
	Outcome ExecutionOutcome
}

// ExecutionOutcome is the outcome of a statement, as far as the client knows it.
type ExecutionOutcome string

// The outcomes of statements.
const (
	ExecutionUnknown   ExecutionOutcome = ""          // the statement may still run
	ExecutionSucceeded ExecutionOutcome = "succeeded" // its tables exist
	ExecutionFailed    ExecutionOutcome = "failed"    // it made no table, or never began
)

// Run runs a statement to its end. From time to time it calls scanned with the number of bytes that the statement
// has scanned. If ctx ends, Run stops the statement.
func (a *Athena) Run(ctx context.Context, text string, scanned func(bytes int64)) (Execution, error) {
	if err := ctx.Err(); err != nil {
		return Execution{Outcome: ExecutionFailed}, err
	}
	in := &athena.StartQueryExecutionInput{
		QueryString:         &text,
		ResultConfiguration: &types.ResultConfiguration{OutputLocation: &a.results},
		QueryExecutionContext: &types.QueryExecutionContext{
			Catalog: given(a.place.Catalog), Database: given(a.place.Database),
		},
		WorkGroup: given(a.place.Workgroup),
	}
	// The end of ctx does not cancel this request: otherwise the statement might run, and its id would be unknown.
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	out, err := a.sdk.StartQueryExecution(starting, in)
	if err != nil {
		err = a.explain("athena:StartQueryExecution", err)
		return Execution{Outcome: unsent(err)}, err
	}
	e := Execution{ID: aws.ToString(out.QueryExecutionId)}
	for pause := 100 * time.Millisecond; ; pause = min(pause*3/2, 2*time.Second) {
		if err := Pause(ctx, pause); err != nil {
			e.Outcome = a.stop(ctx, e.ID)
			return e, err
		}
		state, err := a.poll(ctx, &e)
		if err != nil {
			e.Outcome = a.stop(ctx, e.ID)
			return e, err
		}
		scanned(e.Scanned)
		if e.Outcome = state.outcome(); e.Outcome != ExecutionUnknown {
			return e, state.err()
		}
	}
}

// unsent returns the outcome of a statement after the request to start it failed. Unless Athena refused the request,
// the statement may run.
func unsent(err error) ExecutionOutcome {
	switch KindOf(err) {
	case Denied, Usage, Throttled, Expired, NoCredentials, NoRegion, ReadOnly:
		return ExecutionFailed
	}
	return ExecutionUnknown
}

// executionState is the state of a statement. why is Athena's reason.
type executionState struct {
	is  types.QueryExecutionState
	why string
}

func (s executionState) outcome() ExecutionOutcome {
	switch s.is {
	case types.QueryExecutionStateSucceeded:
		return ExecutionSucceeded
	case types.QueryExecutionStateFailed, types.QueryExecutionStateCancelled:
		return ExecutionFailed
	}
	return ExecutionUnknown
}

// err returns the error of a statement that has ended; nil if it succeeded.
func (s executionState) err() error {
	switch s.is {
	case types.QueryExecutionStateSucceeded:
		return nil
	case types.QueryExecutionStateCancelled:
		return &Error{Kind: Failed, Why: "somebody cancelled the statement in Athena", Do: "run the check again"}
	}
	return &Error{Kind: Failed, Why: "Athena says: " + s.why}
}

// given returns a text for a request; nil if it is empty, so that Athena takes its default.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// poll asks for the state of a statement.
func (a *Athena) poll(ctx context.Context, e *Execution) (executionState, error) {
	out, err := a.sdk.GetQueryExecution(ctx, &athena.GetQueryExecutionInput{QueryExecutionId: &e.ID})
	if err != nil {
		return executionState{}, a.explain("athena:GetQueryExecution", err)
	}
	q := out.QueryExecution
	if q == nil || q.Status == nil {
		return executionState{}, &Error{
			Kind: Failed, Why: "Athena's answer about the statement is empty", Do: "run the check again",
		}
	}
	if q.Statistics != nil {
		e.Scanned = aws.ToInt64(q.Statistics.DataScannedInBytes)
	}
	if q.ResultConfiguration != nil {
		e.Output = aws.ToString(q.ResultConfiguration.OutputLocation)
	}
	return executionState{q.Status.State, aws.ToString(q.Status.StateChangeReason)}, nil
}

// stop stops a statement, even if ctx has ended, and waits for its end. A statement writes files until its end. The
// caller then deletes the files, and must not miss one.
func (a *Athena) stop(ctx context.Context, id string) ExecutionOutcome {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	_, _ = a.sdk.StopQueryExecution(ctx, &athena.StopQueryExecutionInput{QueryExecutionId: &id})
	for Pause(ctx, 200*time.Millisecond) == nil {
		state, err := a.poll(ctx, &Execution{ID: id})
		switch kind := KindOf(err); {
		case err == nil && state.outcome() != ExecutionUnknown:
			return state.outcome()
		case err != nil && (kind == Denied || kind == Expired || kind == NoCredentials):
			return ExecutionUnknown // further requests would fail, too
		}
	}
	return ExecutionUnknown
}

// Rows returns all rows of a small result, such as a list of tables.
func (a *Athena) Rows(ctx context.Context, id string) (rows [][]string, err error) {
	in := &athena.GetQueryResultsInput{QueryExecutionId: &id}
	for {
		page, err := a.sdk.GetQueryResults(ctx, in)
		if err != nil {
			return nil, a.explain("athena:GetQueryResults", err)
		}
		if page.ResultSet != nil {
			for _, row := range page.ResultSet.Rows {
				var cells []string
				for _, cell := range row.Data {
					cells = append(cells, aws.ToString(cell.VarCharValue))
				}
				rows = append(rows, cells)
			}
		}
		if in.NextToken = page.NextToken; in.NextToken == nil {
			return rows, nil
		}
	}
}

// explain puts an error of Athena into words. permission is the IAM action of the operation.
func (a *Athena) explain(permission string, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Kind: Failed, Why: reason(err), Err: err}
	if errors.Is(err, context.Canceled) || a.target.classifyLogin(e, err) {
		a.target.classify(e, err)
		return e
	}
	code, message := "", ""
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code, message = api.ErrorCode(), api.ErrorMessage()
	}
	switch {
	case code == "AccessDeniedException" || code == "AccessDenied":
		e.Kind, e.Permission = Denied, permission
		e.Why, e.Do = "this role cannot run SQL on Athena ("+message+")", "ask for the permission "+permission
	case code == "InvalidRequestException":
		e.Kind, e.Why = Usage, "Athena refuses the request: "+message
		e.Do = "check the names of the workgroup, the catalog, the schema and the output location"
	case code == "TooManyRequestsException" || code == "ThrottlingException":
		e.Kind, e.Why, e.Do = Throttled, "Athena kept throttling the requests", "run the check again later"
	case code == "InternalServerException":
		e.Why, e.Do = "Athena failed: "+message, "run the check again"
	default:
		a.target.classify(e, err)
	}
	return e
}

// SplitS3 splits s3://BUCKET/PREFIX into the bucket and the prefix. The resulting prefix is empty or ends with a slash.
func SplitS3(address string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(address, "s3://")
	bucket, prefix, _ = strings.Cut(rest, "/")
	if !ok || bucket == "" {
		return "", "", fmt.Errorf("%q is not an address in S3, such as s3://BUCKET/PREFIX", address)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return bucket, prefix, nil
}
