package ui_test

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/ui/session"
)

// byCredentials serves the databases of several AWS accounts and Regions. It finds the database by the access key and
// the Region in the signature of a request, such as "AKIDPROD eu-west-1".
type byCredentials map[string]http.Handler

func (all byCredentials) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	part := append(strings.Split(credential, "/"), "", "", "")
	if at, ok := all[part[0]+" "+part[2]]; ok {
		at.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte(`{"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"invalid token"}`))
}

// awsFiles writes AWS config files with the profiles support and prod.
func awsFiles(t *testing.T) client.AWSFiles {
	t.Helper()
	dir := t.TempDir()
	files := client.AWSFiles{Config: filepath.Join(dir, "config"), Credentials: filepath.Join(dir, "credentials")}
	for file, text := range map[string]string{
		files.Config: "[profile support]\n[profile prod]\n",
		files.Credentials: "[support]\naws_access_key_id = AKIDSUPPORT\naws_secret_access_key = x\n" +
			"[prod]\naws_access_key_id = AKIDPROD\naws_secret_access_key = x\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// onAWS serves the demo's tables to the profile support in eu-west-1. The profile prod has the same tables, with one
// more account. us-east-1 has no table accounts.
func onAWS(t *testing.T) *setup {
	t.Helper()
	s := onDemo(t)
	another := func() *demo.Demo {
		d, err := demo.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	prod, east := another(), another()
	if err := sdk.Put(t.Context(), prod.App(), "accounts", sdk.Item{
		"PK": sdk.S("ACCT#0prod"), "SK": sdk.S("PROFILE"), "username": sdk.S("inprod"),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := east.App().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("accounts")}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(byCredentials{
		"AKIDSUPPORT eu-west-1": s.demo.Engine, "AKIDPROD eu-west-1": prod.Engine, "AKIDSUPPORT us-east-1": east.Engine,
	})
	t.Cleanup(server.Close)
	var base dynamo.Options
	s.connect(t, func(o *dynamo.Options) {
		o.Transport, o.Endpoint, o.Region, o.Profile, o.Name, o.Files = nil, server.URL, "eu-west-1", "support", "desk", awsFiles(t)
		base = *o
	})
	c := &s.options.Connections[0]
	changer := c.Changer
	var with func(ctx context.Context, profile, region string) (session.Connection, error)
	with = func(ctx context.Context, profile, region string) (session.Connection, error) {
		o := base
		o.Profile, o.Region = cmp.Or(profile, o.Profile), cmp.Or(region, o.Region)
		if profile != "" {
			o.Name = "desk (" + profile + ")"
		}
		conn, err := dynamo.Connect(ctx, o)
		return session.Connection{Connection: conn, Changer: changer, With: with}, err
	}
	c.With = with
	s.options.AWS = base.Files
	return s
}

// The command line lists and completes the AWS profiles. With another profile, the same table opens, and esc goes back.
func TestAnotherAWSProfile(t *testing.T) {
	s := onAWS(t)
	s.w = 100
	term := s.run(t)
	term.see("desk ›", "accounts", "confirmed")
	term.press(":profile<enter>")
	term.see(": profile", "profile prod", "profile support")
	term.press("p<tab>")
	term.see(": profile prod")
	term.press("<enter>")
	term.see("desk (prod) ›", "› accounts", "confirmed")
	term.press("/inprod<enter>")
	term.see(`ACCT#0prod holds`, "answered in")
	term.press("<esc><esc>")
	frame := term.see("desk ›", "confirmed")
	if strings.Contains(frame, "(prod)") {
		t.Errorf("esc does not go back to the first profile:\n%s", frame)
	}
	term.press(":")
	term.see("2 connections", "▎desk (prod)")
	term.press("profile prod<enter>") // the session already has the connection of this profile
	term.see("desk (prod) ›", "› accounts", "confirmed")
	term.press(":")
	term.see("2 connections")
	term.press("profile prod<enter>")
	term.see("Already connected to desk (prod)")
}

// For an unknown profile, the message has the failed action, the reason and the next step. The connection stays.
func TestAWrongAWSProfile(t *testing.T) {
	term := onAWS(t).run(t)
	term.see("desk ›", "confirmed")
	term.press(":profile prdo<enter>")
	term.see(`Cannot use the AWS profile "prdo": the connection is still desk.`,
		`There is no profile prdo in the AWS config. Did you mean "prod"?`, "run: aws configure list-profiles.")
	term.press("<esc><esc>")
	term.see("desk ›", "confirmed")
}

// If a Region does not have the open table, its tables are listed. The connection stays until a person chooses a table.
func TestAnotherAWSRegion(t *testing.T) {
	s := onAWS(t)
	s.w = 100
	term := s.run(t)
	term.see("desk ›", "confirmed")
	term.press(":region us-e")
	term.see("region us-east-1", "region us-east-2")
	term.press("<tab><enter>")
	term.see("desk has no table accounts in 127.0.0.1", ": connection desk", "members")
	term.press("<esc>")
	term.see("2 connections")
	term.press("<esc>")
	term.see("desk ›", "accounts", "confirmed")
}

// The tables of the new Region are listed below the tables of the first connection, which has the same name. The cursor
// is on the first table of the new Region. The list of the counters of all connections includes the new connection.
func TestTheTablesOfAnotherAWSRegion(t *testing.T) {
	s := onAWS(t)
	s.w, s.h = 100, 60
	term := s.run(t)
	term.see("desk ›", "confirmed")
	term.press(":region us-east-1<enter>")
	frame := term.see("desk has no table accounts in 127.0.0.1", "2 connections, 13 tables", "▸")
	if before, _, _ := strings.Cut(frame, "▸"); strings.Count(before, "NextIdTable") != 1 {
		t.Errorf("the cursor is not on the first table of the new Region:\n%s", frame)
	}
	term.press("<esc><esc>")
	term.see("desk ›", "accounts", "confirmed")
	term.press("3")
	term.see("of 8")
	term.press("A")
	frame = term.see("of 2 connections")
	if strings.Count(frame, "▾ desk") != 2 {
		t.Errorf("a connection is missing:\n%s", frame)
	}
}

// For an unknown Region, the message suggests a similar Region.
func TestAWrongAWSRegion(t *testing.T) {
	term := onAWS(t).run(t)
	term.see("desk ›", "confirmed")
	term.press(":region eu-wset-1<enter>")
	term.see(`Cannot use the AWS Region "eu-wset-1": the connection is still desk.`,
		`known AWS Region is called "eu-wset-1", did you mean "eu-west-1"?`)
}

// During a slow connection attempt, the screen shows it, and esc stops it.
func TestConnectingToAnotherAWSProfileIsStopped(t *testing.T) {
	s := onAWS(t)
	s.options.Connections[0].With = func(ctx context.Context, _, _ string) (session.Connection, error) {
		<-ctx.Done()
		return session.Connection{}, ctx.Err()
	}
	term := s.run(t)
	term.see("desk ›", "confirmed")
	term.meanwhile(":profile prod<enter>")
	term.see("connecting", "esc stops")
	term.meanwhile("<esc>")
	term.see("Stopped. The connection is still desk.", ": profile prod")
}

// A change with another profile asks like any other change, and the journal has the name of its connection.
func TestAChangeWithAnotherAWSProfile(t *testing.T) {
	s := onAWS(t)
	s.w = 100
	term := s.run(t)
	term.see("desk ›", "confirmed")
	term.press(":profile prod<enter>")
	term.see("desk (prod) ›", "› accounts", "confirmed")
	term.asksRelease()
	term.agree("Release the lock")
	term.press("<enter><esc>5")
	term.see("1 of 1", "alan")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock of the first profile is gone")
	}
	term.press("<enter>")
	term.see("desk (prod)")
}

// Corrections of a layout stay until a person accepts or drops them. In a dialog, ":" does not open the command line.
func TestAnotherAWSProfileDropsNothingUnasked(t *testing.T) {
	term := onAWS(t).run(t)
	term.see("desk ›", "confirmed")
	term.asksRelease()
	term.press(":profile prod<enter>")
	if frame := term.screen(); strings.Contains(frame, "(prod)") {
		t.Errorf("a dialog takes the command:\n%s", frame)
	}
	term.press("<esc><esc><esc>")
	term.see("confirmed")
	term.press("L")
	term.see("› layout", "ACCT#{id}")
	term.on("attribute")
	term.press("<enter><ctrl+u>nickname<enter>")
	term.see("1 correction, not accepted yet")
	term.press(":profile prod<enter>")
	term.see("desk ›", "The corrections are not accepted yet: esc goes back to them, enter drops them.")
	term.press("<enter>")
	term.see("desk (prod) ›", "VERDICT")
}

// The demo never looks for AWS credentials.
func TestTheDemoHasNoAWSProfiles(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	for _, command := range []string{"profile prod", "region us-east-1", "profile"} {
		term.press(":" + command + "<enter>")
		term.see("The demo uses no AWS credentials.")
		term.press("<esc><esc>")
		term.see("confirmed")
	}
}
