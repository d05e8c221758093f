// Calls the functions of a snippet. Each line of the input is a call, and each line of the output is its result.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

const snippet = await import(pathToFileURL(process.argv[2]));
const client = DynamoDBDocumentClient.from(new DynamoDBClient({
  endpoint: process.argv[3], region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" },
}));
for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  let result = "ok";
  try {
    if (call.op === "LockValue") result = "=" + snippet.lockValue(...call.args);
    else if (call.op === "SignUp") await snippet.signUp(client, call.token, call.account, ...call.args);
    else if (call.op === "ChangeValue") await snippet.changeValue(client, call.token, ...call.args);
    else await snippet.deleteAccount(client, call.token, ...call.args);
  } catch (error) {
    const refused = ["AccountExists", "AccountChanged", "ValueTaken", "LockMismatch"].find((name) => error instanceof snippet[name]);
    result = refused ?? (error instanceof RangeError ? "NoValue" : String(error));
  }
  console.log(JSON.stringify(result));
}
