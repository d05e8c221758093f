"""Keeps the constraint "email" of the table "people" unique, with boto3.

client is boto3.resource("dynamodb").meta.client, which takes Python values.
token makes retries safe. Make one token for each action of a user, such as
str(uuid.uuid4()), and pass the same token if you call a function again after
a timeout. DynamoDB remembers a token for 10 minutes.
"""


class AccountExists(Exception):
    """An account has this key already."""


class AccountChanged(Exception):
    """The account is gone or has another value. Read it again."""


class ValueTaken(Exception):
    """Another account has the value."""


class LockMismatch(Exception):
    """The lock of the old value names another account: two accounts hold it."""


def lock_value(v):
    """Returns the value as the lock's key has it. All writers must agree."""
    if not v:
        raise ValueError("the value is empty")
    return v


def account_key(id):
    return {"PK": "ACCT#" + id, "SK": "PROFILE"}


def lock_key(value):
    v = lock_value(value)
    return {"PK": "UNIQ#EMAIL#" + v, "SK": "LOCK"}


def lock(value, id):
    return {**lock_key(value), "userId": id}


def sign_up(client, token, account, id, value):
    """Creates an account. account has its other attributes."""
    # An old account may hold the value without a lock until this command passes:
    #   tallylock adopt email --verify
    # So keep your own check that no account holds the value, and do it first.
    item = {**account, **account_key(id), "email": value}
    write(client, token, [
        (AccountExists, {"Put": {
            "TableName": "people",
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {"#pk": "PK"},
        }}),
        (ValueTaken, {"Put": {
            "TableName": "people",
            "Item": lock(value, id),
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {"#pk": "PK"},
        }}),
    ])


def change_value(client, token, id, old, new):
    """Changes the value of an account. old is the value that the account has now."""
    # An old account may hold the new value without a lock until this command passes:
    #   tallylock adopt email --verify
    # So keep your own check that no account holds the new value, and do it first.
    actions = [
        (AccountChanged, {"Update": {
            "TableName": "people",
            "Key": account_key(id),
            "UpdateExpression": "SET #email = :new",
            "ConditionExpression": "#email = :old",
            "ExpressionAttributeNames": {"#email": "email"},
            "ExpressionAttributeValues": {":new": new, ":old": old},
        }}),
    ]
    if lock_value(old) == lock_value(new):
        # Only the spelling changes, and a transaction must not name a lock twice.
        actions += [
            (ValueTaken, {"Put": {
                "TableName": "people",
                "Item": lock(new, id),
                "ConditionExpression": "attribute_not_exists(#pk) OR #owner = :me",
                "ExpressionAttributeNames": {"#owner": "userId", "#pk": "PK"},
                "ExpressionAttributeValues": {":me": id},
            }}),
        ]
    else:
        actions += [
            (ValueTaken, {"Put": {
                "TableName": "people",
                "Item": lock(new, id),
                "ConditionExpression": "attribute_not_exists(#pk)",
                "ExpressionAttributeNames": {"#pk": "PK"},
            }}),
            (LockMismatch, {"Delete": {
                "TableName": "people",
                "Key": lock_key(old),
                "ConditionExpression": "attribute_not_exists(#pk) OR #owner = :me",
                "ExpressionAttributeNames": {"#owner": "userId", "#pk": "PK"},
                "ExpressionAttributeValues": {":me": id},
            }}),
        ]
    write(client, token, actions)


def delete_account(client, token, id, value):
    """Deletes an account. value is the value that the account has now."""
    write(client, token, [
        (AccountChanged, {"Delete": {
            "TableName": "people",
            "Key": account_key(id),
            "ConditionExpression": "#email = :old",
            "ExpressionAttributeNames": {"#email": "email"},
            "ExpressionAttributeValues": {":old": value},
        }}),
        (LockMismatch, {"Delete": {
            "TableName": "people",
            "Key": lock_key(value),
            "ConditionExpression": "attribute_not_exists(#pk) OR #owner = :me",
            "ExpressionAttributeNames": {"#owner": "userId", "#pk": "PK"},
            "ExpressionAttributeValues": {":me": id},
        }}),
    ])


def write(client, token, actions):
    """Sends one transaction. Each action comes with the error of its condition."""
    try:
        client.transact_write_items(
            TransactItems=[action for _, action in actions], ClientRequestToken=token
        )
    except client.exceptions.TransactionCanceledException as error:
        for (refused, _), reason in zip(actions, error.response["CancellationReasons"]):
            if reason["Code"] == "ConditionalCheckFailed":
                raise refused() from error
        raise  # TransactionConflict, for example: try again with the same token
