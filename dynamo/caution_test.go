package dynamo

import "testing"

// A place that flags lead to has the cautions of whoever describes it, and those of
// no other.
func TestCautionsHoldWhereverTheyLead(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"} {
		t.Setenv(name, "")
	}
	described := func(profile, region, url string, guard Guard, tables map[string]Guard) ConnectionConfig {
		return ConnectionConfig{Name: "x", Profile: profile, Region: region, EndpointURL: url, Settings: Settings{Guard: &guard, Guards: tables}}
	}
	const local = "http://127.0.0.1:8000"
	all := []ConnectionConfig{
		described("prod", "eu-west-1", "", GuardType, map[string]Guard{"accounts": GuardDeny}),
		described("prod", "", "", GuardConfirm, map[string]Guard{"scratch": GuardConfirm}),
		described("prod", "us-east-1", "", GuardDeny, nil),
		described("dev", "eu-west-1", "", GuardDeny, nil),
		described("any", "", local, GuardDeny, nil),
	}
	for name, tc := range map[string]struct {
		to                            ConnectionConfig
		accounts, scratch, everything Guard
	}{
		"two of one place":        {ConnectionConfig{Profile: "prod", Region: "eu-west-1"}, GuardDeny, GuardType, GuardType},
		"a Region not known":      {ConnectionConfig{Profile: "prod"}, GuardDeny, GuardDeny, GuardDeny},
		"another Region":          {ConnectionConfig{Profile: "prod", Region: "ap-south-1"}, GuardConfirm, GuardConfirm, GuardConfirm},
		"another profile":         {ConnectionConfig{Profile: "test", Region: "eu-west-1"}, GuardConfirm, GuardConfirm, GuardConfirm},
		"no profile":              {ConnectionConfig{Region: "eu-west-1"}, GuardConfirm, GuardConfirm, GuardConfirm},
		"a server here":           {ConnectionConfig{EndpointURL: local + "/", Region: "eu-west-1"}, GuardDeny, GuardDeny, GuardDeny},
		"another server here":     {ConnectionConfig{EndpointURL: "http://127.0.0.1:8001"}, GuardConfirm, GuardConfirm, GuardConfirm},
		"a profile, and a server": {ConnectionConfig{Profile: "dev", EndpointURL: "https://dynamodb.test"}, GuardConfirm, GuardConfirm, GuardConfirm},
	} {
		o := tc.to.Heeding(all...).Options()
		if a, s, e := o.guardOf("accounts"), o.guardOf("scratch"), o.guardOf("everything"); a != tc.accounts || s != tc.scratch || e != tc.everything {
			t.Errorf("%s: accounts %s, scratch %s, everything %s; want %s, %s, %s", name, a, s, e, tc.accounts, tc.scratch, tc.everything)
		}
		if o.Write || o.Name != "" {
			t.Errorf("%s: it takes over more than cautions", name)
		}
	}
}
