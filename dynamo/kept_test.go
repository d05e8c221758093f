package dynamo_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// people makes a table of accounts, each with the lock of its e-mail address.
func (f *fixture) people(table string) {
	f.t.Helper()
	f.create(table, "PK:S", "SK:S")
	for n := range 12 {
		mail := fmt.Sprintf("p%d@x.io", n)
		f.put(table, item{"PK": str(fmt.Sprint("P#", n)), "SK": str("DATA"), "mail": str(mail)}, item{"PK": str("TAKEN#" + mail), "SK": str("-")})
	}
}

// remake makes a table anew under its name.
func (f *fixture) remake(table string) {
	f.t.Helper()
	if _, err := f.App().DeleteTable(f.t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(table)}); err != nil {
		f.t.Fatal(err)
	}
	f.people(table)
}

// A layout that was accepted is the table's from then on, whatever a later sample shows, and
// what it shows is said; of a table that was made anew under the name, nothing was accepted.
func TestAKeptLayout(t *testing.T) {
	f := start(t)
	f.people("people")
	dir := filepath.Join(t.TempDir(), "state", "layouts")
	kept := func(o *dynamo.Options) { o.Kept = dir }
	differs := func(table *dynamo.Table) []string {
		t.Helper()
		lines, err := dynamo.Differs(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		return lines
	}
	table := f.open("people", kept)
	if table.Kept != nil || len(table.Layout.Constraints()) != 1 {
		t.Fatalf("recognised: %v, kept %v", table.Layout.Constraints(), table.Kept)
	}
	hash := table.Layout.Hash()
	if _, err := dynamo.Keep(table); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 1 {
		t.Fatalf("it is kept in %v", files)
	}
	for path, mode := range map[string]os.FileMode{files[0]: 0o600, dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has the mode %v, %v", path, info.Mode(), err)
		}
	}

	again := f.open("people", kept)
	if again.Kept == nil || again.Kept.Path != files[0] || again.Layout.Hash() != hash || again.Fit.All()[0].Standing() != layout.Supported {
		t.Errorf("opened again it is %+v, %v", again.Kept, again.Fit.All())
	}
	if lines := differs(again); len(lines) > 0 {
		t.Errorf("nothing has changed, and it differs: %q", lines)
	}

	// The application locks another attribute, by other keys.
	for n := range 12 {
		mail := fmt.Sprintf("p%d@x.io", n)
		if _, err := f.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("people"), Key: item{"PK": str("TAKEN#" + mail), "SK": str("-")}}); err != nil {
			t.Fatal(err)
		}
		f.put("people", item{"PK": str("MAIL#" + mail), "SK": str("-")})
	}
	changed := f.open("people", kept)
	if changed.Layout.Hash() != hash || changed.Fit.All()[0].Standing() == layout.Supported {
		t.Errorf("the changed table is read by %s, %v", changed.Layout.Config().TOML(), changed.Fit.All())
	}
	if lines := strings.Join(differs(changed), "\n"); lines != "- mail: pk = \"TAKEN#{v}\"\n+ mail: pk = \"MAIL#{v}\"" {
		t.Errorf("it differs: %s", lines)
	}
	if _, err := dynamo.Keep(changed); err != nil { // in spite of what it shows
		t.Fatal(err)
	}
	if lines := differs(f.open("people", kept)); len(lines) > 0 {
		t.Errorf("what was shown when it was accepted is told again: %q", lines)
	}

	if named := f.open("people", kept, func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"people"}, Accounts: []layout.AccountConfig{{PK: "P#{id}", SK: "DATA"}}}}
	}); named.Kept != nil || named.Layout.Name != "mine" {
		t.Errorf("the config's layout is not used: %s", named.Layout.Name)
	}

	f.remake("people")
	if anew := f.open("people", kept); anew.Kept != nil {
		t.Error("a table of the same name is taken for the one that was accepted")
	}
}

// accepted accepts the layout of such a table, and gives the option that knows it.
func (f *fixture) accepted(table string) (func(*dynamo.Options), *dynamo.Kept) {
	f.t.Helper()
	f.people(table)
	dir := f.t.TempDir()
	kept := func(o *dynamo.Options) { o.Kept = dir }
	k, err := dynamo.Keep(f.open(table, kept))
	if err != nil {
		f.t.Fatal(err)
	}
	return kept, k
}

// It is forgotten without opening the table.
func TestAKeptLayoutIsForgotten(t *testing.T) {
	f := start(t)
	kept, _ := f.accepted("people")
	for _, want := range []bool{true, false} {
		if was, err := f.connect(kept).Forget(t.Context(), "people"); was != want || err != nil {
			t.Errorf("forgotten: %v, %v", was, err)
		}
	}
	if f.open("people", kept).Kept != nil {
		t.Error("it is still kept")
	}
}

// A file that cannot be read is said with its path, and never passed over.
func TestAKeptLayoutThatCannotBeRead(t *testing.T) {
	f := start(t)
	kept, k := f.accepted("people")
	good, err := os.ReadFile(k.Path)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"no TOML":        "[[layout",
		"another table":  regexp.MustCompile(`table_id = .*`).ReplaceAllString(string(good), "table_id = 'x'"),
		"no layout":      strings.Split(string(good), "[[layout]]")[0],
		"a bad template": strings.Replace(string(good), "TAKEN#{v}", "TAKEN#{v", 1),
		"no such index":  string(good) + "index = 'nosuch'\n",
		"no sort key":    strings.Replace(string(good), "\nsk = \"-\"", "", 1),
	} {
		if err := os.WriteFile(k.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := f.connect(kept).Open(t.Context(), "people")
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), k.Path) || !strings.Contains(err.Error(), "layout --forget --table people") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if was, err := f.connect(kept).Forget(t.Context(), "people"); !was || err != nil {
		t.Errorf("it cannot be forgotten: %v", err)
	}
}

// nameless hides the TableIds, as engines that know none do.
type nameless struct{ next http.RoundTripper }

func (n nameless) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := n.next.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeTable") {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	body = regexp.MustCompile(`"TableId":"[^"]*",?`).ReplaceAll(body, nil)
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
	answer.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return answer, err
}

// Without a TableId the endpoint and the name tell tables apart.
func TestAKeptLayoutWithoutTableID(t *testing.T) {
	f := start(t)
	f.people("people")
	f.people("others")
	dir := t.TempDir()
	kept := func(o *dynamo.Options) { o.Kept, o.Transport = dir, nameless{f} }
	table := f.open("people", kept)
	if table.ID != "" {
		t.Fatal("it has a TableId")
	}
	if _, err := dynamo.Keep(table); err != nil {
		t.Fatal(err)
	}
	if f.open("people", kept).Kept == nil {
		t.Error("it is not found again")
	}
	if f.open("others", kept).Kept != nil {
		t.Error("another table has it, too")
	}
}

// What is wrong with a layout is to be corrected where it stands: in the file that it is kept
// in, and not in the config.
func TestWhereAKeptLayoutIsCorrected(t *testing.T) {
	f := start(t)
	kept, k := f.accepted("people")
	file, err := os.OpenFile(k.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString("\n[[layout.counter]]\npk = \"COUNTER\"\nsk = \"N\"\nattribute = \"n\"\n[[layout.counter.ids]]\nattribute = \"number\"\nindex = \"none\"\n")
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.connect(kept).Open(t.Context(), "people")
	failed, ok := errors.AsType[*client.Error](err)
	if !ok || !strings.Contains(failed.Do, "--forget") || strings.Contains(failed.Do, "config") {
		t.Errorf("%v", err)
	}
}
