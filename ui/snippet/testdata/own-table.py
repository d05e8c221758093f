"""Keeps the constraint "email" of the table "users" unique, with boto3.

client is boto3.resource("dynamodb").meta.client, which takes Python values.
token makes retries safe. Make one token for each action of a user, such as
str(uuid.uuid4()), and pass the same token if you call a function again after
a timeout. DynamoDB remembers a token for 10 minutes.
"""
import unicodedata


class AccountExists(Exception):
    """An account has this key already."""


class AccountChanged(Exception):
    """The account is gone or has another value. Read it again."""


class ValueTaken(Exception):
    """Another account has the value."""


class LockMismatch(Exception):
    """The lock of the old value is missing or names another account."""


# White space as JavaScript and tallylock define it. Python's own differs.
WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def lock_value(v):
    """Returns the value as the lock's key has it. All writers must agree."""
    v = v.strip(WHITE_SPACE)
    v = v.lower()
    v = unicodedata.normalize("NFC", v)
    if not v:
        raise ValueError("the value is empty")
    return v


def account_key(id):
    return {"id": id}


def lock_key(value):
    v = lock_value(value)
    return {"value": v}


def lock(value, id):
    return {**lock_key(value), "user": id}


def sign_up(client, token, account, id, value):
    """Creates an account. account has its other attributes."""
    item = {**account, **account_key(id), "email": value}
    write(client, token, [
        (AccountExists, {"Put": {
            "TableName": "users",
            "Item": item,
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {"#pk": "id"},
        }}),
        (ValueTaken, {"Put": {
            "TableName": "emails",
            "Item": lock(value, id),
            "ConditionExpression": "attribute_not_exists(#pk)",
            "ExpressionAttributeNames": {"#pk": "value"},
        }}),
    ])


def change_value(client, token, id, old, new):
    """Changes the value of an account. old is the value that the account has now."""
    actions = [
        (AccountChanged, {"Update": {
            "TableName": "users",
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
            (LockMismatch, {"ConditionCheck": {
                "TableName": "emails",
                "Key": lock_key(new),
                "ConditionExpression": "#owner = :me",
                "ExpressionAttributeNames": {"#owner": "user"},
                "ExpressionAttributeValues": {":me": id},
            }}),
        ]
    else:
        actions += [
            (ValueTaken, {"Put": {
                "TableName": "emails",
                "Item": lock(new, id),
                "ConditionExpression": "attribute_not_exists(#pk)",
                "ExpressionAttributeNames": {"#pk": "value"},
            }}),
            (LockMismatch, {"Delete": {
                "TableName": "emails",
                "Key": lock_key(old),
                "ConditionExpression": "#owner = :me",
                "ExpressionAttributeNames": {"#owner": "user"},
                "ExpressionAttributeValues": {":me": id},
            }}),
        ]
    write(client, token, actions)


def delete_account(client, token, id, value):
    """Deletes an account. value is the value that the account has now."""
    write(client, token, [
        (AccountChanged, {"Delete": {
            "TableName": "users",
            "Key": account_key(id),
            "ConditionExpression": "#email = :old",
            "ExpressionAttributeNames": {"#email": "email"},
            "ExpressionAttributeValues": {":old": value},
        }}),
        (LockMismatch, {"Delete": {
            "TableName": "emails",
            "Key": lock_key(value),
            "ConditionExpression": "#owner = :me",
            "ExpressionAttributeNames": {"#owner": "user"},
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
