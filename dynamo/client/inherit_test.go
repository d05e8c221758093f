package client_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"tallylock/dynamo/client"
)

// profiles is an AWS config with profiles of two accounts, one profile without an account, and two
// with an endpoint.
const profiles = `
[profile prod]
region = eu-west-1
sso_account_id = 111111111111
sso_role_name = admin
sso_start_url = https://x.test
sso_region = eu-west-1
[profile prod-role]
role_arn = arn:aws:iam::111111111111:role/admin
source_profile = prod
[profile test]
region = eu-west-1
role_arn = arn:aws:iam::222222222222:role/admin
source_profile = prod
[profile keys]
region = eu-west-1
aws_access_key_id = a
aws_secret_access_key = b
[profile local]
region = us-east-1
endpoint_url = http://127.0.0.1:8000/
[profile table]
services = mine
[services mine]
dynamodb =
  endpoint_url = http://LocalHost:8000
`

func awsConfig(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_CONFIG_FILE": file, "AWS_SHARED_CREDENTIALS_FILE": file + "-none", "AWS_EC2_METADATA_DISABLED": "true",
		"AWS_PROFILE": "", "AWS_DEFAULT_PROFILE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "",
		"AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_DYNAMODB": "",
	} {
		t.Setenv(name, value)
	}
}

// A connection inherits the guard and the demand for reasons from another connection to the same place, in every
// spelling of this place. It inherits nothing from a connection to another place.
func TestAPlaceIsNoSpelling(t *testing.T) {
	local := client.Config{EndpointURL: "http://127.0.0.1:8000", Region: "eu-central-1"}
	region := client.Config{Profile: "prod", Region: "eu-west-1"}
	named := client.Config{EndpointURL: "https://dynamo.example.test"}
	url := func(u string) client.Config {
		return client.Config{EndpointURL: u, Profile: "keys"}
	}
	aws := func(u string) client.Config {
		return client.Config{EndpointURL: u, Profile: "prod-role", Region: "eu-west-1"}
	}
	for name, tc := range map[string]struct {
		described, reached client.Config
		env                map[string]string
		same               bool
	}{
		"itself":                    {local, url("http://127.0.0.1:8000"), nil, true},
		"a slash":                   {local, url("http://127.0.0.1:8000/"), nil, true},
		"two slashes":               {local, url("http://127.0.0.1:8000//"), nil, true},
		"a query":                   {local, url("http://127.0.0.1:8000/?"), nil, true},
		"a path":                    {local, url("http://127.0.0.1:8000/a/b"), nil, true},
		"a fragment":                {local, url("http://127.0.0.1:8000#x"), nil, true},
		"a user":                    {local, url("http://u:p@127.0.0.1:8000"), nil, true},
		"an upper-case scheme":      {local, url("HTTP://127.0.0.1:8000"), nil, true},
		"localhost":                 {local, url("http://localhost:8000"), nil, true},
		"LOCALHOST.":                {local, url("http://LOCALHOST.:8000"), nil, true},
		"a subdomain of localhost":  {local, url("http://dynamo.localhost:8000"), nil, true},
		"IPv6":                      {local, url("http://[::1]:8000"), nil, true},
		"IPv6, in full":             {local, url("http://[0:0:0:0:0:0:0:1]:8000"), nil, true},
		"IPv4 in IPv6":              {local, url("http://[::ffff:127.0.0.1]:8000"), nil, true},
		"127.1":                     {local, url("http://127.1:8000"), nil, true},
		"hexadecimal":               {local, url("http://0x7f000001:8000"), nil, true},
		"octal":                     {local, url("http://0177.0.0.1:8000"), nil, true},
		"one number":                {local, url("http://2130706433:8000"), nil, true},
		"any address":               {local, url("http://0.0.0.0:8000"), nil, true},
		"another loopback address":  {local, url("http://127.0.0.2:8000"), nil, true},
		"a port with a zero":        {local, url("http://127.0.0.1:08000"), nil, true},
		"a profile's endpoint":      {local, client.Config{Profile: "local"}, nil, true},
		"a profile's service":       {local, client.Config{Profile: "table"}, nil, true},
		"AWS_PROFILE":               {local, client.Config{}, map[string]string{"AWS_PROFILE": "local"}, true},
		"AWS_DEFAULT_PROFILE":       {local, client.Config{}, map[string]string{"AWS_DEFAULT_PROFILE": "local"}, true},
		"AWS_ENDPOINT_URL":          {local, client.Config{}, map[string]string{"AWS_ENDPOINT_URL": "HTTP://localhost:8000/"}, true},
		"AWS_ENDPOINT_URL_DYNAMODB": {local, client.Config{}, map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": "http://127.1:8000"}, true},
		"a host's case":             {named, url("https://DYNAMO.Example.Test"), nil, true},
		"a host's dot":              {named, url("https://dynamo.example.test./"), nil, true},
		"a default port":            {named, url("https://dynamo.example.test:443"), nil, true},
		"the Region's URL":          {region, aws("https://dynamodb.eu-west-1.amazonaws.com"), nil, true},
		"in capitals":               {region, aws("https://DynamoDB.EU-West-1.AmazonAWS.com/"), nil, true},
		"dual stack":                {region, aws("https://dynamodb.eu-west-1.api.aws"), nil, true},
		"FIPS":                      {region, aws("https://dynamodb-fips.eu-west-1.amazonaws.com"), nil, true},
		"an account's URL":          {region, aws("https://111111111111.ddb.eu-west-1.amazonaws.com"), nil, true},
		"in a VPC":                  {region, aws("https://vpce-1a2b-c3.dynamodb.eu-west-1.vpce.amazonaws.com"), nil, true},
		"another Region's URL":      {region, aws("https://dynamodb.us-east-1.amazonaws.com"), nil, false},
		"the URL decides":           {region, client.Config{Profile: "prod", Region: "us-east-1", EndpointURL: "https://dynamodb.eu-west-1.amazonaws.com"}, nil, true},
		"another role":              {region, client.Config{Profile: "prod-role", Region: "eu-west-1"}, nil, true},
		"the profile's Region":      {region, client.Config{Profile: "prod"}, nil, true},
		"AWS_REGION":                {region, client.Config{}, map[string]string{"AWS_PROFILE": "prod", "AWS_REGION": "eu-west-1"}, true},
		"another account":           {region, client.Config{Profile: "test"}, nil, false},
		"another Region":            {region, client.Config{Profile: "prod", Region: "ap-south-1"}, nil, false},
		"another port":              {local, url("http://127.0.0.1:8001"), nil, false},
		"another host":              {named, url("https://dynamo.example.org"), nil, false},
		"AWS, and a server here":    {region, url("http://127.0.0.1:8000"), nil, false},
		"a profile that is nowhere": {client.Config{Profile: "nobody's", Region: "eu-west-1"}, client.Config{Profile: "test"}, nil, true},
		"its Region tells":          {client.Config{Profile: "nobody's", Region: "us-west-2"}, client.Config{Profile: "test"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			awsConfig(t)
			for name, value := range tc.env {
				t.Setenv(name, value)
			}
			deny, yes := client.GuardDeny, true
			tc.described.Name, tc.described.Guard, tc.described.RequireReason = "described", &deny, &yes
			tc.described.Colour, tc.described.Production, tc.described.Write = "red", true, &yes
			got, elsewhere := tc.reached.Inherit(t.Context(), false, tc.described)
			same := got.Guard != nil && *got.Guard == deny && *got.RequireReason && got.Colour == "red" && got.Production
			if same != tc.same || (len(elsewhere) == 0) != tc.same {
				t.Errorf("same %v, want %v; elsewhere %v", same, tc.same, elsewhere)
			}
			if got.Write != nil || got.Name != "" {
				t.Errorf("it takes over more than cautions: %+v", got)
			}
		})
	}
}

// The strictest guard of several connections counts. Settings of single tables also hold for a connection that was
// chosen by its name.
func TestTheStrictestCounts(t *testing.T) {
	awsConfig(t)
	described := func(guard client.Guard, guards map[string]client.Guard) client.Config {
		return client.Config{Name: "x", Profile: "prod", Settings: client.Settings{Guard: &guard, Guards: guards}}
	}
	all := []client.Config{
		described(client.GuardType, map[string]client.Guard{"accounts": client.GuardDeny}),
		described(client.GuardConfirm, map[string]client.Guard{"scratch": client.GuardConfirm}),
	}
	for name, tc := range map[string]struct {
		reached client.Config
		chosen  bool
		want    map[string]client.Guard
	}{
		"by flags":           {client.Config{Profile: "prod"}, false, map[string]client.Guard{"accounts": client.GuardDeny, "scratch": client.GuardType, "others": client.GuardType}},
		"chosen":             {client.Config{Name: "own", Profile: "prod-role", Region: "eu-west-1"}, true, map[string]client.Guard{"accounts": client.GuardDeny, "scratch": client.GuardConfirm, "others": client.GuardConfirm}},
		"chosen, then moved": {client.Config{Name: "own", Profile: "prod-role", Region: "eu-west-1"}, false, map[string]client.Guard{"accounts": client.GuardDeny, "scratch": client.GuardType, "others": client.GuardType}},
		"elsewhere":          {client.Config{Profile: "test"}, false, map[string]client.Guard{"accounts": client.GuardConfirm, "scratch": client.GuardConfirm, "others": client.GuardConfirm}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := tc.reached.Inherit(t.Context(), tc.chosen, all...)
			o := got.Options()
			o.Transport = nobody{}
			conn, err := client.Connect(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for table, want := range tc.want {
				if got := conn.GuardOf(table); got != want {
					t.Errorf("%s: %s, want %s", table, got, want)
				}
			}
		})
	}
}

// nobody is a transport that fails every request.
type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is here")
}
