package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/client"
)

// The error of a wrong environment variable names the variable.
func TestAVariableThatCannotBeUsedIsNamed(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[default]\nca_bundle = /nope\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, value, says string }{
		{"AWS_CA_BUNDLE", "/nope", "AWS_CA_BUNDLE cannot be used: /nope: no such file or directory"},
		{"AWS_CA_BUNDLE", junk, "AWS_CA_BUNDLE cannot be used: "},
		{"AWS_MAX_ATTEMPTS", "x", "AWS_MAX_ATTEMPTS cannot be used: "},
		{"AWS_RETRY_MODE", "x", "AWS_RETRY_MODE cannot be used: "},
		{"AWS_USE_FIPS_ENDPOINT", "x", "AWS_USE_FIPS_ENDPOINT cannot be used: "},
		{"AWS_CONFIG_FILE", config, "ca_bundle, cannot be used: /nope: no such file or directory"},
	} {
		t.Run(tc.name+"="+filepath.Base(tc.value), func(t *testing.T) {
			t.Setenv(tc.name, tc.value)
			_, err := client.Connect(t.Context(), client.Options{Endpoint: "http://127.0.0.1:1", Region: "us-east-1"})
			if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v; want %q", err, tc.says)
			}
		})
	}
}

// An endpoint that is not a URL is refused before a request. The error names the setting, not AWS's endpoint.
func TestAnEndpointThatIsNoURLIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := "[profile p]\nendpoint_url = localhost:8000\naws_access_key_id = a\naws_secret_access_key = b\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, value, profile, says string }{
		{"AWS_ENDPOINT_URL", "junk", "", `AWS_ENDPOINT_URL cannot be used: "junk" is not an endpoint`},
		{"AWS_ENDPOINT_URL_DYNAMODB", "127.0.0.1:8000", "", `AWS_ENDPOINT_URL_DYNAMODB cannot be used: "127.0.0.1:8000"`},
		{"AWS_CONFIG_FILE", file, "p", `endpoint_url in the AWS config cannot be used: "localhost:8000"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "a")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
			t.Setenv(tc.name, tc.value)
			_, err := client.Connect(t.Context(), client.Options{Profile: tc.profile, Region: "us-east-1"})
			if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v; want %q", err, tc.says)
			}
		})
	}
}
