// Package client reaches DynamoDB: it connects, refuses what is not allowed, reads
// items, sends transactions, retries, keeps a pace, and says in words what failed.
// Besides the engine's own client (embedded/sdk) it is the only package that imports the
// SDK's, and it knows nothing of layouts, locks or counters. It may import attr, mistake, phrase and remedy.
// Start at Client in client.go, then Reader (reads) and Transact (writes).
package client

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"net/url"
	"os"
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
	// DefaultSessionReadUnits is that of the inspector. A command has no limit unless one is set.
	DefaultSessionReadUnits = 20_000
)

// answerWithin bounds one request: an endpoint that takes it and never answers must
// not be waited for in silence. A page of a megabyte takes a second or so.
const answerWithin = 20 * time.Second

// MostAtOnce is how many requests a connection is made to have on their way.
const MostAtOnce = 64

// Options say which tables a Client reaches, and how.
type Options struct {
	Name     string // what the config calls it; shown in the header
	Profile  string
	Region   string
	Endpoint string // a URL; empty: what the SDK resolves
	// Write lets TransactWriteItems through the guard.
	Write bool
	// Guard is how careful changes must be made; Guards says so of single tables.
	Guard  Guard
	Guards map[string]Guard
	// RequireReason refuses changes that nobody gave a reason for; Reasons says so,
	// or not, of single tables.
	RequireReason bool
	Reasons       map[string]bool
	// Settle is how long a release waits between its mark and its
	// look. It must cover the time in which an application's transaction becomes
	// visible, and all steps of a sign-up that takes more than one.
	Settle time.Duration
	// WriteWithin is how long one attempt of a write waits for its answer: the
	// next one, with the same token, may get it.
	WriteWithin time.Duration
	// AutoReadUnits is the ceiling on the read units that one question may
	// consume to rule a claimant out.
	AutoReadUnits float64
	// SessionReadUnits is how many read units the session may consume: after that nothing is read
	// unasked, until ReadMore. 0: no limit.
	SessionReadUnits float64
	// NoImages: the journal keeps no account that is deleted.
	NoImages bool
	// Others are the config's other connections: what they ask for of a table holds
	// here, where it turns out to be the same table (see Config.Inherit).
	Others []Config
	// MFA asks the person for the code of their device.
	MFA func() (string, error)
	// Transport replaces the network: the demo's engine. With it no credentials
	// are looked for.
	Transport http.RoundTripper
}

// Client reaches the tables of one account, Region and endpoint. It is safe
// for concurrent use.
type Client struct {
	sdk      *dynamodb.Client
	config   aws.Config // the SDK's: credentials, Region, transport
	options  Options
	region   string
	endpoint string // the URL that requests go to, where it is not AWS's own
	source   string // of the credentials, as the SDK calls it

	identity *identity
	others   *others
	origin   *origin
	tokens   tokens

	mu    sync.Mutex
	units float64
	limit float64 // of the session, in read units; 0: none
	// strong says of each table that was described, by name, whether it is strongly
	// consistent over several Regions, and has no transactions.
	strong  sync.Map
	regions updateRegions
}

// Connect makes a connection. It sends nothing but what finding credentials
// takes.
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
	c := &Client{options: o, endpoint: o.endpoint(), origin: &origin{}, limit: o.SessionReadUnits}
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
			// Asked for a Region that it does not know, the SDK compiles a regular
			// expression for each partition of AWS, at every request.
			d.Region = "us-east-1"
		}
		d.APIOptions = append(d.APIOptions, guard(o.Write), gates, c.origin.proofs)
		d.HTTPClient = earlyAnswers{d.HTTPClient}
		// A table with the account id in its host name would be one more name to
		// resolve for nothing: this client talks to one endpoint.
		d.AccountIDEndpointMode = aws.AccountIDEndpointModeDisabled
	})
	// The profile may name an endpoint, or the environment keep one from being used:
	// where requests go is what the SDK has made of it all.
	c.endpoint = aws.ToString(c.sdk.Options().BaseEndpoint)
	c.origin.aws = o.Transport == nil && onAWS(c.endpoint)
	c.identity = newIdentity(cfg, o, c.endpoint)
	c.others = newOthers(ctx, o.Others)
	return c, nil
}

// Name is what the config calls the connection, or the profile, or "aws".
func (c *Client) Name() string {
	switch {
	case c.options.Name != "":
		return c.options.Name
	case c.options.Profile != "":
		return c.options.Profile
	case c.endpoint != "":
		return "local"
	}
	return "aws"
}

// Profile is the AWS profile whose credentials are used; empty where none was
// named.
func (c *Client) Profile() string {
	if c.options.Profile != "" || c.options.Transport != nil {
		return c.options.Profile
	}
	return cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"))
}

// Region is the AWS Region, or "embedded" in the demo.
func (c *Client) Region() string { return c.region }

// Endpoint is the host that is talked to.
func (c *Client) Endpoint() string {
	if u, err := url.Parse(c.endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	if c.region == "" {
		return "AWS" // not connected yet
	}
	return "dynamodb." + c.region + ".amazonaws.com"
}

// Where is the place for people: the Region, or the endpoint where there is one
// of its own.
func (c *Client) Where() string {
	if c.options.Transport != nil {
		return "embedded"
	}
	if c.endpoint != "" {
		return c.Endpoint()
	}
	return c.region
}

// Write reports whether changes are allowed.
func (c *Client) Write() bool { return c.options.Write }

// Settle is how long a release waits between its mark and its look.
func (c *Client) Settle() time.Duration { return c.options.Settle }

// KeepsImages reports whether the journal keeps accounts that are deleted, which undo needs.
func (c *Client) KeepsImages() bool { return !c.options.NoImages }

// AutoReadUnits is the ceiling on what one question may read by itself: no more than the session
// may still read.
func (c *Client) AutoReadUnits() float64 {
	return min(c.options.AutoReadUnits, max(c.SessionLeft(), leastUnits))
}

// ReadsUnasked reports whether anything may be read that nobody has asked for: no read
// takes less than half a unit.
func (c *Client) ReadsUnasked() bool { return c.AutoReadUnits() >= leastRead }

// leastRead is what the smallest read takes.
const leastRead = 0.5

// SessionLimit returns how many read units the session may consume; 0: no limit.
func (c *Client) SessionLimit() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit
}

// SessionLeft returns how many read units are left of the session's limit.
func (c *Client) SessionLeft() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == 0 {
		return math.Inf(1)
	}
	return c.limit - c.units
}

// SessionSpent reports whether the session has consumed the read units of its limit.
func (c *Client) SessionSpent() bool { return c.SessionLeft() < leastRead }

// ReadMore raises the session's limit by SessionReadUnits.
func (c *Client) ReadMore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = max(c.limit, c.units) + c.options.SessionReadUnits
}

// SessionStep returns by how many read units ReadMore raises the session's limit.
func (c *Client) SessionStep() float64 { return c.options.SessionReadUnits }

// WhyUnread says why nothing is read unasked, and what to do.
func (c *Client) WhyUnread() (why, do string) {
	if c.SessionSpent() && c.options.AutoReadUnits >= leastRead {
		return "this session has read its session_read_units", "set session_read_units higher, or start a new session"
	}
	return "auto_read_units is 0", "set auto_read_units to 120 or more"
}

// Units is the number of read units consumed by this connection so far, as the
// endpoint counts them.
func (c *Client) Units() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.units
}

func (c *Client) spend(units float64) {
	c.mu.Lock()
	c.units += units
	c.mu.Unlock()
}

// ReportsUnits is false once the endpoint is known never to say what a request
// consumes, as some emulators do not: Units then counts nothing.
func (c *Client) ReportsUnits() bool { return c.origin.reports() }

// CommandFlags are the flags with which the AWS CLI reaches the same tables.
func (c *Client) CommandFlags() ([]string, error) {
	if c.options.Transport != nil {
		return nil, &Error{
			Kind: Unsupported,
			Op:   "writing a command",
			Why:  "the demo's tables are inside the program",
			Do:   "run: tallylock demo --serve 127.0.0.1:8000, and look at those",
		}
	}
	flags := []string{"--region", c.region}
	if c.options.Profile != "" {
		flags = append(flags, "--profile", c.options.Profile)
	}
	if c.endpoint != "" {
		flags = append(flags, "--endpoint-url", c.endpoint)
	}
	return flags, nil
}

// MostSkew is how far a clock may be from AWS's: requests signed at another time are
// refused (IAM User Guide, "Signature Version 4").
const MostSkew = 5 * time.Minute

// Clock asks the endpoint one small thing, once: how far this machine's clock is ahead of
// its own. dated is false where no answer came, or one without a date. The error is that of
// the question, ListTables, which an answer with a date may be, too.
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
