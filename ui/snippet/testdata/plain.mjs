// Keeps the constraint "email" of the table "people" unique, with the AWS SDK for JavaScript v3.
//
// client is a DynamoDBDocumentClient. token makes retries safe. Make one token for each action of a
// user, such as crypto.randomUUID(), and pass the same token if you call a function again after a
// timeout. DynamoDB remembers a token for 10 minutes.
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";

// An account has this key already.
export class AccountExists extends Error {}

// The account is gone or has another value. Read it again.
export class AccountChanged extends Error {}

// Another account has the value.
export class ValueTaken extends Error {}

// The lock of the old value names another account: two accounts hold it.
export class LockMismatch extends Error {}

// Returns the value as the lock's key has it. All writers must agree.
export function lockValue(v) {
  if (!v) throw new RangeError("the value is empty");
  return v;
}

const accountKey = (id) => ({ "PK": "ACCT#" + id, "SK": "PROFILE" });

function lockKey(value) {
  const v = lockValue(value);
  return { "PK": "UNIQ#EMAIL#" + v, "SK": "LOCK" };
}

const lock = (value, id) => ({ ...lockKey(value), "userId": id });

// Creates an account. account has its other attributes.
export async function signUp(client, token, account, id, value) {
  // An old account may hold the value without a lock until this command passes:
  //   tallylock adopt email --verify
  // So keep your own check that no account holds the value, and do it first.
  const item = { ...account, ...accountKey(id), "email": value };
  await write(client, token, [
    [AccountExists, { Put: {
      TableName: "people",
      Item: item,
      ConditionExpression: "attribute_not_exists(#pk)",
      ExpressionAttributeNames: { "#pk": "PK" },
    } }],
    [ValueTaken, { Put: {
      TableName: "people",
      Item: lock(value, id),
      ConditionExpression: "attribute_not_exists(#pk)",
      ExpressionAttributeNames: { "#pk": "PK" },
    } }],
  ]);
}

// Changes the value of an account. from is the value that the account has now.
export async function changeValue(client, token, id, from, to) {
  // An old account may hold the new value without a lock until this command passes:
  //   tallylock adopt email --verify
  // So keep your own check that no account holds the new value, and do it first.
  const actions = [
    [AccountChanged, { Update: {
      TableName: "people",
      Key: accountKey(id),
      UpdateExpression: "SET #email = :new",
      ConditionExpression: "#email = :old",
      ExpressionAttributeNames: { "#email": "email" },
      ExpressionAttributeValues: { ":new": to, ":old": from },
    } }],
  ];
  if (lockValue(from) === lockValue(to)) {
    // Only the spelling changes, and a transaction must not name a lock twice.
    actions.push(
      [ValueTaken, { Put: {
        TableName: "people",
        Item: lock(to, id),
        ConditionExpression: "attribute_not_exists(#pk) OR #owner = :me",
        ExpressionAttributeNames: { "#owner": "userId", "#pk": "PK" },
        ExpressionAttributeValues: { ":me": id },
      } }],
    );
  } else {
    actions.push(
      [ValueTaken, { Put: {
        TableName: "people",
        Item: lock(to, id),
        ConditionExpression: "attribute_not_exists(#pk)",
        ExpressionAttributeNames: { "#pk": "PK" },
      } }],
      [LockMismatch, { Delete: {
        TableName: "people",
        Key: lockKey(from),
        ConditionExpression: "attribute_not_exists(#pk) OR #owner = :me",
        ExpressionAttributeNames: { "#owner": "userId", "#pk": "PK" },
        ExpressionAttributeValues: { ":me": id },
      } }],
    );
  }
  await write(client, token, actions);
}

// Deletes an account. value is the value that the account has now.
export async function deleteAccount(client, token, id, value) {
  await write(client, token, [
    [AccountChanged, { Delete: {
      TableName: "people",
      Key: accountKey(id),
      ConditionExpression: "#email = :old",
      ExpressionAttributeNames: { "#email": "email" },
      ExpressionAttributeValues: { ":old": value },
    } }],
    [LockMismatch, { Delete: {
      TableName: "people",
      Key: lockKey(value),
      ConditionExpression: "attribute_not_exists(#pk) OR #owner = :me",
      ExpressionAttributeNames: { "#owner": "userId", "#pk": "PK" },
      ExpressionAttributeValues: { ":me": id },
    } }],
  ]);
}

// Sends one transaction. Each action comes with the error of its condition.
async function write(client, token, actions) {
  try {
    await client.send(new TransactWriteCommand({
      TransactItems: actions.map(([, action]) => action),
      ClientRequestToken: token,
    }));
  } catch (error) {
    if (error instanceof TransactionCanceledException) {
      const n = error.CancellationReasons.findIndex((reason) => reason.Code === "ConditionalCheckFailed");
      if (n >= 0) throw new actions[n][0]("", { cause: error });
    }
    throw error; // TransactionConflict, for example: try again with the same token
  }
}
