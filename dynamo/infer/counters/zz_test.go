package counters_test

import (
	"strings"
	"testing"

	"tallylock/dynamo/infer/counters"
)

func TestZZ(t *testing.T) {
	false_, right, unknown, wrong := 0, 0, 0, 0
	for _, tc := range lookAlikes {
		for seed := range uint64(4) {
			for _, whole := range []bool{true, false} {
				sample := newRenamer(seed).table(table(tc.table, tc.keys, tc.items))
				sample.Whole = whole
				if got := counters.Of(sample); len(got) > 0 {
					false_++
					t.Logf("FALSE %s: %s; %s", tc.name, said(sample, got), got[0].Why)
				}
			}
		}
	}
	each := func(name, tb, keys, items, want string) {
		for seed := range uint64(3) {
			r := newRenamer(seed)
			sample := r.table(table(tb, keys, items))
			all := counters.Of(sample)
			got := said(sample, all)
			var w []string
			for _, f := range strings.Fields(want) {
				switch strings.Trim(f, ";") {
				case "last", "next", "tally", "ids", "{number}":
					w = append(w, f)
				default:
					w = append(w, r.text(f))
				}
			}
			_ = w
			sem := func(s string) string {
				var out []string
				for _, f := range strings.Fields(s) {
					switch strings.Trim(f, ";") {
					case "last", "next", "tally":
						out = append(out, f)
					}
				}
				return strings.Join(out, " ")
			}
			n := func(s string) string { s = strings.Split(s, " ids ")[0]; return s }
			_ = n
			switch {
			case got == "":
				unknown++
				if seed == 0 {
					t.Logf("unknown %s: %s", name, want)
				}
			case sem(got) == sem(want):
				right++
			default:
				wrong++
				if seed == 0 {
					t.Logf("WRONG %s: %s; want %s", name, got, want)
				}
			}
		}
	}
	for _, tc := range known {
		each(tc.name, tc.table, tc.keys, tc.items, tc.want)
	}
	for _, tc := range common {
		each(tc.name, tc.table, tc.keys, tc.items, tc.want)
	}
	t.Logf("false %d; right %d unknown %d wrong %d", false_, right, unknown, wrong)
}
