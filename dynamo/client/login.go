package client

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/logincreds"
	"github.com/aws/aws-sdk-go-v2/credentials/processcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
)

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
