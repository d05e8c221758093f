package embedded

import (
	"strings"
	"testing"
)

const codecItem = `{"active":{"BOOL":true},"email":{"S":"ada@lovelace.io"},"n":{"N":"1234567890"},"pk":{"S":"ACCT#0000001"},"roles":{"SS":["admin","user"]},"sk":{"S":"PROFILE"},"tags":{"L":[{"S":"a"},{"M":{"k":{"N":"1.5"}}}]}}`

func BenchmarkDecodeItem(b *testing.B) {
	b.SetBytes(int64(len(codecItem)))
	b.ReportAllocs()
	var scratch item
	for b.Loop() {
		it, err := decodeItem(codecItem, scratch)
		if err != nil {
			b.Fatal(err)
		}
		scratch = it
	}
}

func BenchmarkEncodeItem(b *testing.B) {
	it, err := decodeItem(codecItem, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(codecItem)))
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = appendItem(buf[:0], it)
	}
}

func TestCodecKeepsAnItemAsItIs(t *testing.T) {
	it, err := decodeItem(codecItem, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(appendItem(nil, it)); got != codecItem {
		t.Errorf("got %s", got)
	}
}

func TestReservedWords(t *testing.T) {
	if len(reserved) != 573 {
		t.Errorf("%d words, want 573", len(reserved))
	}
	for i, word := range reserved {
		if !isReserved(strings.ToLower(word)) || i > 0 && reserved[i-1] >= word {
			t.Errorf("%s is out of place", word)
		}
	}
}

func TestItemSize(t *testing.T) {
	for text, want := range map[string]int{
		`{}`: 0, `{"a":{"S":"é"}}`: 3, `{"a":{"N":"0"}}`: 2, `{"a":{"N":"100"}}`: 3, `{"a":{"N":"123"}}`: 4, `{"a":{"N":"-123"}}`: 5, `{"a":{"N":"0.001"}}`: 3, `{"a":{"B":"AP8="}}`: 3,
		`{"a":{"BOOL":false}}`: 2, `{"a":{"NULL":true}}`: 2, `{"a":{"L":[]}}`: 4, `{"a":{"L":[{"S":"x"}]}}`: 6, `{"a":{"M":{"bb":{"S":"x"}}}}`: 8, `{"a":{"SS":["x","yy"]}}`: 4,
	} {
		it, err := decodeItem(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := it.size(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestSegmentsDivideTheHashes(t *testing.T) {
	for _, total := range []uint64{1, 2, 3, 7, 1_000_000} {
		last := ""
		for segment := range total {
			from, to := segmentBounds(segment, total)
			if from != last || (to == "") != (segment == total-1) || to != "" && to <= from {
				t.Fatalf("segment %d of %d is %x to %x, after %x", segment, total, from, to, last)
			}
			last = to
		}
	}
}

func TestAfterIsTheLeastKeyBeyondAPrefix(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "a\xff": "b", "a\xfe": "a\xff", "a\xfe\xff\xff": "a\xff", "\xff": "", "": "", "\x00": "\x01", "é": "\xc3\xaa"} {
		if got := after(prefix); got != want {
			t.Errorf("after %q comes %q, want %q", prefix, got, want)
		}
	}
}
