package plan

import "testing"

func TestPriceCountsUnits(t *testing.T) {
	for want, p := range map[string]Price{
		"1 write unit, 1 read unit":         {WriteUnits: 1, ReadUnits: 1},
		"2 write units, 0.5 read units":     {WriteUnits: 2, ReadUnits: 0.5},
		"4 write units, about 1 read unit":  {WriteUnits: 4, ReadUnits: 0.5, Estimate: true},
		"4 write units, about 2 read units": {WriteUnits: 4, ReadUnits: 1.5, Estimate: true},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
}
