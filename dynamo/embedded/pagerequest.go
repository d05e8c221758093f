package embedded

// pageRequest is what Query and Scan have in common.
type pageRequest struct {
	legacy
	TableName                 string
	IndexName                 string
	Select                    string
	ConsistentRead            bool
	ExclusiveStartKey         item
	Limit                     *int
	FilterExpression          *string
	ProjectionExpression      *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
	ReturnConsumedCapacity    capacityDetail
}

type queryRequest struct {
	pageRequest
	KeyConditionExpression *string
	ScanIndexForward       *bool
}

type scanRequest struct {
	pageRequest
	Segment       *int
	TotalSegments *int
}
