package client

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// Login is where a connection's credentials come from. It holds none of them.
type Login struct {
	Source  string    // in words; empty: there are none, and a server on this machine takes any
	Expires time.Time // zero: never, or not known
}

// sources are the SDK's names of where credentials come from, in words.
var sources = map[string]string{
	ssocreds.ProviderName:             "an SSO session",
	logincreds.ProviderName:           "aws login",
	stscreds.ProviderName:             "an assumed role",
	stscreds.WebIdentityProviderName:  "a role assumed with a web identity token",
	processcreds.ProviderName:         "the credential_process",
	ec2rolecreds.ProviderName:         "the role of this EC2 instance",
	endpointcreds.ProviderName:        "the role of this container",
	credentials.StaticCredentialsName: "", // ours, see load
}

// Login says where the credentials come from, and renews them where they have expired.
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

// profileHead is the head of a profile's section in the AWS config, and in its credentials.
var profileHead = regexp.MustCompile(`(?m)^\s*\[\s*(?:profile\s+)?["']?([^\s\]"']+)["']?\s*\]`)

// Profiles lists the profiles that the AWS config and credentials files have, sorted. Files
// that cannot be read have none.
func Profiles() []string {
	home, _ := os.UserHomeDir()
	var names []string
	for variable, file := range map[string]string{"AWS_CONFIG_FILE": "config", "AWS_SHARED_CREDENTIALS_FILE": "credentials"} {
		data, _ := os.ReadFile(cmp.Or(os.Getenv(variable), filepath.Join(home, ".aws", file)))
		for _, head := range profileHead.FindAllSubmatch(data, -1) {
			names = append(names, string(head[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Identity is who a connection's requests come from.
type Identity struct {
	// ARN is the caller's, as STS tells it; empty where there is no STS, or it
	// did not answer.
	ARN     string
	Account string // twelve digits; empty where ARN is
	// Err is why STS did not answer, where it was asked.
	Err error
}

// identityWithin bounds the question: a change does not wait long for a name.
const identityWithin = 3 * time.Second

// identity asks STS once.
type identity struct {
	once  sync.Once
	ask   func(context.Context) (*sts.GetCallerIdentityOutput, error) // nil: there is no STS
	known Identity
}

// newIdentity asks nothing yet. An endpoint of one's own has no STS, unless one is
// named beside it.
func newIdentity(cfg aws.Config, o Options, endpoint string) *identity {
	if o.Transport != nil || (!onAWS(endpoint) && os.Getenv("AWS_ENDPOINT_URL_STS") == "") {
		return &identity{}
	}
	client := sts.NewFromConfig(cfg)
	return &identity{ask: func(ctx context.Context) (*sts.GetCallerIdentityOutput, error) {
		return client.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	}}
}

// onAWS reports whether an endpoint is AWS's own: none, or one in a VPC.
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

// Identity is who the connection's requests come from. STS is asked once, for a
// few seconds at most; the context's end does not cut the question short, since
// what is asked is kept.
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
			i.known.Err = c.Explain("asking STS who you are", err)
			return
		}
		i.known.ARN, i.known.Account = aws.ToString(out.Arn), aws.ToString(out.Account)
	})
	return i.known
}
