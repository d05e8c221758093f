package say_test

import (
	"testing"

	"tallylock/ui/say"
)

func TestNumbersAreNeverCut(t *testing.T) {
	const long = "12345678901234567890123456789012345678"
	for _, c := range []struct {
		digits string
		w      int
		want   string
	}{
		{"5214", 18, "5,214"},
		{"9007199254741993", 18, "9007199254741993"},
		{"9007199254741993", 21, "9,007,199,254,741,993"},
		{"9007199254741993", 12, "900719…41993"},
		{long, 18, "123…78 (38 digits)"},
		{long, 40, long},
		{long, 50, "12,345,678,901,234,567,890,123,456,789,012,345,678"},
		{"-12345678901234567890", 18, "-12…90 (20 digits)"},
		{"0", 5, "0"},
	} {
		if got := say.FitNumber(c.digits, c.w); got != c.want {
			t.Errorf("FitNumber(%s, %d) = %q, want %q", c.digits, c.w, got, c.want)
		}
	}
}

func TestRates(t *testing.T) {
	for perSecond, want := range map[float64]string{28.2: "28/s", 1.23: "1.2/s", 0.4: "0.4/s", 0.034: "2/min", 0.001: "<1/min", 0: "—"} {
		if got := say.Rate(perSecond); got != want {
			t.Errorf("Rate(%v) = %q, want %q", perSecond, got, want)
		}
	}
}
