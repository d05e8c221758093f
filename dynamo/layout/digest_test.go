package layout_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"tallylock/dynamo/layout"
)

// A value that looks like a digest or an id hides its text. A value that a person typed is readable.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"9f86d081884c7d659a2f0001":                     true,
		"9F86D081884C7D659A2F0001":                     true,
		"h1:9f86d081884c7d659a2f0001":                  true,
		"v1.9f86d081884c7d659a2f0001":                  true,
		"9f86d001":                                     true,
		"abcdefabcdefabcdefabcdefab12":                 true,
		"9f86d081-884c-7d65-9a2f-eaa0c55ad015":         true,
		"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg":  true,
		"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=": true,
		"qUqP5cyxm6YcTAhz05Hph5gvu9M=":                 true,
		"XrY7uAe7tCTyyKabcdQmNw":                       true,
		"$2$kQmXWbBbLzTrPPyyGsDhJc":                    true,
		"01ARZ3NDEKTSV4RRFFQ69G5FAV":                   true,
		"k3v9x2m4p7q1":                                 true,
		"ada":                                          false,
		"":                                             false,
		"ada@x.io":                                     false,
		"ada@9f86d001.x.io":                            false,
		"k3v9x2m4p7q1r5s6@x.io":                        false,
		"Ada Lovelace":                                 false,
		"renamed-12":                                   false,
		"newniklaus.7":                                 false,
		"AdaLovelaceFromLondon1815":                    false,
		"ADALOVELACEFROMLONDON":                        false,
		"a-very-long-name-no-1-that":                   false,
		"customer-account-no-000123":                   false,
		"+4930555181390":                               false,
		"030 5551 8139":                                false,
		"030-5551-8139":                                false,
		"305551813055":                                 false,
		"zoë1815zoë1815":                               false,
	} {
		if got := layout.Unreadable(value); got != want {
			t.Errorf("%q is unreadable: %v; want %v", value, got, want)
		}
	}
}

// DigestIn finds the same digest in every notation: hexadecimal or base64.
func TestDigestIn(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte("ada@x.io"))
	want := hex.EncodeToString(digest[:])
	for _, value := range []string{
		want, strings.ToUpper(want),
		base64.StdEncoding.EncodeToString(digest[:]), base64.RawURLEncoding.EncodeToString(digest[:]),
	} {
		if got := layout.DigestIn(value); got != want {
			t.Errorf("%q is %q; want %q", value, got, want)
		}
	}
	for _, value := range []string{"", "ada@x.io", want[2:], want + "00"} {
		if got := layout.DigestIn(value); got != "" {
			t.Errorf("%q is %q; want none", value, got)
		}
	}
}
