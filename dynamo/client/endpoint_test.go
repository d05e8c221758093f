package client_test

import (
	"os"
	"path/filepath"
	"testing"

	"tallylock/dynamo/client"
)

// Endpoint returns the endpoint of the requests, whether a flag, the environment or a profile names it. The journal and
// the header show this endpoint.
func TestTheEndpointIsTheOneThatIsUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	keys := "region = eu-central-1\naws_access_key_id = a\naws_secret_access_key = b\n"
	text := "[profile there]\n" + keys + "endpoint_url = http://127.0.0.1:9\n" +
		"[profile table]\n" + keys + "services = mine\n[services mine]\ndynamodb =\n  endpoint_url = http://127.0.0.1:7\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	aws := "dynamodb.eu-central-1.amazonaws.com"
	for name, tc := range map[string]struct {
		options client.Options
		env     map[string]string
		want    string
	}{
		"none":                   {client.Options{Region: "eu-central-1"}, nil, aws},
		"the profile":            {client.Options{Profile: "there"}, nil, "127.0.0.1:9"},
		"the profile's service":  {client.Options{Profile: "table"}, nil, "127.0.0.1:7"},
		"a flag":                 {client.Options{Profile: "there", Endpoint: "http://127.0.0.1:8"}, nil, "127.0.0.1:8"},
		"the environment":        {client.Options{Profile: "there"}, map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:8"}, "127.0.0.1:8"},
		"ignored, as asked for":  {client.Options{Profile: "there"}, map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:8", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, aws},
		"a flag is not, by that": {client.Options{Profile: "there", Endpoint: "http://127.0.0.1:8"}, map[string]string{"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}, "127.0.0.1:8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", file)
			t.Setenv("AWS_ACCESS_KEY_ID", "a")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
			for name, value := range tc.env {
				t.Setenv(name, value)
			}
			c, err := client.Connect(t.Context(), tc.options)
			if err != nil {
				t.Fatal(err)
			}
			_, url, ok := c.Reach()
			if !ok {
				t.Fatal("nobody reaches it")
			}
			if c.Endpoint() != tc.want || (url != "") != (tc.want != aws) || (c.Name() == "local") != (tc.want != aws && tc.options.Profile == "") {
				t.Errorf("%s, named %s, URL %s; want %s", c.Endpoint(), c.Name(), url, tc.want)
			}
		})
	}
}
