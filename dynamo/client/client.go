// Package client reaches DynamoDB: it connects, refuses operations that are not allowed, reads
// items, sends transactions, retries, keeps a pace, and explains errors. Only this package and the
// engine's client (embedded/sdk) import the SDK's clients. It knows nothing of layouts, locks or
// counters. It may import attr, mistake, phrase and remedy.
//
// Start at Client, which has a Target (where requests go) and a Budget (how much may be read). Then
// see Reader for reads, PageReader for scans, Transact for writes, and Bucket for exports in S3.
package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
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

// answerWithin bounds one request, in case an endpoint never answers. A page of a megabyte takes
// about a second.
const answerWithin = 20 * time.Second

// MostAtOnce is the greatest number of requests that a connection has in flight.
const MostAtOnce = 64

// Options say which tables a Client reaches, and how.
type Options struct {
	Name     string // the connection's name in the config
	Profile  string
	Region   string
	Endpoint string // a URL; empty: the SDK resolves it
	// Write lets TransactWriteItems through the guard.
	Write bool
	// Guard is the connection's guard. Guards has the guards of single tables.
	Guard  Guard
	Guards map[string]Guard
	// RequireReason refuses changes without a reason. Reasons has exceptions for tables.
	RequireReason bool
	Reasons       map[string]bool
	// Settle is how long a release waits after its mark before it reads the tables. It must cover
	// the time until an application's transaction becomes visible, and all steps of a sign-up.
	Settle time.Duration
	// WriteWithin is how long one attempt of a write waits for its answer. The next attempt has the
	// same token, and may get the answer.
	WriteWithin time.Duration
	// AutoReadUnits is how many read units one question may consume unasked.
	AutoReadUnits float64
	// SessionReadUnits is how many read units the session may consume. Then it reads nothing unasked
	// until ReadMore. 0: no limit.
	SessionReadUnits float64
	// NoImages: the journal keeps no deleted accounts.
	NoImages bool
	// Others are the config's other connections. If one of them has the same table, its guard and its
	// demand for reasons hold here too (see Config.Inherit).
	Others []Config
	// MFA asks the person for the code of their device.
	MFA func() (string, error)
	// Transport replaces the network by the demo's engine. Connect then looks for no credentials.
	Transport http.RoundTripper
}

// Client reaches the tables of one account, Region and endpoint. It is safe
// for concurrent use.
type Client struct {
	Target
	Budget

	sdk    *dynamodb.Client
	config aws.Config // the SDK's: credentials, Region, transport

	identity *identity
	others   *others
	origin   *origin
	tokens   tokens

	// strong maps the name of a described table to true if the table has multi-Region strong consistency,
	// and so no transactions.
	strong  sync.Map
	regions updateRegions
}

// Connect makes a connection. It sends only the requests for the credentials.
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
	c.sdk = dynamodb.NewFromConfig(cfg, func(d *dynamodb.Options) {
		if o.Endpoint != "" {
			d.BaseEndpoint = aws.String(o.Endpoint)
		}
		if o.Transport != nil {
			// For an unknown Region the SDK compiles a regular expression for each partition of AWS, at
			// every request.
			d.Region = "us-east-1"
		}
		d.APIOptions = append(d.APIOptions, guard(o.Write), gates, c.origin.proofs)
		d.HTTPClient = earlyAnswers{d.HTTPClient}
		// A host name with the account id would be one more name to resolve, without a use: this client
		// talks to one endpoint.
		d.AccountIDEndpointMode = aws.AccountIDEndpointModeDisabled
	})
	// The SDK has resolved the endpoint: the profile may name one, and the environment may disable that.
	c.endpoint = aws.ToString(c.sdk.Options().BaseEndpoint)
	c.origin.aws = o.Transport == nil && onAWS(c.endpoint)
	c.identity = newIdentity(cfg, o, c.endpoint)
	c.others = newOthers(ctx, o.Others)
	return c, nil
}

// Write reports whether changes are allowed.
func (c *Client) Write() bool { return c.options.Write }

// Settle is how long a release waits after its mark before it reads the tables.
func (c *Client) Settle() time.Duration { return c.options.Settle }

// KeepsImages reports whether the journal keeps deleted accounts, which undo needs.
func (c *Client) KeepsImages() bool { return !c.options.NoImages }

// ReportsUnits reports whether the endpoint counts read units. It is false after several answers of an
// emulator without a count. Units then stays unchanged.
func (c *Client) ReportsUnits() bool { return c.origin.reports() }

// MostSkew is the greatest difference between a clock and AWS's clock. AWS refuses requests with a greater
// difference (IAM User Guide, "Signature Version 4").
const MostSkew = 5 * time.Minute

// Clock returns how far this machine's clock is ahead of the endpoint's. It sends one ListTables.
// dated is false if no answer had a date. The error is the error of ListTables; an error of the
// endpoint may have a date.
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
