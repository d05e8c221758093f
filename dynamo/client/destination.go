package client

import (
	"context"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
)

// place is where a connection's requests go, and as whom, as the SDK resolves it
// from flags, environment and profiles. Two spellings of one place are equal.
type place struct {
	host    string // of an endpoint of one's own, see canonicalHost; empty: AWS's
	region  string // empty: not known
	profile string // the credentials are this profile's
	account string // empty: the profile does not tell
	err     error  // why it could not be resolved
}

// resolve asks the SDK where a connection leads. It sends nothing.
func (c Config) resolve(ctx context.Context) place {
	loaders := []func(*config.LoadOptions) error{
		config.WithLogger(logging.Nop{}), config.WithEC2IMDSClientEnableState(imds.ClientDisabled),
	}
	if c.Profile != "" {
		loaders = append(loaders, config.WithSharedConfigProfile(c.Profile))
	}
	if c.Region != "" {
		loaders = append(loaders, config.WithRegion(c.Region))
	}
	cfg, err := config.LoadDefaultConfig(ctx, loaders...)
	if err != nil {
		return place{region: c.Region, host: canonicalHost(c.EndpointURL), profile: c.Profile, err: err}
	}
	client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		if c.EndpointURL != "" {
			o.BaseEndpoint = &c.EndpointURL
		}
	})
	endpoint := aws.ToString(client.Options().BaseEndpoint)
	p := place{host: canonicalHost(endpoint), region: cfg.Region, profile: "default"}
	if said := regionIn(endpoint); p.host == "" && said != "" {
		p.region = said
	}
	for _, source := range cfg.ConfigSources {
		switch from := source.(type) {
		case config.EnvConfig:
			if c.Profile == "" && from.Credentials.HasKeys() {
				p.profile, p.account = "", from.Credentials.AccountID
				return p
			}
		case config.SharedConfig:
			p.account = accountIn(from)
			if from.Profile != "" {
				p.profile = from.Profile
			}
		}
	}
	return p
}

// RegionMeant is the Region that the connection leads to; empty where that is not known. It
// sends nothing.
func (c Config) RegionMeant(ctx context.Context) string { return c.resolve(ctx).region }

// accountIn is the account that a profile names.
func accountIn(profile config.SharedConfig) string {
	for _, said := range []string{accountOf(profile.RoleARN), profile.SSOAccountID, profile.Credentials.AccountID} {
		if said != "" {
			return said
		}
	}
	return ""
}

// is reports whether both are surely one place, as far as that can be told without
// asking. A place that could not be resolved is taken for the other unless its Region
// or endpoint tells them apart.
func (p place) is(other place) bool {
	switch {
	case p.host != other.host:
		return false
	case p.host != "":
		return true // one server, whatever the credentials are
	case p.region != other.region && p.region != "" && other.region != "":
		return false
	case p.account != "" && other.account != "":
		return p.account == other.account
	}
	return p.profile == other.profile || p.err != nil || other.err != nil
}

// canonicalHost is the host and port of an endpoint, the same for every spelling of
// it: scheme, case, path and default ports make no difference, and this machine has
// one name. It is empty where the endpoint is AWS's own.
func canonicalHost(endpoint string) string {
	if onAWS(endpoint) {
		return ""
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return strings.ToLower(endpoint)
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if here(host) {
		host = "localhost"
	} else if ip := net.ParseIP(host); ip != nil {
		host = ip.String()
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + strings.TrimLeft(port, "0")
	}
	return host
}

// here reports whether a host is this machine, by any of its usual names.
func here(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case host == "localhost",
		strings.HasSuffix(host, ".localhost"),
		host == "localhost.localdomain",
		host == "ip6-localhost",
		host == "ip6-loopback":
		return true
	}
	address, _, _ := strings.Cut(host, "%") // without the interface
	ip := net.ParseIP(address)
	if ip == nil {
		ip = shortIP(address)
	}
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// shortIP reads an IPv4 address as resolvers do that take "127.1", "0x7f.1" and
// "2130706433" for one (POSIX, inet_addr); nil where it is none.
func shortIP(host string) net.IP {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return nil
	}
	var all uint64
	for n, part := range parts {
		bytes := 1
		if n == len(parts)-1 {
			bytes = 4 - n // the last part fills what is left
		}
		v, err := strconv.ParseUint(part, 0, 8*bytes)
		if err != nil {
			return nil
		}
		all = all<<(8*bytes) | v
	}
	return net.IPv4(byte(all>>24), byte(all>>16), byte(all>>8), byte(all))
}

// aRegion is what Regions of AWS are called: eu-west-1, us-gov-east-1.
var aRegion = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-\d+$`)

// regionIn is the Region that an endpoint of AWS names: each of its names has it as a
// part of its own. Empty where it names none.
func regionIn(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	for _, label := range strings.Split(strings.ToLower(u.Hostname()), ".") {
		if aRegion.MatchString(label) && !strings.HasPrefix(label, "vpce-") {
			return label
		}
	}
	return ""
}
