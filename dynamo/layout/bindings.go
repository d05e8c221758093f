package layout

// binding is what a variable of a template stands for.
type binding struct{ name, text string }

// bindings are those of one key: few, and without memory of their own, since a
// table has very many keys. The zero bindings are none.
type bindings struct {
	n   int
	all [room]binding
}

// room is how many variables a key's templates may have together.
const room = 12

func bindingsOf(vars map[string]string) bindings {
	var b bindings
	for name, text := range vars {
		b.add(name, text)
	}
	return b
}

// get is what a variable stands for; empty where it is not bound.
func (b *bindings) get(name string) string {
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			return b.all[n].text
		}
	}
	return ""
}

// has reports whether a variable is bound. None stands for nothing.
func (b *bindings) has(name string) bool { return b.get(name) != "" }

// add binds a variable that is not bound yet. It reports whether the variable
// stands for the text then.
func (b *bindings) add(name, text string) bool {
	if text == "" {
		return false
	}
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			return b.all[n].text == text
		}
	}
	if b.n == room {
		return false
	}
	b.all[b.n] = binding{name, text}
	b.n++
	return true
}

// set binds a variable again.
func (b *bindings) set(name, text string) {
	b.drop(name)
	b.add(name, text)
}

func (b *bindings) drop(name string) {
	for n := range b.all[:b.n] {
		if b.all[n].name == name {
			copy(b.all[n:b.n], b.all[n+1:b.n])
			b.n--
			return
		}
	}
}

// vars is the bindings as a map; nil where there are none.
func (b *bindings) vars() map[string]string {
	if b.n == 0 {
		return nil
	}
	vars := make(map[string]string, b.n)
	for _, one := range b.all[:b.n] {
		vars[one.name] = one.text
	}
	return vars
}
