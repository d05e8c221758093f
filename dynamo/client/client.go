// Package client reaches DynamoDB: it connects, refuses operations that are not allowed, reads items,
// sends transactions, retries, limits its rate, and explains errors. Only this package and the client of
// the engine (embedded/sdk) make clients of the SDK. Package client knows nothing of layouts, locks or
// counters. It may import attr, mistake, phrase and remedy.
//
// Start at Client, which has a Target (the destination of requests) and a Budget (the limits of reads).
// Then see Reader for reads, PageReader for scans, Transact for writes, and Bucket for exports in S3.
package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo/remedy"
)

// Defaults of Options.
const (
	DefaultSettle        = 10 * time.Second
	DefaultAutoReadUnits = 500
	DefaultWriteWithin   = 8 * time.Second
	// DefaultSessionReadUnits is the inspector's default. A command has no limit by default.
	DefaultSessionReadUnits = 20_000
)

// answerWithin is the timeout of one request, because an endpoint may never answer. An answer with a page
// of 1 MB takes about a second.
const answerWithin = 20 * time.Second

// MostAtOnce is the greatest number of requests that a connection has in flight.
const MostAtOnce = 64

// Options are the destination of a Client, with its guards and limits.
type Options struct {
	Name     string // the connection's name in the config
	Profile  string
	Region   string
	Endpoint string // a URL; empty: the SDK resolves it
	// Write allows TransactWriteItems. Without it, the connection only reads.
	Write bool
	// Guard is the connection's guard. Guards has the guards of single tables.
	Guard  Guard
	Guards map[string]Guard
	// RequireReason refuses changes without a reason. Reasons overrides RequireReason for single tables.
	RequireReason bool
	Reasons       map[string]bool
	// Settle is a waiting time. A release waits between its mark and its reading of the tables. A check
	// waits before it reads suspects again. In this time a sign-up must finish all its steps, and an
	// application's transaction must become visible.
	Settle time.Duration
	// WriteWithin is the timeout of one attempt of a write. The next attempt sends the same token, so its answer may tell
	// the outcome of both attempts.
	WriteWithin time.Duration
	// AutoReadUnits is the greatest number of read units that one question may consume without asking a
	// person.
	AutoReadUnits float64
	// SessionReadUnits is the number of read units that a session may consume without asking a person.
	// ReadMore raises this limit. 0: no limit.
	SessionReadUnits float64
	// Strict refuses all reads after the session has consumed SessionReadUnits. Otherwise SessionReadUnits limits only
	// reads that no person has asked for.
	Strict bool
	// Tables are the only tables that the client may list and open. If Tables is nil, the client may use all tables. See
	// also ReadBeside.
	Tables []string
	// NoImages keeps deleted accounts out of the journal.
	NoImages bool
	// Others are the config's other connections. If one of them has the same table, its guard and its
	// demand for reasons hold on this connection, too (see Config.Inherit).
	Others []Config
	// Files are the AWS config files with the profiles.
	Files AWSFiles
	// MFA asks the person for the code of their MFA device.
	MFA func() (string, error)
	// Transport replaces the network by the demo's engine. Connect then uses no credentials of the user.
	Transport http.RoundTripper
}

// Client reaches the tables of one account, Region and endpoint. It is safe
// for concurrent use.
type Client struct {
	Target
	Budget

	sdk    *dynamodb.Client
	config aws.Config // the SDK's configuration: credentials, Region, transport

	tables   *tableList // nil: all tables
	identity *identity
	others   *others
	origin   *origin
	tokens   tokens
	slowed   atomic.Int64 // the time of the last throttled request, in ns since 1970; 0 after a granted request

	// strong maps the name of a described table to true if the table has multi-Region strong consistency.
	// Such a table has no transactions.
	strong  sync.Map
	regions updateRegions
}

// Connect makes a connection. It requests the credentials, and sends nothing to DynamoDB.
func Connect(ctx context.Context, o Options) (*Client, error) {
	if o.Settle == 0 {
		o.Settle = DefaultSettle
	}
	if o.WriteWithin == 0 {
		o.WriteWithin = DefaultWriteWithin
	}
	if o.AutoReadUnits == 0 {
		o.AutoReadUnits = DefaultAutoReadUnits
	}
	c := &Client{
		Target: Target{options: o, endpoint: o.endpoint()},
		Budget: Budget{question: o.AutoReadUnits, step: o.SessionReadUnits, limit: o.SessionReadUnits},
		origin: &origin{},
	}
	c.tables = listOf(o.Tables, nil, false)
	cfg, err := c.load(ctx)
	if err != nil {
		return nil, c.Explain("connecting", err)
	}
	if cfg.Region == "" {
		return nil, &Error{
			Kind:   NoRegion,
			Op:     "connecting",
			Why:    "no AWS Region is configured",
			Remedy: remedy.Of(remedy.NameRegion),
		}
	}
	c.region, c.config = cfg.Region, cfg
	c.dial()
	// Only the SDK knows the final endpoint: the profile may name one, and the environment may disable it.
	c.endpoint = aws.ToString(c.sdk.Options().BaseEndpoint)
	if c.endpoint != "" && !isEndpoint(c.endpoint) {
		return nil, noEndpoint(c.endpoint)
	}
	c.origin.aws = o.Transport == nil && onAWS(c.endpoint)
	c.identity = newIdentity(cfg, o, c.endpoint)
	c.others = newOthers(ctx, o.Others)
	return c, nil
}

// dial makes the SDK's client, with the guards of c. It sends nothing.
func (c *Client) dial() {
	o := c.options
	c.sdk = dynamodb.NewFromConfig(c.config, func(d *dynamodb.Options) {
		if o.Endpoint != "" {
			d.BaseEndpoint = aws.String(o.Endpoint)
		}
		if o.Transport != nil {
			// With a made-up Region, the SDK would compile a regular expression for each partition of AWS,
			// at every request.
			d.Region = "us-east-1"
		}
		d.APIOptions = append(d.APIOptions, c.guard(), c.gates, c.origin.proofs)
		d.HTTPClient = earlyAnswers{d.HTTPClient}
		// The client uses one endpoint. A host name with the account id would only be one more name to
		// resolve.
		d.AccountIDEndpointMode = aws.AccountIDEndpointModeDisabled
	})
}

// Write reports whether changes are allowed.
func (c *Client) Write() bool { return c.options.Write }

// Settle returns the waiting time of releases and checks: see Options.Settle.
func (c *Client) Settle() time.Duration { return c.options.Settle }

// KeepsImages reports whether the journal keeps deleted accounts, which undo needs.
func (c *Client) KeepsImages() bool { return !c.options.NoImages }

// ReportsUnits reports whether the endpoint reports consumed read units. It returns false after several
// answers without them, since only an emulator omits them. From then on, Units does not change.
func (c *Client) ReportsUnits() bool { return c.origin.reports() }

// MostSkew is the greatest difference between this machine's clock and AWS's clock at which AWS surely accepts
// requests (IAM User Guide, "Signature Version 4"). Some endpoints of DynamoDB accept up to 15 minutes.
const MostSkew = 5 * time.Minute

// Clock compares this machine's clock with the endpoint's. ahead is negative if this machine's clock is
// behind. dated is false if the endpoint's answer has no date. Clock sends one ListTables, and returns
// its error. Even an answer with an error may have a date.
func (c *Client) Clock(ctx context.Context) (ahead time.Duration, dated bool, err error) {
	out, err := c.sdk.ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	if err == nil {
		behind, dated := awsmiddleware.GetAttemptSkew(out.ResultMetadata)
		return -behind, dated, nil
	}
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok && response.HTTPResponse() != nil {
		if there, wrong := http.ParseTime(response.HTTPResponse().Header.Get("Date")); wrong == nil {
			ahead, dated = time.Since(there), true
		}
	}
	return ahead, dated, c.Explain("asking "+c.Endpoint(), err)
}
