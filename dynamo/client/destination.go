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

// otherWithin bounds the question of what a table of another connection is.
const otherWithin = 3 * time.Second

// others are the connections of the config whose tables may be those of this one,
// reached another way: a tunnel, another role, another name of the server.
type others struct {
	all []*described
	mu  sync.Mutex
	met map[string]caution // by the table's name as it was asked for
}

// caution is what is asked for of a table. from is the other connection that asks for
// its guard, and untold why it is not known whether the table is that connection's.
type caution struct {
	guard        Guard
	reason       bool
	from, untold string
}

// described is another connection of the config. It is reached when a table of it
// has to be told from one of this connection.
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

// of is what is known to be asked for of a table.
func (o *others) of(table string) caution {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.met[table]
}

// known makes sure that it is known what is asked for of a table, before it is
// written.
func (o *others) known(ctx context.Context, c *Client, table string) error {
	o.mu.Lock()
	_, known := o.met[table]
	o.mu.Unlock()
	if known || len(o.all) == 0 {
		return nil
	}
	_, err := c.Describe(ctx, table) // which meets it
	return err
}

// meet finds out what other connections ask for of a table that was described. name
// is what it was asked for by, which may be its ARN. It asks nothing where nothing
// can be written.
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

// has reports whether a table is one of this connection's. Where that cannot be told
// it is, with the reason: the stricter guard holds.
func (other *described) has(ctx context.Context, d Description) (has bool, untold string) {
	at := other.place
	aws := at.host == ""
	switch {
	case aws && at.err == nil && !d.onAWS():
		return false, "" // AWS names the account of each of its tables
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
	if aws && d.onAWS() { // one question for all tables
		if who := conn.Identity(ctx); who.Account != "" {
			return who.Account == d.Account, ""
		}
	}
	found, err := conn.Describe(ctx, d.Name)
	switch {
	case err == nil && found.ID != "" && d.ID != "":
		return found.ID == d.ID, ""
	case err == nil:
		return true, "it has one of that name, and no TableId tells the two apart"
	case KindOf(err) == NoTable, errors.Is(err, syscall.ECONNREFUSED):
		return false, "" // it has no such table, or nobody is there at all
	}
	return true, err.Error()
}

// reach connects, once.
func (other *described) reach(ctx context.Context) (*Client, error) {
	other.once.Do(func() {
		o := other.options
		o.MFA = func() (string, error) { return "", errors.New("it asks for the code of a device") }
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), otherWithin) // it is kept, whoever gives up
		defer cancel()
		other.conn, other.err = Connect(ctx, o)
	})
	return other.conn, other.err
}

// anAccount is what accounts of AWS are called.
var anAccount = regexp.MustCompile(`^[0-9]{12}$`)

// onAWS reports whether the table says that it is one of AWS itself: other servers
// have neither accounts nor Regions, and call theirs 000000000000 or ddblocal.
func (d Description) onAWS() bool {
	return anAccount.MatchString(d.Account) && d.Account != "000000000000" && aRegion.MatchString(d.Region)
}
