package layout

import "slices"

// chains are what applications do to values before they lock them, as far as a
// sample can tell one from another.
var chains = [][]Normaliser{
	nil, {Lower}, {Trim}, {Trim, Lower}, {NFKC}, {NFKC, Lower}, {SHA256}, {Lower, SHA256}, {Trim, Lower, SHA256},
}

// chainsLike are those, and, of a layout that encodes its values, the same spellings
// encoded as it has it: capitals that it folds are no others for being encoded.
func chainsLike(own []Normaliser) [][]Normaliser {
	encoding := slices.DeleteFunc(slices.Clone(own), func(step Normaliser) bool {
		return step == Trim || step == Lower || step == Upper || step == NFC || step == NFKC || step == SHA256
	})
	all := slices.Clone(chains)
	if len(encoding) == 0 {
		return all
	}
	for _, chain := range chains {
		if !slices.Contains(chain, SHA256) {
			all = append(all, slices.Concat(chain, encoding))
		}
	}
	return all
}
