package embedded

// parseKeyCondition reads "pk = :a", or "pk = :a AND" one condition on the
// sort key, and returns the keys to read.
func parseKeyCondition(text string, key keySchema, subs *substitutions) (span, error) {
	c, err := parseCondition("KeyConditionExpression", text, subs)
	if err != nil {
		return span{}, err
	}
	parts := []condition{c}
	if both, ok := c.(and); ok {
		parts = []condition{both.left, both.right}
	}
	var partition, sort condition
	for _, part := range parts {
		switch name := keyOf(part); {
		case name != "" && name == key.partition.name && partition == nil:
			partition = part
		case name != "" && name == key.sort.name && sort == nil:
			sort = part
		default:
			return span{}, invalid(
				"Invalid KeyConditionExpression: it must have one equality on %s, and may have one condition on the sort key",
				key.partition.name,
			)
		}
	}
	equality, ok := partition.(comparison)
	if !ok || equality.operator != "=" {
		return span{}, invalid("Query condition missed key schema element: %s", key.partition.name)
	}
	pk, err := boundOf(key.partition, equality.right, maxPartitionKey)
	if err != nil {
		return span{}, err
	}
	prefix := string(partitionKey(pk))
	if sort == nil {
		return span{prefix, after(prefix)}, nil
	}
	return sortSpan(prefix, key.sort, sort)
}

// keyOf gives the attribute that a part of a key condition is about, "" if it
// is none that a key may have.
func keyOf(c condition) string {
	var of operand
	switch c := c.(type) {
	case comparison:
		if c.operator != "<>" {
			of = c.left
		}
	case between:
		of = c.of
	case beginsWith:
		of = c.of
	}
	if p, ok := of.(path); ok && len(p) == 1 {
		return p[0].name
	}
	return ""
}

// boundOf gives the literal that a key attribute is compared with.
func boundOf(a keyAttribute, o operand, limit int) (value, error) {
	l, ok := o.(literal)
	if !ok {
		return value{}, invalid("Invalid condition in KeyConditionExpression: a key can be compared with a value only")
	}
	return value(l), a.check(value(l), limit)
}

// sortSpan gives the keys of a partition that satisfy a condition on the sort key.
func sortSpan(prefix string, a keyAttribute, c condition) (span, error) {
	var bounds []operand
	switch c := c.(type) {
	case comparison:
		bounds = []operand{c.right}
	case between:
		bounds = []operand{c.low, c.high}
	case beginsWith:
		bounds = []operand{c.prefix}
	}
	var at []string
	for _, o := range bounds {
		v, err := boundOf(a, o, maxSortKey)
		if err != nil {
			return span{}, err
		}
		if _, ok := c.(beginsWith); ok && a.kind == kindN {
			return span{}, invalid("Invalid KeyConditionExpression: begins_with needs a string or a binary")
		} else if ok {
			from := string(appendSortPrefix([]byte(prefix), v.text))
			return span{from, after(from)}, nil
		}
		at = append(at, string(appendSortKey([]byte(prefix), v)))
	}
	if len(at) == 2 {
		return span{at[0], after(at[1])}, nil
	}
	switch c.(comparison).operator {
	case "<":
		return span{prefix, at[0]}, nil
	case "<=":
		return span{prefix, after(at[0])}, nil
	case ">":
		return span{after(at[0]), after(prefix)}, nil
	case ">=":
		return span{at[0], after(prefix)}, nil
	}
	return span{at[0], after(at[0])}, nil
}
