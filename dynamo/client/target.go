package client

import (
	"cmp"
	"net/url"
	"os"
)

// A Target is the destination of a connection's requests, and the source of the credentials.
type Target struct {
	options  Options
	region   string
	endpoint string // a URL; empty for AWS's own endpoint
	source   string // the SDK's name for the source of the credentials
}

// Name returns the connection's name in the config. If it has none, the result is the profile, or "local"
// or "aws".
func (t *Target) Name() string {
	switch {
	case t.options.Name != "":
		return t.options.Name
	case t.options.Profile != "":
		return t.options.Profile
	case t.endpoint != "":
		return "local"
	}
	return "aws"
}

// Profile returns the AWS profile of the credentials; empty if none was named.
func (t *Target) Profile() string {
	if t.options.Profile != "" || t.options.Transport != nil {
		return t.options.Profile
	}
	return cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"))
}

// Region returns the AWS Region, or "embedded" in the demo.
func (t *Target) Region() string { return t.region }

// Endpoint returns the host of the endpoint.
func (t *Target) Endpoint() string {
	if u, err := url.Parse(t.endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	if t.region == "" {
		return "AWS" // not connected yet
	}
	return "dynamodb." + t.region + ".amazonaws.com"
}

// Where returns the place of the tables for messages: the Region, or the host of an endpoint outside AWS.
func (t *Target) Where() string {
	if t.options.Transport != nil {
		return "embedded"
	}
	if t.endpoint != "" {
		return t.Endpoint()
	}
	return t.region
}

// Reach returns the profile and the URL with which another program can open the same tables. Both may be
// empty. ok is false for the demo, whose tables exist only in this program.
func (t *Target) Reach() (profile, url string, ok bool) {
	return t.options.Profile, t.endpoint, t.options.Transport == nil
}
