package scan_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
)

// change is a copy of a scan.Change. It stays valid after the visitor returns.
type change struct {
	Keys, Old, New attr.Item
	At             time.Time
}

type collector struct{ all *[]change }

func (c collector) VisitChange(one *scan.Change) {
	kept := change{Keys: one.Keys.Item(), At: one.At}
	if one.Old != nil {
		kept.Old = one.Old.Item()
	}
	if one.New != nil {
		kept.New = one.New.Item()
	}
	*c.all = append(*c.all, kept)
}

// read reads an incremental export with a visitor for each worker.
func read(x *scan.Increment) ([]change, scan.Totals, error) {
	var parts []*[]change
	totals, err := x.Scan(context.Background(), scan.Options{Attributes: wanted, Whole: true}, func() scan.ChangeVisitor {
		parts = append(parts, new([]change))
		return collector{parts[len(parts)-1]}
	})
	var all []change
	for _, p := range parts {
		all = append(all, *p...)
	}
	slices.SortFunc(all, func(a, b change) int { return a.At.Compare(b.At) })
	return all, totals, err
}

var (
	begin  = time.Date(2026, 11, 1, 3, 0, 0, 0, time.UTC)
	window = s3.Increment{
		Table: "accounts", TableID: "id-1", From: begin, To: begin.Add(24 * time.Hour), View: scan.NewAndOldImages,
	}
)

func bytesOf(t interface{ Fatal(...any) }, item attr.Item) []byte {
	if item == nil {
		return nil
	}
	return []byte(inJSON(t, item))
}

func lineOf(t interface{ Fatal(...any) }, c change) []byte {
	return s3.Change(c.At, bytesOf(t, c.Keys), bytesOf(t, c.Old), bytesOf(t, c.New))
}

// drawItem draws an item with a key and hostile texts.
func drawItem(t *rapid.T, key string) attr.Item {
	text := rapid.SampledFrom([]string{"", "a", "\x1b]0;x\a", "\u202e", `"}{`, "é\n", "\u2028", strings.Repeat("long ", 20_000)})
	item := attr.Item{"PK": attr.String(key)}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "email", "é", "other", "ttl", "m\n"}), 0, 4, rapid.ID).Draw(t, "names") {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			item[name] = attr.String(text.Draw(t, "text"))
		case 1:
			item[name] = attr.Number(fmt.Sprint(rapid.Int64().Draw(t, "number")))
		case 2:
			item[name] = attr.Value{Kind: attr.M, Map: map[string]attr.Value{"x": attr.String(text.Draw(t, "text"))}}
		default:
			item[name] = attr.Value{Kind: attr.SS, Set: []string{"p", "q" + text.Draw(t, "text")}}
		}
	}
	return item
}

// Each change of an incremental export is read once, with both images and its time, from any number of files.
func TestIncrement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "increment")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		var want []change
		parts := make([][][]byte, rapid.IntRange(1, 4).Draw(t, "files"))
		for n := range rapid.IntRange(0, 12).Draw(t, "changes") {
			key := fmt.Sprint("K", n)
			one := change{Keys: attr.Item{"PK": attr.String(key)}, At: begin.Add(time.Duration(n) * time.Microsecond)}
			if rapid.Bool().Draw(t, "old") {
				one.Old = drawItem(t, key)
			}
			if rapid.Bool().Draw(t, "new") {
				one.New = drawItem(t, key)
			}
			want = append(want, one)
			file := rapid.IntRange(0, len(parts)-1).Draw(t, "file")
			parts[file] = append(parts[file], lineOf(t, one))
		}
		if _, err := window.Write(dir, parts...); err != nil {
			t.Fatal(err)
		}
		full, increments, err := scan.OpenExports(dir)
		if err != nil || full != nil || len(increments) != 1 {
			t.Fatalf("%v, %d incremental exports, %v", full, len(increments), err)
		}
		x := increments[0]
		if x.Table != "accounts" || x.ID != "id-1" || !x.From.Equal(begin) || !x.To.Equal(window.To) || x.NeedsOldImages() != nil ||
			x.Items != int64(len(want)) {
			t.Fatalf("%+v", x)
		}
		got, totals, err := read(x)
		if err != nil || !totals.Complete() || totals.Items != int64(len(want)) {
			t.Fatalf("%+v, %v", totals, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("read %v\nwant %v", got, want)
		}
	})
}

// Without Options.Whole, a change has only the attributes in Options.Attributes.
func TestIncrementWithoutRest(t *testing.T) {
	dir := t.TempDir()
	item := attr.Item{"PK": attr.String("K"), "email": attr.String("ada"), "other": attr.String("x")}
	if _, err := window.Write(dir, [][]byte{lineOf(t, change{Keys: attr.Item{"PK": attr.String("K")}, Old: item, At: begin})}); err != nil {
		t.Fatal(err)
	}
	_, increments, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []change
	if _, err := increments[0].Scan(t.Context(), scan.Options{Attributes: []string{"PK", "email"}},
		func() scan.ChangeVisitor { return collector{&got} }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Old) != 2 || got[0].Old["email"].Text != "ada" || got[0].New != nil {
		t.Errorf("%+v", got)
	}
}

// A damaged export is refused with the reason. A full export beside it stays readable.
func TestDamagedIncrement(t *testing.T) {
	for name, test := range map[string]struct {
		view   string
		lines  []string
		damage func(text string) string // changes manifest-summary.json
		file   func(data []byte) []byte
		want   string
		opens  bool
	}{
		"no window": {
			damage: func(s string) string { return strings.Replace(s, "exportFromTime", "exportedFromTime", 1) },
			want:   "lacks the table or the window",
		},
		"a window that ends early": {
			damage: func(s string) string { return strings.Replace(s, `"exportToTime":"2026`, `"exportToTime":"2025`, 1) },
			want:   "ends before it begins",
		},
		"another number of changes": {
			damage: func(s string) string { return strings.Replace(s, `"itemCount":1`, `"itemCount":2`, 1) },
			want:   "1 items together, but the summary says 2",
		},
		"Ion": {
			damage: func(s string) string { return strings.Replace(s, "DYNAMODB_JSON", "ION", 1) },
			want:   "ION",
		},
		"a file cut short":   {file: func(d []byte) []byte { return d[:len(d)-12] }, want: "ends early", opens: true},
		"another file":       {file: func(d []byte) []byte { return append(d, d...) }, want: "has 2 items", opens: true},
		"a line of a full":   {lines: []string{`{"Item":{"PK":{"S":"K"}}}`}, want: "not a change", opens: true},
		"no keys":            {lines: []string{`{"Metadata":{"WriteTimestampMicros":{"N":"1"}}}`}, want: "not a change", opens: true},
		"no time":            {lines: []string{`{"Keys":{"PK":{"S":"K"}}}`}, want: "not a change", opens: true},
		"a time of a parser": {lines: []string{`{"Metadata":{"WriteTimestampMicros":{"N":"1e9"}},"Keys":{"PK":{"S":"K"}}}`}, want: "not a change", opens: true},
		"an empty image": {
			lines: []string{`{"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":{"PK":{"S":"K"}},"NewImage":{}}`},
			want:  "not a change", opens: true,
		},
		"an image twice": {
			lines: []string{`{"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":{"PK":{"S":"K"}},"NewImage":null,"NewImage":null}`},
			want:  "not a change", opens: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lines := [][]byte{s3.Change(begin, []byte(`{"PK":{"S":"K"}}`), nil, []byte(`{"PK":{"S":"K"}}`))}
			if test.lines != nil {
				lines = [][]byte{[]byte(test.lines[0])}
			}
			root, err := window.Write(dir, lines)
			if err != nil {
				t.Fatal(err)
			}
			if test.damage != nil {
				edit(t, filepath.Join(root, "manifest-summary.json"), func(d []byte) []byte { return []byte(test.damage(string(d))) })
			}
			if test.file != nil {
				files, err := filepath.Glob(filepath.Join(dir, "AWSDynamoDB", "data", "*.gz"))
				if err != nil || len(files) != 1 {
					t.Fatal(files, err)
				}
				edit(t, files[0], test.file)
			}
			_, increments, err := scan.OpenExports(dir)
			if test.opens {
				if err != nil {
					t.Fatal(err)
				}
				_, _, err = read(increments[0])
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}

// edit changes a file of an export, and the MD5 of a manifest.
func edit(t *testing.T, name string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data = change(data)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if manifest, is := strings.CutSuffix(name, ".json"); is {
		sum := md5.Sum(data)
		if err := os.WriteFile(manifest+".md5", []byte(base64.StdEncoding.EncodeToString(sum[:])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// If an export has only new images, the error of NeedsOldImages names its view.
func TestIncrementOfNewImages(t *testing.T) {
	dir := t.TempDir()
	only := window
	only.View = "NEW_IMAGE"
	if _, err := only.Write(dir, [][]byte{s3.Change(begin, []byte(`{"PK":{"S":"K"}}`), nil, nil)}); err != nil {
		t.Fatal(err)
	}
	_, increments, err := scan.OpenExports(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := increments[0].NeedsOldImages(); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "NEW_IMAGE:") {
		t.Error(err)
	}
	if got, _, err := read(increments[0]); err != nil || len(got) != 1 || got[0].New != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// If the summary does not state the view, the export may lack old images. NeedsOldImages then returns an error.
func TestIncrementOfUnstatedView(t *testing.T) {
	dir := t.TempDir()
	root, err := window.Write(dir, [][]byte{s3.Change(begin, []byte(`{"PK":{"S":"K"}}`), nil, nil)})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, filepath.Join(root, "manifest-summary.json"), func(d []byte) []byte {
		return bytes.Replace(d, []byte("outputView"), []byte("otherView"), 1)
	})
	_, increments, err := scan.OpenExports(dir)
	if err != nil || len(increments) != 1 {
		t.Fatal(increments, err)
	}
	if err := increments[0].NeedsOldImages(); client.KindOf(err) != client.Usage ||
		!strings.Contains(err.Error(), "its summary does not state the view") {
		t.Error(err)
	}
}

// A directory may have full exports beside incremental ones. A check still refuses the incremental ones.
func TestFullBesideIncrement(t *testing.T) {
	dir := t.TempDir()
	if _, err := window.Write(dir, [][]byte{s3.Change(begin, []byte(`{"PK":{"S":"K"}}`), nil, []byte(`{"PK":{"S":"K"}}`))}); err != nil {
		t.Fatal(err)
	}
	if _, err := (s3.Export{Table: "accounts", TableID: "id-1"}).Write(dir, [][]byte{[]byte(`{"PK":{"S":"K"}}`)}); err != nil {
		t.Fatal(err)
	}
	full, increments, err := scan.OpenExports(dir)
	if err != nil || full == nil || len(full.Tables) != 1 || len(increments) != 1 {
		t.Fatalf("%+v, %d incremental exports, %v", full, len(increments), err)
	}
	if err := increments[0].NotFullError(); client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "INCREMENTAL_EXPORT") {
		t.Error(err)
	}
}

// FuzzChanges compares the decoder with encoding/json: both must read the same changes.
func FuzzChanges(f *testing.F) {
	for _, line := range []string{
		`{"Metadata":{"WriteTimestampMicros":{"N":"1695097218000000"}},"Keys":{"PK":{"S":"K"}},"NewImage":{"PK":{"S":"K"},"email":{"S":"ada"}}}`,
		`{"OldImage":{"PK":{"S":"K"},"x":{"M":{"y":{"L":[{"NULL":true}]}}}},"NewImage":null,"Keys":{"PK":{"S":"K"}},"Metadata":{"WriteTimestampMicros":12}}`,
		`{"Keys":{"PK":{"B":"AA=="}},"Metadata":{"WriteTimestampMicros":"7","else":[{}]},"else":{}}` + "\n" + `{"Keys":{}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		page := scan.NewWholePage(wanted)
		if page.DecodeChanges(slices.Clip(bytes.Clone(body))) != nil {
			page.Changes(func(*scan.Change) { t.Fatal("a change after an error") })
			return
		}
		var got []change
		page.Changes(collector{&got}.VisitChange)
		if len(got) != page.Items {
			t.Fatalf("%d changes, %d items", len(got), page.Items)
		}
		lines := json.NewDecoder(bytes.NewReader(body))
		for n, c := range got {
			var members map[string]json.RawMessage // a struct would also match names in another case
			if err := lines.Decode(&members); err != nil {
				t.Fatalf("line %d of %q: %v", n, body, err)
			}
			for name, got := range map[string]attr.Item{"Keys": c.Keys, "OldImage": c.Old, "NewImage": c.New} {
				var want attr.Item
				if text := members[name]; text != nil {
					if err := json.Unmarshal(text, &want); err != nil {
						t.Fatalf("line %d of %q: %s: %v", n, body, name, err)
					}
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("line %d of %q: %s is %v, want %v", n, body, name, got, want)
				}
			}
			if micros := strconv.FormatInt(c.At.UnixMicro(), 10); !strings.Contains(string(body), strings.TrimLeft(micros, "0")) {
				t.Fatalf("line %d of %q: at %s", n, body, micros)
			}
		}
	})
}
