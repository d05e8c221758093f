package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// beat is the time between two turns of Traffic. Most turns increment a counter.
const beat = 300 * time.Millisecond

// guests is the greatest number of guests that have an account at the same time. When a new guest signs up,
// the account of the oldest guest is deleted. So the table stays small.
const guests = 4

// Traffic acts as an application until the context ends: it increments counters, signs guests up and
// deletes their accounts.
func (d *Demo) Traffic(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// The sample application ignores errors.
		_ = d.turn(ctx, turn)
	}
}

func (d *Demo) turn(ctx context.Context, turn int) error {
	switch {
	case turn%17 == 16:
		return d.signUp(ctx, turn/17)
	case turn%7 == 3:
		return d.take(ctx, "donation-data", item{"context": s("atomicCounter"), "id": s("id")}, "counterValue")
	case turn%5 == 1:
		return d.take(ctx, "Tickets", item{"partition": s("us-east-1")}, "hand_crafted_int")
	case turn%11 == 5:
		return d.take(ctx, "Tickets", item{"partition": s("events")}, "hand_crafted_int")
	case turn%3 != 0:
		return d.take(ctx, "order_id", item{"id": n("0")}, "order_number")
	}
	return nil
}

// take takes the next number from a counter. It increments the counter as tutorials do.
func (d *Demo) take(ctx context.Context, table string, key item, attribute string) error {
	_, err := d.app.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &table, Key: key,
		UpdateExpression:          aws.String("SET #v = #v + :one"),
		ExpressionAttributeNames:  map[string]string{"#v": attribute},
		ExpressionAttributeValues: item{":one": n("1")},
	})
	return err
}

// signUp adds a guest. If there are too many guests, it first deletes the oldest one. Each step is one
// transaction.
func (d *Demo) signUp(ctx context.Context, number int) error {
	if number >= guests {
		if err := d.leave(ctx, guest(number-guests)); err != nil {
			return err
		}
	}
	p := guest(number)
	put := func(i item) types.TransactWriteItem {
		return types.TransactWriteItem{
			Put: &types.Put{TableName: aws.String(Table), Item: i, ConditionExpression: aws.String("attribute_not_exists(PK)")},
		}
	}
	_, err := d.app.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			put(account(p)),
			put(lock("EMAIL", p.email)),
			put(lock("HANDLE", p.username)),
		},
	})
	return err
}

func (d *Demo) leave(ctx context.Context, p person) error {
	del := func(i item) types.TransactWriteItem {
		return types.TransactWriteItem{
			Delete: &types.Delete{TableName: aws.String(Table), Key: item{"PK": i["PK"], "SK": i["SK"]}},
		}
	}
	_, err := d.app.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			del(account(p)),
			del(lock("EMAIL", p.email)),
			del(lock("HANDLE", p.username)),
		},
	})
	return err
}

func guest(number int) person {
	name := fmt.Sprintf("guest%d", number)
	return person{fmt.Sprintf("9%05x", number), name + "@example.net", name}
}
