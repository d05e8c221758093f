package client

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/logincreds"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
)

// load returns the SDK's configuration for this client: transport, credentials, Region, retries.
func (c *Client) load(ctx context.Context) (aws.Config, error) {
	o := c.options
	local := o.Transport != nil || loopback(o.endpoint())
	if o.Transport != nil {
		// The demo ignores the user's AWS configuration.
		return aws.Config{
			Region:      cmp.Or(o.Region, "embedded"),
			Credentials: credentials.NewStaticCredentialsProvider("demo", "demo", ""),
			HTTPClient:  &http.Client{Transport: o.Transport},
			Retryer:     brisk,
		}, nil
	}
	loaders := []func(*config.LoadOptions) error{
		// The SDK's log would reach the screen unsanitised.
		config.WithLogger(logging.Nop{}),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(answerWithin).
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = 5 * time.Second }).
			// A scan uses MostAtOnce connections at once. With the SDK's default, most of its requests
			// would open a new connection.
			WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = MostAtOnce })),
		config.WithRetryer(brisk),
	}
	if o.Profile != "" {
		loaders = append(loaders, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Region != "" {
		loaders = append(loaders, config.WithRegion(o.Region))
	}
	if f := o.Files; f != (AWSFiles{}) {
		loaders = append(loaders,
			config.WithSharedConfigFiles([]string{f.Config}), config.WithSharedCredentialsFiles([]string{f.Credentials}))
	}
	if o.MFA != nil {
		loaders = append(loaders,
			config.WithAssumeRoleCredentialOptions(func(a *stscreds.AssumeRoleOptions) { a.TokenProvider = o.MFA }))
	}
	if local {
		// A server on this machine accepts any credentials, so the SDK need not wait for the role of an
		// EC2 instance.
		loaders = append(loaders, config.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	cfg, err := config.LoadDefaultConfig(ctx, loaders...)
	if err != nil {
		if wrong := misconfigured(err); wrong != nil {
			err = wrong
		}
		return cfg, err
	}
	local = local || loopback(aws.ToString(cfg.BaseEndpoint))
	if local && cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	// Retrieve may ask the person for a code or a log-in, so it runs before the screen starts.
	got, err := retrieve(ctx, cfg, processWithin)
	c.source = got.Source
	if err != nil {
		if !local {
			return cfg, err
		}
		cfg.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	return cfg, nil
}

// processWithin is the longest time of a credential_process. The SDK's own limit is a minute, but then the SDK kills
// only the shell, and waits for the processes that the shell has started.
const processWithin = 65 * time.Second

// retrieve requests the credentials. A credential_process gets no more time than within.
func retrieve(ctx context.Context, cfg aws.Config, within time.Duration) (aws.Credentials, error) {
	if !fromProcess(cfg) {
		return cfg.Credentials.Retrieve(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	got, err := cfg.Credentials.Retrieve(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = &Error{
			Kind: NoCredentials,
			Op:   "getting the credentials",
			Why:  fmt.Sprintf("the credential_process of the profile did not end within %v", within),
			Do:   "run this command by hand, and look what it waits for",
			Err:  err,
		}
	}
	return got, err
}

// fromProcess reports whether a credential_process gives the credentials, and nobody is asked for an MFA code.
func fromProcess(cfg aws.Config) bool {
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		for at := &shared; ok && at != nil && at.MFASerial == ""; at = at.Source {
			if at.CredentialProcess != "" {
				return true
			}
		}
	}
	return false
}

// loopback reports whether an endpoint is on this machine. Such a server accepts any credentials.
func loopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && here(u.Hostname())
}

// endpoint returns the endpoint's URL from the options or from the environment. If the result is empty,
// the SDK uses the profile's endpoint or AWS's own.
func (o Options) endpoint() string {
	if o.Endpoint != "" || o.Transport != nil {
		return o.Endpoint
	}
	if strings.EqualFold(os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"), "true") {
		return ""
	}
	if url := os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"); url != "" {
		return url
	}
	return os.Getenv("AWS_ENDPOINT_URL")
}

// Login describes the source of a connection's credentials. It contains no credentials.
type Login struct {
	Source  string    // in words; empty: made-up credentials for a local server
	Expires time.Time // zero: never, or unknown
}

// sources puts the SDK's names for sources of credentials into words.
var sources = map[string]string{
	ssocreds.ProviderName:             "an SSO session",
	logincreds.ProviderName:           "aws login",
	stscreds.ProviderName:             "an assumed role",
	stscreds.WebIdentityProviderName:  "a role assumed with a web identity token",
	processcreds.ProviderName:         "the credential_process",
	ec2rolecreds.ProviderName:         "the role of this EC2 instance",
	endpointcreds.ProviderName:        "the role of this container",
	credentials.StaticCredentialsName: "", // the made-up credentials of load
}

// Login returns the source of the credentials. It renews expired credentials.
func (c *Client) Login(ctx context.Context) (Login, error) {
	got, err := c.sdk.Options().Credentials.Retrieve(ctx)
	if err != nil {
		return Login{}, c.Explain("getting the credentials", err)
	}
	l := Login{}
	if got.CanExpire {
		l.Expires = got.Expires
	}
	if got.Source == config.CredentialsSourceName {
		l.Source = "the environment (AWS_ACCESS_KEY_ID)"
		return l, nil
	}
	known := false
	if l.Source, known = sources[got.Source]; !known {
		l.Source = got.Source
		if _, file, found := strings.Cut(got.Source, "SharedConfigCredentials: "); found {
			l.Source = "the keys in " + file
		}
	}
	if profile := c.Profile(); profile != "" && l.Source != "" {
		l.Source += " (profile " + profile + ")"
	}
	return l, nil
}

// Identity is the IAM user or role that sends a connection's requests.
type Identity struct {
	// ARN is the caller's ARN, as STS reported it; empty if there is no STS, or if STS did not answer.
	ARN     string
	Account string // twelve digits; empty if ARN is empty
	// Err is the error of STS; nil if STS answered or if there is no STS.
	Err error
}

// identityWithin is the timeout of the request to STS. It is short, since a change waits for the answer.
const identityWithin = 3 * time.Second

// identity asks STS once for the caller of the requests, and keeps the answer.
type identity struct {
	once  sync.Once
	ask   func(context.Context) (*sts.GetCallerIdentityOutput, error) // nil: there is no STS
	known Identity
}

// newIdentity prepares the request to STS, and sends nothing. Only AWS has an STS, unless the environment
// names another one.
func newIdentity(cfg aws.Config, o Options, endpoint string) *identity {
	if o.Transport != nil || (!onAWS(endpoint) && os.Getenv("AWS_ENDPOINT_URL_STS") == "") {
		return &identity{}
	}
	client := sts.NewFromConfig(cfg)
	return &identity{ask: func(ctx context.Context) (*sts.GetCallerIdentityOutput, error) {
		return client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	}}
}

// onAWS reports whether an endpoint belongs to AWS. An endpoint in a VPC does. An empty endpoint stands
// for AWS's default.
func onAWS(endpoint string) bool {
	if endpoint == "" {
		return true
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for _, domain := range []string{".amazonaws.com", ".amazonaws.com.cn", ".api.aws"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// Identity returns the user or role that sends the connection's requests. It asks STS once, and waits a
// few seconds at most. Cancelling the context does not stop the request, since later calls use the
// answer.
func (c *Client) Identity(ctx context.Context) Identity {
	i := c.identity
	i.once.Do(func() {
		if i.ask == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), identityWithin)
		defer cancel()
		out, err := i.ask(ctx)
		if err != nil {
			i.known.Err = c.Explain("asking STS for your identity", err)
			return
		}
		i.known.ARN, i.known.Account = aws.ToString(out.Arn), aws.ToString(out.Account)
	})
	return i.known
}
