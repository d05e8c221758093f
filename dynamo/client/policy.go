package client

import (
	"fmt"
	"slices"
	"strings"
)

// Role is a set of tasks that a person does with tallylock.
type Role string

// The roles. Each role may also do the tasks of the roles above it.
const (
	Viewer   Role = "viewer"   // finds locks and reads counters
	Auditor  Role = "auditor"  // also reads whole tables: browsing and checks
	Operator Role = "operator" // also makes changes
)

// Roles lists the roles.
func Roles() []Role { return []Role{Viewer, Auditor, Operator} }

// Policy is an IAM policy document (IAM User Guide, "Grammar of the IAM JSON
// policy language").
type Policy struct {
	Version   string
	Statement []Statement
}

// Statement is one permission of a Policy.
type Statement struct {
	Sid       string
	Effect    string
	Action    []string
	Resource  []string
	Condition map[string]map[string][]string `json:",omitempty"`
}

// PolicyFor returns the smallest policy for a role on the given tables, or on all tables if none are given.
// The policy is valid for every account and Region in the partition of the given Region.
func PolicyFor(role Role, region string, tables []string) (Policy, error) {
	if !slices.Contains(Roles(), role) {
		return Policy{}, &Error{
			Kind: Usage,
			Op:   "writing a policy",
			Why:  fmt.Sprintf("there is no role %q", role),
			Do:   "use viewer, auditor or operator",
		}
	}
	if len(tables) == 0 {
		tables = []string{"*"}
	}
	var named, indexed []string
	for _, t := range tables {
		arn := t
		if !strings.HasPrefix(t, "arn:") {
			arn = "arn:" + partitionOf(region) + ":dynamodb:*:*:table/" + t
		}
		named, indexed = append(named, arn), append(indexed, arn, arn+"/index/*")
	}
	p := Policy{Version: "2012-10-17", Statement: []Statement{
		// ListTables cannot be limited to single tables.
		allow("ListTables", []string{"*"}, "ListTables"),
		allow("Read", indexed, "DescribeTable", "DescribeTimeToLive", "GetItem", "BatchGetItem", "Query"),
	}}
	if role != Viewer {
		p.Statement = append(p.Statement, allow("ReadWholeTables", indexed, "Scan"))
	}
	if role == Operator {
		write := allow("ChangeInTransactionsOnly", named, "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
		// Outside a transaction, a retried write could be applied twice. So the policy allows writes only
		// in transactions (Developer Guide, "Using IAM with DynamoDB transactions").
		write.Condition = map[string]map[string][]string{
			"ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": {"TransactWriteItems"}},
		}
		p.Statement = append(p.Statement, write)
	}
	return p, nil
}

// partitionOf returns the AWS partition of a Region, as it is written in ARNs (AWS General Reference,
// "ARNs").
func partitionOf(region string) string {
	for _, known := range [][2]string{
		{"cn-", "aws-cn"},
		{"us-gov-", "aws-us-gov"},
		{"eusc-", "aws-eusc"},
		{"us-iso-", "aws-iso"},
		{"us-isob-", "aws-iso-b"},
		{"eu-isoe-", "aws-iso-e"},
		{"us-isof-", "aws-iso-f"},
	} {
		if strings.HasPrefix(region, known[0]) {
			return known[1]
		}
	}
	return "aws"
}

// partition returns the AWS partition of the policy's tables. Their exports are in the same partition.
func (p *Policy) partition() string {
	for _, s := range p.Statement {
		for _, arn := range s.Resource {
			if parts := strings.SplitN(arn, ":", 3); len(parts) == 3 {
				return parts[1]
			}
		}
	}
	return partitionOf("")
}

// ReadExport lets the policy read the exports in a folder of a bucket, and in subfolders of this folder. If the given
// folder is directly below AWSDynamoDB, several exports may keep their data files together in AWSDynamoDB/data. The
// policy then also covers AWSDynamoDB/data.
func (p *Policy) ReadExport(bucket, folder string) {
	folders := []string{folder}
	if at := folder[:max(strings.LastIndexByte(folder, '/'), 0)]; at == sharedByExports ||
		strings.HasSuffix(at, "/"+sharedByExports) {
		folders = append(folders, at+"/data")
	}
	n := slices.IndexFunc(p.Statement, func(s Statement) bool { return s.Sid == readExports })
	if n < 0 {
		n = len(p.Statement)
		p.Statement = append(p.Statement, Statement{Sid: readExports, Effect: "Allow", Action: []string{"s3:GetObject"}})
	}
	of := &p.Statement[n]
	for _, folder := range folders {
		if arn := "arn:" + p.partition() + ":s3:::" + bucket + "/" + literal.Replace(folder) + "/*"; !slices.Contains(
			of.Resource,
			arn,
		) {
			of.Resource = append(of.Resource, arn)
		}
	}
}

// RunAthena lets the policy run the SQL of a check on Athena: in a workgroup and a database, with the results below a
// folder of a bucket. Athena reads the exports with the same permissions, so the policy also allows it to list their
// buckets.
func (p *Policy) RunAthena(workgroup, database, bucket, folder string) {
	arn := "arn:" + p.partition() + ":"
	objects := arn + "s3:::" + bucket + "/" + literal.Replace(folder+AthenaRuns) + "*"
	buckets := []string{arn + "s3:::" + bucket}
	for _, s := range p.Statement {
		for _, resource := range s.Resource {
			if of, _, ok := strings.Cut(strings.TrimPrefix(resource, arn+"s3:::"), "/"); ok && s.Sid == readExports {
				buckets = append(buckets, arn+"s3:::"+of)
			}
		}
	}
	slices.Sort(buckets)
	p.Statement = append(p.Statement,
		Statement{
			Sid: "RunStatements", Effect: "Allow",
			Action: []string{
				"athena:StartQueryExecution", "athena:GetQueryExecution", "athena:StopQueryExecution", "athena:GetQueryResults",
			},
			Resource: []string{arn + "athena:*:*:workgroup/" + literal.Replace(workgroup)},
		},
		Statement{
			Sid: "MakeOwnTables", Effect: "Allow",
			Action: []string{
				"glue:GetDatabase", "glue:GetTable", "glue:GetTables", "glue:GetPartitions", "glue:CreateTable", "glue:DeleteTable",
			},
			Resource: []string{
				arn + "glue:*:*:catalog", arn + "glue:*:*:database/" + database,
				arn + "glue:*:*:table/" + database + "/tallylock_*",
			},
		},
		// Athena asks for the database default, whatever database a statement names (Athena User Guide, "Configure access
		// to databases and tables in the AWS Glue Data Catalog").
		Statement{
			Sid: "AskForTheDefaultDatabase", Effect: "Allow", Action: []string{"glue:GetDatabase"},
			Resource: []string{arn + "glue:*:*:catalog", arn + "glue:*:*:database/default"},
		},
		Statement{
			Sid: "KeepOwnObjects", Effect: "Allow",
			Action:   []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"},
			Resource: []string{objects},
		},
		Statement{
			Sid: "ListBuckets", Effect: "Allow", Action: []string{"s3:ListBucket", "s3:GetBucketLocation"},
			Resource: slices.Compact(buckets),
		})
}

const (
	readExports     = "ReadExports"
	sharedByExports = "AWSDynamoDB" // the folder that DynamoDB makes below an export's prefix
)

// literal quotes the wildcards of a policy (IAM User Guide, "IAM policy elements: Variables and
// tags").
var literal = strings.NewReplacer("*", "${*}", "?", "${?}", "$", "${$}")

func allow(sid string, resources []string, actions ...string) Statement {
	s := Statement{Sid: sid, Effect: "Allow", Resource: resources}
	for _, a := range actions {
		s.Action = append(s.Action, "dynamodb:"+a)
	}
	return s
}

// Permits reports whether the policy allows an operation of the API on at least one resource.
func (p Policy) Permits(operation string) bool {
	needs := []string{operation}
	switch operation {
	case "TransactGetItems":
		needs = []string{"GetItem"}
	case "TransactWriteItems":
		needs = []string{"PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"}
	}
	for _, need := range needs {
		if !slices.ContainsFunc(p.Statement, func(s Statement) bool { return slices.Contains(s.Action, "dynamodb:"+need) }) {
			return false
		}
	}
	return true
}
