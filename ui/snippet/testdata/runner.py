"""Calls the functions of a snippet. Each line of the input is a call, and each line of the output is its result."""
import importlib.util
import json
import sys

import boto3

spec = importlib.util.spec_from_file_location("snippet", sys.argv[1])
snippet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(snippet)
client = boto3.resource(
    "dynamodb", endpoint_url=sys.argv[2], region_name="us-east-1",
    aws_access_key_id="a", aws_secret_access_key="b",
).meta.client
for line in sys.stdin:
    call = json.loads(line)
    result = "ok"
    try:
        if call["op"] == "LockValue":
            result = "=" + snippet.lock_value(*call["args"])
        elif call["op"] == "SignUp":
            snippet.sign_up(client, call["token"], call["account"], *call["args"])
        elif call["op"] == "ChangeValue":
            snippet.change_value(client, call["token"], *call["args"])
        else:
            snippet.delete_account(client, call["token"], *call["args"])
    except ValueError:
        result = "NoValue"
    except Exception as error:
        result = type(error).__name__
        if result not in dir(snippet):
            result += ": " + str(error)
    print(json.dumps(result), flush=True)
