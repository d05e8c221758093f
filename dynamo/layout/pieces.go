package layout

// Piece is a part of a template: literal text, a variable, or a function of a text. It is
// for who writes templates in another language; keys are made and read by layouts themselves.
type Piece struct {
	Literal, Variable string
	// Length and Digest are the text of which {len:…} and {sha256:…} are; nil of others.
	Length, Digest *Template
}

// Pieces takes a template apart.
func (t Template) Pieces() []Piece {
	var all []Piece
	for _, p := range t.parts {
		one := Piece{Literal: p.literal, Variable: p.name}
		if f := p.function; f != nil {
			one.Variable = ""
			if f.name == digestOf {
				one.Digest = &f.text
			} else {
				one.Length = &f.text
			}
		}
		all = append(all, one)
	}
	return all
}

// The variables that templates have by themselves: all others are attributes, or parts of
// an account's key.
const (
	ValueVariable  = value
	HashVariable   = hashKey
	NumberVariable = idVariable
	IDVariable     = identity
)
