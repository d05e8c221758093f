package candidates_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/client"
)

// A result that this program fetched may be cut off. The error is not about the command line, and names no file.
func TestACutResult(t *testing.T) {
	for _, text := range []string{"", "{\"rows\":1}\n", "{\"finding\":\"orphaned-lock\"}\n", "{\"rows\":"} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		_, err = candidates.Of(file)
		if client.KindOf(err) != client.Failed || !strings.Contains(err.Error(), "run the check again") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error is %v", text, err)
		}
	}
}
