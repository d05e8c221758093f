package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/mistake"
)

// Part is one section of a config. Its settings are texts, as a person types them.
type Part struct {
	// Path is the path of the section: "account[1].constraint[0]" (see Annotated).
	Path string
	// Kind is the section's name in the config: account, constraint, derived, counter or ids.
	Kind     string
	Name     string
	Settings []Setting
}

// Setting is one line of a config.
type Setting struct {
	Name, Text string
	Set        bool // whether the config has this setting
}

// Parts lists the sections of a config in order. A section comes before the sections within it.
func (c Layout) Parts() []Part {
	var all []Part
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		var own []Setting
		at := len(all)
		if path != "" {
			all = append(all, Part{Path: path, Kind: kindOf(path)})
		}
		for name, field := range fieldsOf(v) {
			if isSection(field) {
				for n := range field.Len() {
					walk(strings.TrimPrefix(fmt.Sprintf("%s.%s[%d]", path, name, n), "."), field.Index(n))
				}
				continue
			}
			if !isInline(field) {
				own = append(own, Setting{name, typed(field), !field.IsZero()})
			}
		}
		if path != "" {
			all[at].Settings, all[at].Name = own, nameOf(own)
		}
	}
	walk("", reflect.ValueOf(c))
	return all
}

// nameOf returns the name of a section for people.
func nameOf(settings []Setting) string {
	at := map[string]string{}
	for _, s := range settings {
		at[s.Name] = s.Text
	}
	return cmp.Or(at["name"], at["model"], at["attribute"], at["table"], at["pk"])
}

func kindOf(path string) string {
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")
	return name
}

// fieldsOf yields the name and the value of each setting of a section.
func fieldsOf(v reflect.Value) func(func(string, reflect.Value) bool) {
	return func(yield func(string, reflect.Value) bool) {
		for n := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(n).Tag.Get("toml"), ",")
			if name != "" && !yield(name, v.Field(n)) {
				return
			}
		}
	}
}

// isSection reports whether a setting is a list of sections, and not a list of inline tables.
func isSection(field reflect.Value) bool {
	return field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct && !isInline(field)
}

// isInline reports whether a setting is a list of inline tables. The editor cannot edit such lists. Answers to
// questions add places and holders. People write other forms of lock keys into the config file.
func isInline(field reflect.Value) bool {
	switch field.Interface().(type) {
	case []layout.Place, []Holder, []LockKey:
		return true
	}
	return false
}

// noTables is the text that a person types for an empty list of tables. An empty text removes the
// list.
const noTables = "none"

// typed returns a setting as a person types it: a list with commas, or a discriminator as
// "attribute = value".
func typed(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case []string:
		return strings.Join(x, ", ")
	case *Discriminator:
		if x == nil {
			return ""
		}
		return x.Attribute + " = " + x.Value
	case bool:
		if !x {
			return ""
		}
		return "true"
	case *[]string:
		switch {
		case x == nil:
			return ""
		case len(*x) == 0:
			return noTables
		}
		return strings.Join(*x, ", ")
	}
	return fmt.Sprint(v.Interface())
}

// With returns a copy of the config in which one setting has the typed text. An empty text removes the
// setting. With returns an error if there is no such section or setting, or if the text has the wrong form.
// Use Build to find out whether the copy is valid.
func (c Layout) With(path, setting, text string) (Layout, error) {
	c = c.clone()
	in, ok := c.section(path)
	if !ok {
		return c, fmt.Errorf("there is no section %s", path)
	}
	for name, field := range fieldsOf(in) {
		if name == setting {
			return c, set(field, path+"."+setting, setting, text)
		}
	}
	return c, fmt.Errorf("%s has no setting %s", path, setting)
}

func set(field reflect.Value, at, setting, text string) error {
	trimmed := strings.TrimSpace(text)
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case []string:
		field.Set(reflect.ValueOf(listed(trimmed)))
	case *[]string:
		var all *[]string
		if trimmed != "" {
			list := []string{}
			if trimmed != noTables {
				list = append(list, listed(trimmed)...)
			}
			all = &list
		}
		field.Set(reflect.ValueOf(all))
	case bool:
		yes, err := strconv.ParseBool(cmp.Or(trimmed, "false"))
		if err != nil {
			return mistake.Errorf(at, "%s: write true or false, not %q", setting, trimmed)
		}
		field.SetBool(yes)
	case *Discriminator:
		var is *Discriminator
		if trimmed != "" {
			attribute, value, found := strings.Cut(text, "=")
			if attribute, value = strings.TrimSpace(attribute), strings.TrimSpace(value); !found || attribute == "" ||
				value == "" {
				return mistake.Errorf(at, "%s: write an attribute and its value, as in type = lock", setting)
			}
			is = &Discriminator{attribute, value}
		}
		field.Set(reflect.ValueOf(is))
	default:
		return mistake.Errorf(at, "%s cannot be typed here: write it into the config", setting)
	}
	return nil
}

// listed splits a list at its commas.
func listed(text string) (all []string) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// Without returns a copy of the config without the section at path and all sections within it.
func (c Layout) Without(path string) Layout {
	c = c.clone()
	above, last := "", path
	if n := strings.LastIndexByte(path, '.'); n >= 0 {
		above, last = path[:n], path[n+1:]
	}
	name, index, ok := indexed(last)
	in, found := c.section(above)
	if !ok || !found {
		return c
	}
	for own, field := range fieldsOf(in) {
		if own == name && isSection(field) && index < field.Len() {
			field.Set(reflect.AppendSlice(field.Slice(0, index), field.Slice(index+1, field.Len())))
		}
	}
	return c
}

// clone returns a copy of c that shares no section with c.
func (c Layout) clone() Layout {
	c.Accounts, c.Counters = slices.Clone(c.Accounts), slices.Clone(c.Counters)
	for n := range c.Accounts {
		a := &c.Accounts[n]
		a.Constraints, a.Derived = slices.Clone(a.Constraints), slices.Clone(a.Derived)
	}
	for n := range c.Counters {
		c.Counters[n].IDs = slices.Clone(c.Counters[n].IDs)
	}
	return c
}

// section returns the section at path. The empty path is the layout itself.
func (c *Layout) section(path string) (reflect.Value, bool) {
	v := reflect.ValueOf(c).Elem()
	if path == "" {
		return v, true
	}
	for step := range strings.SplitSeq(path, ".") {
		name, index, ok := indexed(step)
		next := reflect.Value{}
		for own, field := range fieldsOf(v) {
			if ok && own == name && isSection(field) && index < field.Len() {
				next = field.Index(index)
			}
		}
		if !next.IsValid() {
			return v, false
		}
		v = next
	}
	return v, true
}

// indexed splits "constraint[2]" into its name and index.
func indexed(step string) (name string, index int, ok bool) {
	name, number, _ := strings.Cut(strings.TrimSuffix(step, "]"), "[")
	index, err := strconv.Atoi(number)
	return name, index, err == nil && index >= 0
}
