package client

import (
	"cmp"
	"net/url"
	"os"
)

// Target is where the requests of a connection go, and as whom.
type Target struct {
	options  Options
	region   string
	endpoint string // a URL; empty for AWS's own endpoint
	source   string // the SDK's name for the source of the credentials
}

// Name is the connection's name in the config, or the profile, "local" or "aws".
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

// Profile is the AWS profile of the credentials; empty if none was named.
func (t *Target) Profile() string {
	if t.options.Profile != "" || t.options.Transport != nil {
		return t.options.Profile
	}
	return cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"))
}

// Region is the AWS Region, or "embedded" in the demo.
func (t *Target) Region() string { return t.region }

// Endpoint is the host of the endpoint.
func (t *Target) Endpoint() string {
	if u, err := url.Parse(t.endpoint); err == nil && u.Host != "" {
		return u.Host
	}
	if t.region == "" {
		return "AWS" // not connected yet
	}
	return "dynamodb." + t.region + ".amazonaws.com"
}

// Where names the place for people: the Region, or the endpoint if it is not AWS's own.
func (t *Target) Where() string {
	if t.options.Transport != nil {
		return "embedded"
	}
	if t.endpoint != "" {
		return t.Endpoint()
	}
	return t.region
}

// Reach is how another program reaches the same tables: by a profile and a URL, unless these
// are empty. It reports false for the demo, whose tables are inside this program.
func (t *Target) Reach() (profile, url string, ok bool) {
	return t.options.Profile, t.endpoint, t.options.Transport == nil
}
