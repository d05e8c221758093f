package kit

import "slices"

// mostRemembered is how many texts a history keeps: more, nobody walks through.
const mostRemembered = 200

// History is what was typed into a field before, the newest last. It is walked through with
// two keys, as in a shell, and comes back in the end to what was being typed.
type History struct {
	texts []string
	at    int    // where the walk is; len(texts): at what was being typed
	typed string // before the walk began
}

// Add remembers a text as the newest, once, and ends the walk.
func (h *History) Add(text string) {
	h.texts = append(slices.DeleteFunc(h.texts, func(t string) bool { return t == text }), text)
	h.texts = h.texts[max(len(h.texts)-mostRemembered, 0):]
	h.Rest()
}

// Rest ends the walk: the next step goes to the newest.
func (h *History) Rest() { h.at = len(h.texts) }

// Older is the text before the one at which the walk is, where there is one; now is what the
// field says. What the field says already is passed over.
func (h *History) Older(now string) (string, bool) {
	if h.at == len(h.texts) {
		h.typed = now
	}
	at := h.at - 1
	if at >= 0 && h.texts[at] == now {
		at--
	}
	if at < 0 {
		return "", false
	}
	h.at = at
	return h.texts[at], true
}

// Newer is the text after it, and after the newest what was being typed.
func (h *History) Newer() (string, bool) {
	if h.at >= len(h.texts) {
		return "", false
	}
	if h.at++; h.at == len(h.texts) {
		return h.typed, true
	}
	return h.texts[h.at], true
}

// Empty reports whether nothing is remembered.
func (h *History) Empty() bool { return len(h.texts) == 0 }
