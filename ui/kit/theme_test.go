package kit

import (
	"testing"

	"github.com/lucasb-eyer/go-colorful"
)

// People whose eyes lack red or green can tell good, bad and warn apart. The simulation is by Machado, Oliveira and
// Fernandes ("A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009).
func TestColourBlindEyesTellVerdictsApart(t *testing.T) {
	eyes := map[string][3][3]float64{
		"without red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"without green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"healthy":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	}
	for _, dark := range []bool{true, false} {
		p := Theme{ColourBlind: true}.palette(dark)
		for name, eye := range eyes {
			seen := func(r role) colorful.Color {
				c, err := colorful.Hex(p.roles[r].rgb)
				if err != nil {
					t.Fatal(err)
				}
				red, green, blue := c.LinearRgb()
				row := func(n int) float64 { return eye[n][0]*red + eye[n][1]*green + eye[n][2]*blue }
				return colorful.LinearRgb(row(0), row(1), row(2)).Clamped()
			}
			for _, pair := range [][2]role{{good, bad}, {good, warn}, {warn, bad}, {other, bad}, {other, good}} {
				if d := seen(pair[0]).DistanceLab(seen(pair[1])); d < 0.15 {
					t.Errorf("dark %v, eyes %s: roles %d and %d are %.2f apart", dark, name, pair[0], pair[1], d)
				}
			}
		}
	}
}

// A colour in the config replaces the theme's colour on every background. All other colours stay.
func TestColoursOfAConfig(t *testing.T) {
	var blue Colour
	if err := blue.UnmarshalText([]byte("#0000ff")); err != nil {
		t.Fatal(err)
	}
	for _, colours := range []Colours{TrueColour, Colours16} {
		with, without := NewStyles(Look{Dark: true, Colours: colours, Theme: Theme{Bad: blue}}), NewStyles(Look{Dark: true, Colours: colours})
		if with.sequences[Base][Bad] == without.sequences[Base][Bad] {
			t.Errorf("with %d colours bad is what it was", colours)
		}
		if with.sequences[Base][Good] != without.sequences[Base][Good] {
			t.Errorf("with %d colours good is not what it was", colours)
		}
	}
	for _, text := range []string{"", "red", "#12345", "#1234567", "#gggggg", "123456#"} {
		if err := new(Colour).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a colour", text)
		}
	}
}
