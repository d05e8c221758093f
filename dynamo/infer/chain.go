package infer

import (
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// chain is what an application does with a value before it locks it.
type chain []layout.Normaliser

// plainChains are those that leave a value readable, the simplest first: of chains that
// explain as much, the first is taken.
var plainChains = []chain{
	nil,
	{"lower"},
	{"trim"},
	{"trim", "lower"},
	{"nfc"},
	{"nfc", "lower"},
	{"nfkc"},
	{"nfkc", "lower"},
	{"trim", "nfkc", "lower"},
	{"upper"},
}

// spellingSteps are what comes before a step that makes another text of a value.
var spellingSteps = []chain{nil, {"lower"}, {"trim"}, {"trim", "lower"}, {"nfkc", "lower"}}

// chainsFor are the chains that the keys of the tables give reason to try, and whether
// there are digests in them.
func chainsFor(tables []*table) (chains []chain, digests bool) {
	all := plainChains
	with := func(step layout.Normaliser) {
		for _, b := range spellingSteps {
			all = append(all, append(slices.Clip(b), step))
		}
	}
	var digest, percent, base64, url, escaped bool
	for _, t := range tables {
		for _, e := range t.entries {
			for _, key := range []string{e.hash, e.sort} {
				escaped = escaped || strings.Contains(key, `\#`)
				percent = percent || strings.Contains(key, "%")
				for _, part := range strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(separators+"_", r) }) {
					digest = digest || hexDigest(part)
					base64 = base64 || len(part) >= 8 && len(part)%4 == 0
					url = url || len(part) >= 8
				}
			}
		}
	}
	if digest {
		with("sha256")
	}
	if percent {
		with("percent")
	}
	if base64 {
		with("base64")
	}
	if url {
		with("base64url")
	}
	if escaped {
		all = append(all, chain{"dynamoflow"})
	}
	return all, digest
}

// hexDigest reports whether a text may be a SHA-256 in hexadecimal digits.
func hexDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
