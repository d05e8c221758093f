package embedded_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"tallylock/dynamo/embedded/sdk"
)

func txPut(name *string, item doc, condition string) types.TransactWriteItem {
	p := &types.Put{TableName: name, Item: item}
	if condition != "" {
		p.ConditionExpression = &condition
	}
	return types.TransactWriteItem{Put: p}
}

func txAdd(name *string, pk, by string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{TableName: name, Key: doc{"pk": s(pk)}, UpdateExpression: aws.String("ADD n1 :by"), ExpressionAttributeValues: doc{":by": n(by)}}}
}

func txCheck(name *string, pk, condition string, old types.ReturnValuesOnConditionCheckFailure) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: name, Key: doc{"pk": s(pk)}, ConditionExpression: &condition, ReturnValuesOnConditionCheckFailure: old}}
}

func txDelete(name *string, pk string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: name, Key: doc{"pk": s(pk)}}}
}

func (t *trial) transact(token string, actions ...types.TransactWriteItem) error {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: actions}
	if token != "" {
		in.ClientRequestToken = &token
	}
	_, err := t.db.TransactWriteItems(t.ctx, in)
	return err
}

// reasons returns the codes of the reasons for a cancelled transaction, each with its item if it has one.
func reasons(err error) string {
	e := (*types.TransactionCanceledException)(nil)
	if !errors.As(err, &e) {
		return sdk.Code(err)
	}
	var codes []string
	for _, r := range e.CancellationReasons {
		code := aws.ToString(r.Code)
		if r.Item != nil {
			code += show(r.Item)
		}
		codes = append(codes, code)
	}
	return strings.Join(codes, " ")
}

var transactionCases = []conformance{
	{"transaction/all kinds of action", func(t *trial) {
		one, two := t.table(typeS), t.table(typeS)
		t.put(one, doc{"pk": s("gone")}, doc{"pk": s("there")}, doc{"pk": s("c"), "n1": n("1")})
		t.ok(t.transact("", txPut(one, doc{"pk": s("new")}, "attribute_not_exists(pk)"), txDelete(one, "gone"), txCheck(one, "there", "attribute_exists(pk)", ""), txAdd(one, "c", "2"), txAdd(two, "c", "5")))
		t.equal(t.get(one, doc{"pk": s("new")}), doc{"pk": s("new")})
		t.equal(t.get(one, doc{"pk": s("gone")}), doc(nil))
		t.equal(t.get(one, doc{"pk": s("c")})["n1"], n("3"))
		t.equal(t.get(two, doc{"pk": s("c")})["n1"], n("5"))
	}},
	{"transaction/cancelled as a whole", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "v": n("1")}, doc{"pk": s("text"), "n1": s("x")})
		err := t.transact("", txPut(name, doc{"pk": s("new")}, ""), txCheck(name, "a", "attribute_not_exists(pk)", ""), txCheck(name, "a2", "attribute_not_exists(pk)", ""),
			txPut(name, doc{"pk": s("none")}, "attribute_exists(pk)"), txDelete(name, "text"))
		t.equal(reasons(err), "None ConditionalCheckFailed None ConditionalCheckFailed None")
		t.equal(t.get(name, doc{"pk": s("new")}), doc(nil))
		t.equal(len(t.get(name, doc{"pk": s("text")})), 2)
		err = t.transact("", txCheck(name, "a", "attribute_not_exists(pk)", types.ReturnValuesOnConditionCheckFailureAllOld), txCheck(name, "none", "attribute_exists(pk)", types.ReturnValuesOnConditionCheckFailureAllOld))
		t.equal(reasons(err), "ConditionalCheckFailed{pk: \"a\", v: 1} ConditionalCheckFailed")
	}},
	{"transaction/invalid slots", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("text"), "n1": s("x")})
		t.equal(reasons(t.transact("", txPut(name, doc{"pk": s("new")}, ""), txAdd(name, "text", "1"))), "None ValidationError", "wrong type:")
		t.equal(reasons(t.transact("", txPut(name, doc{"pk": s("new")}, ""), txPut(name, doc{"x": s("y")}, ""))), "None ValidationError", "no key:")
		t.equal(t.get(name, doc{"pk": s("new")}), doc(nil))
	}},
	{"transaction/refusals", func(t *trial) {
		name := t.table(typeS)
		put := txPut(name, doc{"pk": s("a")}, "")
		many := make([]types.TransactWriteItem, 101)
		for i := range many {
			many[i] = txPut(name, doc{"pk": s(fmt.Sprint(i))}, "")
		}
		for about, actions := range map[string][]types.TransactWriteItem{
			"none": {}, "101": many, "two on one item": {put, txDelete(name, "a")}, "check and put": {txCheck(name, "a", "attribute_exists(pk)", ""), put}, "empty": {{}},
		} {
			t.refused(t.transact("", actions...), invalid, about)
		}
		t.refused(t.transact(strings.Repeat("t", 37), put), invalid, "token of 37")
		t.equal(t.get(name, doc{"pk": s("a")}), doc(nil))
		t.ok(t.transact("", many[:100]...))
	}},
	{"transaction/bad expressions refuse it as a whole", func(t *trial) {
		name := t.table(typeS)
		for _, bad := range []string{"", "nonsense(", "attribute_exists(status)"} {
			t.refused(t.transact("", txPut(name, doc{"pk": s("a")}, ""), txCheck(name, "b", bad, "")), invalid, bad)
		}
	}},
	{"transaction/two actions in one slot", func(t *trial) {
		name := t.table(typeS)
		t.refused(t.transact("", types.TransactWriteItem{Put: txPut(name, doc{"pk": s("a")}, "").Put, Delete: txDelete(name, "b").Delete}), invalid)
	}},
	{"transaction/4 MB", func(t *trial) {
		name := t.table(typeS)
		var actions []types.TransactWriteItem
		for i := range 11 {
			actions = append(actions, txPut(name, doc{"pk": s(fmt.Sprint(i)), "v": s(strings.Repeat("x", 390*1024))}, ""))
		}
		t.refused(t.transact("", actions...), invalid)
		t.ok(t.transact("", actions[:10]...))
	}},
	{"transaction/capacity", func(t *trial) {
		in := withKey(typeS)
		in.AttributeDefinitions = append(in.AttributeDefinitions, define("o", typeS))
		in.GlobalSecondaryIndexes = []types.GlobalSecondaryIndex{{IndexName: aws.String("by-o"), KeySchema: schema("o"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}}}
		name := t.create(in)
		t.put(name, doc{"pk": s("there")})
		out, err := t.db.TransactWriteItems(t.ctx, &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityIndexes, TransactItems: []types.TransactWriteItem{
			txPut(name, doc{"pk": s("a"), "v": s(strings.Repeat("x", 1500)), "o": s("x")}, ""), txCheck(name, "there", "attribute_exists(pk)", ""),
		}})
		t.ok(err)
		if len(out.ConsumedCapacity) != 1 {
			t.fatalf("consumed %v", out.ConsumedCapacity)
		}
		c := out.ConsumedCapacity[0]
		t.equal(fmt.Sprint(*c.CapacityUnits, " ", *c.Table.CapacityUnits, " ", *c.GlobalSecondaryIndexes["by-o"].CapacityUnits), "7 6 1", "the table twice, the index once:")
		got, err := t.db.TransactGetItems(t.ctx, &dynamodb.TransactGetItemsInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal, TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: name, Key: doc{"pk": s("a")}}}, {Get: &types.Get{TableName: name, Key: doc{"pk": s("none")}}},
		}})
		t.ok(err)
		t.equal(got.ConsumedCapacity[0].CapacityUnits, "4")
	}},
	{"transaction/get", func(t *trial) {
		one, two := t.table(typeS), t.table(typeS)
		t.put(one, doc{"pk": s("a"), "v": n("1"), "w": n("2")})
		t.put(two, doc{"pk": s("b"), "v": n("3")})
		out, err := t.db.TransactGetItems(t.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: two, Key: doc{"pk": s("b")}}}, {Get: &types.Get{TableName: one, Key: doc{"pk": s("none")}}}, {Get: &types.Get{TableName: one, Key: doc{"pk": s("a")}}},
		}})
		t.ok(err)
		t.equal(len(out.Responses), 3)
		t.equal(out.Responses[0].Item, doc{"pk": s("b"), "v": n("3")})
		t.equal(out.Responses[1].Item, doc(nil))
		t.equal(out.Responses[2].Item, doc{"pk": s("a"), "v": n("1"), "w": n("2")})
		for about, keys := range map[string][]string{"twice": {"a", "a"}, "none": {}, "101": strings.Split(strings.Repeat("x,", 100)+"x", ",")} {
			in := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{}}
			for i, key := range keys {
				if about == "101" {
					key = fmt.Sprint(key, i)
				}
				in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: one, Key: doc{"pk": s(key)}}})
			}
			_, err := t.db.TransactGetItems(t.ctx, in)
			t.refused(err, invalid, about)
		}
	}},
	{"transaction/get with a projection", func(t *trial) {
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "v": n("1"), "w": n("2")})
		out, err := t.db.TransactGetItems(t.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: name, Key: doc{"pk": s("a")}, ProjectionExpression: aws.String("#v"), ExpressionAttributeNames: map[string]string{"#v": "v"}}},
		}})
		t.ok(err)
		t.equal(out.Responses[0].Item, doc{"v": n("1")})
	}},
	{"token/replay", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		for range 3 {
			t.ok(t.transact(token, txAdd(name, "c", "1"), txPut(name, doc{"pk": s("x"), "a": n("1"), "b": n("2"), "c": ss("p", "q")}, "")))
		}
		t.equal(t.get(name, doc{"pk": s("c")})["n1"], n("1"))
		t.ok(t.transact(uuid.NewString(), txAdd(name, "c", "1")))
		t.equal(t.get(name, doc{"pk": s("c")})["n1"], n("2"), "another token:")
	}},
	{"token/canonical parameters", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		t.ok(t.transact(token, txPut(name, doc{"pk": s("x"), "v": n("1.50"), "s": ss("a", "b")}, "")))
		t.ok(t.transact(token, txPut(name, doc{"pk": s("x"), "v": n("15e-1"), "s": ss("b", "a")}, "")))
	}},
	{"token/other parameters", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		t.ok(t.transact(token, txAdd(name, "c", "1")))
		const mismatch = "IdempotentParameterMismatchException"
		t.refused(t.transact(token, txAdd(name, "c", "2")), mismatch, "another value")
		t.refused(t.transact(token, txAdd(name, "d", "1")), mismatch, "another key")
		t.refused(t.transact(token, txAdd(name, "c", "1"), txDelete(name, "x")), mismatch, "one more")
		t.refused(t.transact(token, txDelete(name, "c")), mismatch, "another verb")
		t.equal(t.get(name, doc{"pk": s("c")})["n1"], n("1"))
	}},
	{"token/a cancelled transaction runs anew", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		actions := []types.TransactWriteItem{txAdd(name, "c", "1"), txCheck(name, "gate", "attribute_exists(pk)", "")}
		t.equal(reasons(t.transact(token, actions...)), "None ConditionalCheckFailed")
		t.put(name, doc{"pk": s("gate")})
		t.ok(t.transact(token, actions...))
		t.ok(t.transact(token, actions...))
		t.equal(t.get(name, doc{"pk": s("c")})["n1"], n("1"))
	}},
	{"token/replay after the condition has turned", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		put := txPut(name, doc{"pk": s("lock")}, "attribute_not_exists(pk)")
		t.ok(t.transact(token, put))
		t.ok(t.transact(token, put))
		t.equal(reasons(t.transact(uuid.NewString(), put)), "ConditionalCheckFailed")
	}},
	{"token/sent at once from many sides", func(t *trial) {
		name := t.table(typeS)
		token := uuid.NewString()
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for { // repeat while the first request is still in progress
					if sdk.Code(t.transact(token, txAdd(name, "c", "1"))) != "TransactionInProgressException" {
						return
					}
				}
			})
		}
		all.Wait()
		t.equal(t.get(name, doc{"pk": s("c")})["n1"], n("1"))
	}},
	{"transaction/isolated", func(t *trial) {
		// Money moves between two accounts. No reader may see it in both accounts, or in none of them.
		name := t.table(typeS)
		t.put(name, doc{"pk": s("a"), "n1": n("100")}, doc{"pk": s("b"), "n1": n("0")})
		var movers sync.WaitGroup
		for range 4 {
			movers.Go(func() {
				for range 25 {
					for {
						if err := t.transact("", txAdd(name, "a", "-1"), txAdd(name, "b", "1")); err == nil || !strings.Contains(reasons(err), "Conflict") {
							break
						}
					}
				}
			})
		}
		for range 50 {
			out, err := t.db.TransactGetItems(t.ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
				{Get: &types.Get{TableName: name, Key: doc{"pk": s("a")}}}, {Get: &types.Get{TableName: name, Key: doc{"pk": s("b")}}},
			}})
			if strings.Contains(reasons(err), "Conflict") {
				continue
			}
			t.ok(err)
			var a, b int
			_, _ = fmt.Sscan(show(out.Responses[0].Item["n1"]), &a)
			_, _ = fmt.Sscan(show(out.Responses[1].Item["n1"]), &b)
			t.equal(a+b, 100, "together:")
		}
		movers.Wait()
		t.equal(t.get(name, doc{"pk": s("b")})["n1"], n("100"))
	}},
	{"transaction/a lock is taken once", func(t *trial) {
		name := t.table(typeS)
		var all sync.WaitGroup
		won := make(chan int, 8)
		for i := range 8 {
			all.Go(func() {
				for {
					err := t.transact("", txPut(name, doc{"pk": s("lock"), "by": n(fmt.Sprint(i))}, "attribute_not_exists(pk)"), txAdd(name, fmt.Sprint("user", i), "1"))
					if err == nil {
						won <- i
					}
					if !strings.Contains(reasons(err), "Conflict") {
						return
					}
				}
			})
		}
		all.Wait()
		t.equal(len(won), 1, "winners")
		out, err := t.db.Scan(t.ctx, &dynamodb.ScanInput{TableName: name, ConsistentRead: aws.Bool(true)})
		t.ok(err)
		t.equal(out.Count, 2)
	}},
}
