package attr

import "encoding/binary"

// AppendCanonical appends an encoding of the item to b. Equal items have equal bytes, and different
// items have different bytes.
func (i Item) AppendCanonical(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(i)))
	for _, name := range i.Names() {
		b = i[name].appendCanonical(appendText(b, name))
	}
	return b
}

func (v Value) appendCanonical(b []byte) []byte {
	b = appendText(b, string(v.Kind))
	switch v.Kind {
	case N:
		return appendText(b, CanonicalNumber(v.Text))
	case BOOL:
		if v.Bool {
			return append(b, 1)
		}
		return append(b, 0)
	case NS:
		return appendTexts(b, canonicalSet(v.Set))
	case SS, BS:
		return appendTexts(b, sorted(v.Set))
	case L:
		b = binary.AppendUvarint(b, uint64(len(v.List)))
		for _, one := range v.List {
			b = one.appendCanonical(b)
		}
		return b
	case M:
		return Item(v.Map).AppendCanonical(b)
	}
	return appendText(b, v.Text)
}

func appendTexts(b []byte, all []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(all)))
	for _, one := range all {
		b = appendText(b, one)
	}
	return b
}

// appendText writes the length first. Without it, two different lists of texts could have the same
// bytes.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
