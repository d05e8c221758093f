package client

import (
	"context"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
)

// A place is the destination of a connection's requests, with the profile and account of the sender. Two
// connections with the same place reach the same tables. The SDK finds the place from flags, environment
// and profiles, before the connection is made. Different spellings of an endpoint give the same host.
type place struct {
	host    string // the endpoint's host (see canonicalHost); empty: AWS's own endpoint
	region  string // empty: unknown
	profile string // the profile of the credentials; empty: the environment has the keys
	account string // empty: unknown
	err     error  // the SDK's error, if it could not resolve the place
}

// resolve returns the place of a connection. It sends nothing.
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

// RegionMeant returns the Region that the connection will use; empty if unknown. It sends nothing.
func (c Config) RegionMeant(ctx context.Context) string { return c.resolve(ctx).region }

// accountIn returns the account of a profile; empty if unknown.
func accountIn(profile config.SharedConfig) string {
	for _, said := range []string{accountOf(profile.RoleARN), profile.SSOAccountID, profile.Credentials.AccountID} {
		if said != "" {
			return said
		}
	}
	return ""
}

// is reports whether both places are the same. It compares only settings, and sends no request. If the
// SDK could not resolve a place, this place counts as the same, unless its Region or endpoint differs.
func (p place) is(other place) bool {
	switch {
	case p.host != other.host:
		return false
	case p.host != "":
		return true // one server has the same tables for all credentials
	case p.region != other.region && p.region != "" && other.region != "":
		return false
	case p.account != "" && other.account != "":
		return p.account == other.account
	}
	return p.profile == other.profile || p.err != nil || other.err != nil
}

// SurelyAt reports whether two connections certainly go to the same place: see place.is. It returns false if the SDK
// cannot resolve one of the places, or if their Regions are not equal. It sends nothing.
func (c Config) SurelyAt(ctx context.Context, other Config) bool {
	at, where := c.resolve(ctx), other.resolve(ctx)
	return at.err == nil && where.err == nil && at.region == where.region && at.is(where)
}

// canonicalHost returns the host and port of an endpoint in one spelling, without scheme, path and
// default ports. Every name of this machine becomes "localhost". The result is empty for AWS's own
// endpoints.
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

// here reports whether a host is a name or an address of this machine.
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
	address, _, _ := strings.Cut(host, "%") // without the network interface
	ip := net.ParseIP(address)
	if ip == nil {
		ip = shortIP(address)
	}
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// shortIP reads an IPv4 address in a short form, as resolvers do (POSIX, inet_addr): "127.1",
// "0x7f.1" and "2130706433". It returns nil for other text.
func shortIP(host string) net.IP {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return nil
	}
	var all uint64
	for n, part := range parts {
		bytes := 1
		if n == len(parts)-1 {
			bytes = 4 - n // the last part fills the remaining bytes
		}
		v, err := strconv.ParseUint(part, 0, 8*bytes)
		if err != nil {
			return nil
		}
		all = all<<(8*bytes) | v
	}
	return net.IPv4(byte(all>>24), byte(all>>16), byte(all>>8), byte(all))
}

// aRegion matches names of AWS Regions: eu-west-1, us-gov-east-1.
var aRegion = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)+-\d+$`)

// regionIn returns the Region in the host name of an AWS endpoint; empty if there is none.
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

// otherWithin limits the time to compare a table with a table of another connection.
const otherWithin = 3 * time.Second

// others are the config's other connections. They may reach the same tables in another way: through a
// tunnel, with another role, or by another name of the server. Their guards then hold here, too.
type others struct {
	all []*described
	mu  sync.Mutex
	met map[string]caution // maps the name or the ARN of a table to the demands on its changes
}

// A caution has the demands on changes of a table: a guard, and perhaps a reason. from is the name of the other
// connection that has this guard; empty if this connection itself has the guard. untold is the reason why the program
// cannot tell whether the other connection has the same table. It is empty if there is no doubt.
type caution struct {
	guard        Guard
	reason       bool
	from, untold string
}

// described is another connection of the config. It connects only when its table must be compared with a
// table of this connection.
type described struct {
	options Options
	place   place
	once    sync.Once
	conn    *Client
	err     error
}

func newOthers(ctx context.Context, all []Config) *others {
	o := &others{met: map[string]caution{}}
	for _, c := range all {
		d := &described{options: c.Options(), place: c.resolve(ctx)}
		d.options.Write = false
		o.all = append(o.all, d)
	}
	return o
}

// of returns the demands that the method meet has recorded for a table.
func (o *others) of(table string) caution {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.met[table]
}

// known makes sure, before a write, that the method meet has recorded the demands on the table.
func (o *others) known(ctx context.Context, c *Client, table string) error {
	o.mu.Lock()
	_, known := o.met[table]
	o.mu.Unlock()
	if known || len(o.all) == 0 {
		return nil
	}
	_, err := c.Describe(ctx, table) // Describe calls meet, which finds the demands
	return err
}

// meet finds and records all demands on changes of a table: this connection's and those of the other
// connections. d describes the table. name is the table's name in the request, which may be an ARN. On a
// read-only connection and in the demo, meet does nothing.
func (o *others) meet(ctx context.Context, c *Client, name string, d Description) {
	if !c.options.Write || c.options.Transport != nil {
		return
	}
	said := caution{guard: c.options.guardOf(d.Name), reason: c.options.requiresReason(d.Name)}
	asking := c.options.stricterThan(o.all, d.Name)
	same, untold := make([]bool, len(asking)), make([]string, len(asking))
	var wg sync.WaitGroup
	for n, other := range asking {
		wg.Go(func() { same[n], untold[n] = other.has(ctx, d) })
	}
	wg.Wait()
	for n, other := range asking {
		if !same[n] {
			continue
		}
		if g := other.options.guardOf(d.Name); g.stricter(said.guard) {
			said.guard, said.from, said.untold = g, other.options.Name, untold[n]
		}
		said.reason = said.reason || c.options.heedsReason(other.options, d.Name)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.met[name], o.met[d.Name] = said, said
}

// has reports whether the other connection has the table that d describes. If this is unknown, the first
// result is true, so that the stricter guard holds, and untold is the reason.
func (other *described) has(ctx context.Context, d Description) (has bool, untold string) {
	at := other.place
	aws := at.host == ""
	switch {
	case aws && at.err == nil && !d.onAWS():
		return false, "" // the other connection is on AWS, and this table is not
	case aws && d.onAWS() && at.region != "" && at.region != d.Region:
		return false, ""
	case aws && d.onAWS() && at.region != "" && at.account != "":
		return at.account == d.Account, ""
	case at.err != nil:
		return true, reason(at.err)
	}
	ctx, cancel := context.WithTimeout(ctx, otherWithin)
	defer cancel()
	conn, err := other.reach(ctx)
	if err != nil {
		return true, err.Error()
	}
	if aws && d.onAWS() { // Identity sends one request for all tables
		if who := conn.Identity(ctx); who.Account != "" {
			return who.Account == d.Account, ""
		}
	}
	found, err := conn.Describe(ctx, d.Name)
	switch {
	case err == nil && found.ID != "" && d.ID != "":
		return found.ID == d.ID, ""
	case err == nil:
		return true, "that connection also has a table of this name, and no TableId distinguishes the two tables"
	case KindOf(err) == NoTable, errors.Is(err, syscall.ECONNREFUSED):
		return false, "" // the other place has no such table, or no server
	}
	return true, err.Error()
}

// reach connects at its first call, and then returns the same connection.
func (other *described) reach(ctx context.Context) (*Client, error) {
	other.once.Do(func() {
		o := other.options
		o.MFA = func() (string, error) { return "", errors.New("that connection asks for an MFA code") }
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), otherWithin) // later calls use the result
		defer cancel()
		other.conn, other.err = Connect(ctx, o)
	})
	return other.conn, other.err
}

// anAccount matches ids of AWS accounts.
var anAccount = regexp.MustCompile(`^[0-9]{12}$`)

// onAWS reports whether the table's ARN has an account and a Region of AWS. Servers outside AWS write
// other words in their ARNs, such as 000000000000 or ddblocal.
func (d Description) onAWS() bool {
	return anAccount.MatchString(d.Account) && d.Account != "000000000000" && aRegion.MatchString(d.Region)
}
