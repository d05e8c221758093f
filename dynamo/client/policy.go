package client

import (
	"fmt"
	"slices"
	"strings"
)

// Role is what somebody needs tallylock for.
type Role string

// The roles, each with all that the one before may do.
const (
	Viewer   Role = "viewer"   // point questions: find, counters
	Auditor  Role = "auditor"  // and reading whole tables: browsing, looks
	Operator Role = "operator" // and changes
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

// PolicyFor is the least policy for a role on the given tables, in any account
// and Region of the partition that a Region is in; on all tables where none are given.
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
		// ListTables knows no resources of its own.
		allow("ListTables", []string{"*"}, "ListTables"),
		allow("Read", indexed, "DescribeTable", "DescribeTimeToLive", "GetItem", "BatchGetItem", "Query"),
	}}
	if role != Viewer {
		p.Statement = append(p.Statement, allow("ReadWholeTables", indexed, "Scan"))
	}
	if role == Operator {
		write := allow("ChangeInTransactionsOnly", named, "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
		// A write outside of a transaction could be applied twice by a retry: IAM
		// itself does not let it through (Developer Guide, "Using IAM with DynamoDB
		// transactions").
		write.Condition = map[string]map[string][]string{
			"ForAnyValue:StringEquals": {"dynamodb:EnclosingOperation": {"TransactWriteItems"}},
		}
		p.Statement = append(p.Statement, write)
	}
	return p, nil
}

// partitionOf is the partition of AWS that a Region is in (AWS General Reference, "ARNs"):
// the ARNs of all that it has begin so.
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

// partition is that of the tables that the policy is for: their exports are in it, too.
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

// ReadExport lets the policy read the export in a folder of a bucket, or all that lie below
// it. Their files may lie beside them, in a folder that the exports of a prefix share.
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

const (
	readExports     = "ReadExports"
	sharedByExports = "AWSDynamoDB" // DynamoDB's own folder below a prefix
)

// literal writes what stands for other characters in a policy so that it stands for itself
// (IAM User Guide, "IAM policy elements: Variables and tags").
var literal = strings.NewReplacer("*", "${*}", "?", "${?}", "$", "${$}")

func allow(sid string, resources []string, actions ...string) Statement {
	s := Statement{Sid: sid, Effect: "Allow", Resource: resources}
	for _, a := range actions {
		s.Action = append(s.Action, "dynamodb:"+a)
	}
	return s
}

// Permits reports whether the policy lets an operation of the API through on
// some resource.
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
