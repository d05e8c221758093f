package client

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/smithy-go/logging"
)

// load is the SDK's configuration for this client: transport, credentials, Region, retries.
func (c *Client) load(ctx context.Context) (aws.Config, error) {
	o := c.options
	local := o.Transport != nil || loopback(o.endpoint())
	if o.Transport != nil {
		// The demo: nothing of the user's AWS set-up is looked at.
		return aws.Config{
			Region:      cmp.Or(o.Region, "embedded"),
			Credentials: credentials.NewStaticCredentialsProvider("demo", "demo", ""),
			HTTPClient:  &http.Client{Transport: o.Transport},
			Retryer:     brisk,
		}, nil
	}
	loaders := []func(*config.LoadOptions) error{
		// The SDK's own remarks would land on the screen, unsanitised.
		config.WithLogger(logging.Nop{}),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(answerWithin).
			WithDialerOptions(func(d *net.Dialer) { d.Timeout = 5 * time.Second }).
			// A scan keeps as many connections busy, and would else make a new one
			// for most of its requests.
			WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = MostAtOnce })),
		config.WithRetryer(brisk),
	}
	if o.Profile != "" {
		loaders = append(loaders, config.WithSharedConfigProfile(o.Profile))
	}
	if o.Region != "" {
		loaders = append(loaders, config.WithRegion(o.Region))
	}
	if o.MFA != nil {
		loaders = append(loaders,
			config.WithAssumeRoleCredentialOptions(func(a *stscreds.AssumeRoleOptions) { a.TokenProvider = o.MFA }))
	}
	if local {
		// A server on this machine is never an instance's role: do not wait for one.
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
	// Asked for now, so that a code or a log-in is wanted before the screen
	// starts, and what is missing is said at once.
	got, err := cfg.Credentials.Retrieve(ctx)
	c.source = got.Source
	if err != nil {
		if !local {
			return cfg, err
		}
		cfg.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
	return cfg, nil
}

// loopback reports whether an endpoint is on this machine, where servers take
// any credentials.
func loopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && here(u.Hostname())
}

// endpoint is the URL that was asked for, here or in the environment; empty where
// it is AWS's own, or what the profile says.
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
