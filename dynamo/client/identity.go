package client

import (
	"context"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

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
