package layout

import (
	"cmp"
	"reflect"
	"strings"
)

// Differences says how one layout differs from another, a line each: "- " before what only
// the first has, "+ " before what only the second has. Names are no difference.
func Differences(a, b Config) []string {
	was, is := settings(a), settings(b)
	var out []string
	for sign, all := range [2][2][]string{{was, is}, {is, was}} {
		have := map[string]bool{}
		for _, line := range all[1] {
			have[line] = true
		}
		for _, line := range all[0] {
			if !have[line] {
				out = append(out, string("-+"[sign])+" "+line)
			}
		}
	}
	return out
}

// settings are a layout's lines, each behind the words for what it is about.
func settings(c Config) (all []string) {
	add := func(about string, section any) {
		v := reflect.ValueOf(section)
		for n := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(n).Tag.Get("toml"), ",")
			field := v.Field(n)
			inner := field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct &&
				!strings.Contains(options, "inline")
			if name != "" && name != "name" && name != "tables" && name != "model" && !inner && !field.IsZero() {
				all = append(all, about+": "+name+" = "+tomlValue(field))
			}
		}
	}
	add("layout", c)
	for _, a := range c.Accounts {
		add("account "+a.PK, a)
		for _, con := range a.Constraints {
			add(cmp.Or(con.Name, con.Attribute), con)
		}
		for _, d := range a.Derived {
			add("account "+a.PK+", "+d.Attribute, d)
		}
	}
	for _, counter := range c.Counters {
		add("counter "+cmp.Or(counter.Name, counter.Attribute), counter)
		for _, ids := range counter.IDs {
			add("ids of counter "+cmp.Or(counter.Name, counter.Attribute), ids)
		}
	}
	return all
}
