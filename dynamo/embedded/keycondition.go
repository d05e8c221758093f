package embedded

import "cmp"

// The error texts are DynamoDB's. Their sources are quotations by clients, and the tests of dynalite, which also ran
// against DynamoDB.

// parseKeyCondition parses "pk = :a", or "pk = :a AND" one condition on the sort key. It returns the range
// of keys to read.
func parseKeyCondition(text string, key keySchema, subs *substitutions) (span, error) {
	c, err := parseCondition("KeyConditionExpression", text, subs)
	if err != nil {
		return span{}, err
	}
	on := map[string]condition{}
	if err := splitKeyCondition(c, on); err != nil {
		return span{}, err
	}
	partition, sort := on[key.partition.name], on[key.sort.name]
	switch {
	case len(on) > 2:
		return span{}, invalid("Conditions can be of length 1 or 2 only")
	case len(on) == 2 && key.sort.name == "":
		return span{}, errKeyCondition
	case partition == nil:
		return span{}, invalid("Query condition missed key schema element: %s", key.partition.name)
	case len(on) == 2 && sort == nil:
		return span{}, invalid("Query condition missed key schema element: %s", key.sort.name)
	}
	equality, ok := partition.(comparison)
	if !ok || equality.operator != "=" {
		return span{}, errKeyCondition
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

var errKeyCondition = invalid("Query key condition not supported")

// splitKeyCondition puts the parts of a key condition into the map called on, by the names of their attributes.
func splitKeyCondition(c condition, on map[string]condition) error {
	if both, ok := c.(and); ok {
		return cmp.Or(splitKeyCondition(both.left, on), splitKeyCondition(both.right, on))
	}
	if word := foreignOperator(c); word != "" {
		return invalid("Invalid operator used in KeyConditionExpression: %s", word)
	}
	if compared, ok := c.(comparison); ok {
		c = compared.attributeFirst()
	}
	name, err := keyOf(c)
	if err != nil {
		return err
	}
	if on[name] != nil {
		return invalid("KeyConditionExpressions must only contain one condition per key")
	}
	on[name] = c
	return nil
}

// foreignOperator returns the operator or function of c if a key condition may not contain it.
func foreignOperator(c condition) string {
	switch c := c.(type) {
	case or:
		return "OR"
	case not:
		if _, ok := c.condition.(exists); ok {
			return "attribute_not_exists"
		}
		return "NOT"
	case in:
		return "IN"
	case exists:
		return "attribute_exists"
	case hasType:
		return "attribute_type"
	case contains:
		return "contains"
	case comparison:
		if c.operator == "<>" {
			return c.operator
		}
	}
	return ""
}

// mirrored has the operator to use after the operands of a comparison change places.
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// attributeFirst moves a literal from the left side of a comparison to the right side: ":a = pk" becomes "pk = :a".
func (c comparison) attributeFirst() comparison {
	if _, ok := c.left.(literal); !ok {
		return c
	}
	return comparison{mirrored[c.operator], c.right, c.left}
}

// keyOf returns the name of the attribute that c tests. c is a part of a key condition.
func keyOf(c condition) (string, error) {
	operands, function := keyOperands(c)
	for _, o := range operands {
		if _, ok := o.(sizeOf); ok {
			return "", invalid("KeyConditionExpressions cannot contain nested operations")
		}
	}
	p, ok := operands[0].(path)
	switch {
	case !ok && function != "":
		return "", invalid(
			"Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand",
			function,
		)
	case !ok:
		return "", invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	case len(p) > 1:
		return "", invalid("KeyConditionExpressions cannot have conditions on nested attributes")
	}
	for _, o := range operands[1:] {
		if _, ok := o.(literal); !ok {
			return "", invalid("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
		}
	}
	return p[0].name, nil
}

// keyOperands returns the operands of a part of a key condition. function is empty for a comparison.
func keyOperands(c condition) (operands []operand, function string) {
	switch c := c.(type) {
	case between:
		return []operand{c.of, c.low, c.high}, "BETWEEN"
	case beginsWith:
		return []operand{c.of, c.prefix}, "begins_with"
	}
	compared := c.(comparison)
	return []operand{compared.left, compared.right}, ""
}

// boundOf returns the value that a key condition compares with the key attribute a. It returns an error if this
// attribute cannot have the value. limit is the greatest length of the value in bytes.
func boundOf(a keyAttribute, o operand, limit int) (value, error) {
	v := value(o.(literal))
	if v.kind != a.kind {
		return v, invalid(
			"One or more parameter values were invalid: Condition parameter type does not match schema type",
		)
	}
	return v, a.check(v, limit)
}

// sortSpan returns the range of the keys in a partition that satisfy a condition on the sort key. prefix is
// the prefix of the partition's keys.
func sortSpan(prefix string, a keyAttribute, c condition) (span, error) {
	operands, _ := keyOperands(c)
	var at []string
	for _, o := range operands[1:] {
		v, err := boundOf(a, o, maxSortKey)
		if err != nil {
			return span{}, err
		}
		if _, ok := c.(beginsWith); ok {
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
