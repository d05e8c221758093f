package embedded

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// parser parses the elements of conditions, updates and projections: paths, :values and the arguments of
// functions.
type parser struct {
	tokenReader
	subs *substitutions
	// attributes are the top-level attributes in the expression.
	attributes map[string]bool
}

func newParser(kind, text string, subs *substitutions) *parser {
	p := &parser{tokenReader: tokenReader{kind: kind}, subs: subs, attributes: map[string]bool{}}
	tokens, err := tokenize(text)
	if p.tokens = tokens; err != nil {
		p.fail("%s", asAPIError(err).message)
	}
	return p
}

// arguments parses the operands of a function, and its closing parenthesis. want is the number of operands.
func (p *parser) arguments(name string, want int, read func() operand) []operand {
	args := []operand{}
	for !p.symbol(")") && p.err == nil {
		if len(args) > 0 {
			p.expect(",")
		}
		args = append(args, read())
	}
	if len(args) != want {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
			name, len(args))
	}
	for len(args) < want { // the caller may index the operands, even after an error
		args = append(args, literal{})
	}
	return args
}

// literal parses a :placeholder and returns its value.
func (p *parser) literal() literal {
	t := p.next()
	if t.kind != tokenValue {
		p.at = max(0, p.at-1)
		p.syntax()
		return literal{}
	}
	v, ok := p.subs.values[t.text]
	if !ok {
		p.fail("An expression attribute value used in expression is not defined; attribute value: %s", t.text)
	}
	p.subs.usedValues[t.text] = true
	return literal(v)
}

// path parses a document path: name.name[1].name.
func (p *parser) path() path {
	var out path
	for {
		out = append(out, step{name: p.name()})
		for p.symbol("[") {
			t := p.next()
			n, err := strconv.ParseInt(t.text, 10, 32)
			if t.kind != tokenNumber || err != nil {
				p.fail("List index is not within the allowable range; index: [%s]", t.text)
			}
			p.expect("]")
			out = append(out, step{index: int(n), isIndex: true})
		}
		if len(out) > maxDepth {
			p.fail("The document path has too many nesting elements; nesting levels: %d", len(out))
		}
		if !p.symbol(".") {
			p.attributes[out[0].name] = true
			return out
		}
	}
}

func (p *parser) name() string {
	switch t := p.peek(); t.kind {
	case tokenWord:
		if isReserved(t.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", t.text)
		}
		return p.next().text
	case tokenName:
		name, ok := p.subs.names[t.text]
		if !ok {
			p.fail("An expression attribute name used in the document path is not defined; attribute name: %s", t.text)
		}
		p.subs.usedNames[p.next().text] = true
		return name
	}
	p.syntax()
	return ""
}

// token is a piece of an expression.
type token struct {
	kind tokenKind
	text string
}

type tokenKind byte

const (
	tokenEnd    tokenKind = iota
	tokenWord             // an attribute's name, a keyword or a function
	tokenName             // #placeholder
	tokenValue            // :placeholder
	tokenNumber           // index of a list element
	tokenSymbol           // operators and punctuation
)

const maxExpression = 4096

// tokenize splits an expression into tokens. The last token is tokenEnd.
func tokenize(text string) ([]token, error) {
	if strings.TrimSpace(text) == "" {
		return nil, invalid("The expression can not be empty;")
	}
	if len(text) > maxExpression {
		return nil, invalid("Expression size has exceeded the maximum allowed size; expression size: %d", len(text))
	}
	tokens := make([]token, 0, len(text)/4+2)
	for at := 0; at < len(text); {
		c := text[at]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' {
			at++
			continue
		}
		t := lex(text[at:])
		if t.kind == tokenEnd {
			return nil, invalid("Syntax error; token: %q, near: %q", text[at:at+1], text[max(0, at-10):min(len(text), at+10)])
		}
		tokens = append(tokens, t)
		at += len(t.text)
	}
	return append(tokens, token{kind: tokenEnd, text: "<EOF>"}), nil
}

// lex returns the first token of s. It returns tokenEnd if s does not begin with a token.
func lex(s string) token {
	c := s[0]
	switch {
	case isLetter(c):
		return token{tokenWord, wordAt(s, 0)}
	case isDigit(c):
		return token{tokenNumber, s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]}
	case c == '#' || c == ':':
		kind := tokenName
		if c == ':' {
			kind = tokenValue
		}
		if name := wordAt(s, 1); len(name) > 1 {
			return token{kind, name}
		}
		return token{}
	case strings.HasPrefix(s, "<=") || strings.HasPrefix(s, ">=") || strings.HasPrefix(s, "<>"):
		return token{tokenSymbol, s[:2]}
	case strings.IndexByte("=<>(),.[]+-", c) >= 0:
		return token{tokenSymbol, s[:1]}
	}
	return token{}
}

// wordAt returns s up to the end of the word that begins at i.
func wordAt(s string, i int) string {
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i])) {
		i++
	}
	return s[:i]
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

const maxOperators = 300

// tokenReader steps through the tokens of an expression. It keeps the first error. After an error, every
// read finds the end of the expression. So one call of finish at the end is enough.
type tokenReader struct {
	kind      string // the name of the request's parameter, for messages
	tokens    []token
	at        int
	depth     int
	operators int
	err       error
}

// fail records an error, unless there is one already.
func (p *tokenReader) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid("Invalid "+p.kind+": "+format, args...)
	}
	p.tokens, p.at = []token{{kind: tokenEnd, text: "<EOF>"}}, 0
}

func (p *tokenReader) syntax() { p.fail("Syntax error; token: %q", p.peek().text) }

// finish returns the first error. Tokens after the end of the parsed expression are an error, too.
func (p *tokenReader) finish() error {
	if p.peek().kind != tokenEnd {
		p.syntax()
	}
	return p.err
}

func (p *tokenReader) peek() token { return p.tokens[p.at] }

// ahead returns the token after the next one.
func (p *tokenReader) ahead() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *tokenReader) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// symbol reads the symbol s and returns true if s is the next token. Otherwise it reads nothing.
func (p *tokenReader) symbol(s string) bool {
	if t := p.peek(); t.kind != tokenSymbol || t.text != s {
		return false
	}
	p.at++
	return true
}

func (p *tokenReader) expect(s string) {
	if !p.symbol(s) {
		p.syntax()
	}
}

// keyword reads a keyword and returns true if the keyword is the next token. Case does not matter.
func (p *tokenReader) keyword(word string) bool {
	if t := p.peek(); t.kind != tokenWord || !strings.EqualFold(t.text, word) {
		return false
	}
	p.at++
	return true
}

// function reads the name of a function and its opening parenthesis. It returns false if the next tokens
// are something else.
func (p *tokenReader) function() (string, bool) {
	t := p.peek()
	if t.kind != tokenWord || p.ahead() != (token{tokenSymbol, "("}) {
		return "", false
	}
	p.operator()
	p.at = min(p.at+2, len(p.tokens)-1)
	return t.text, true
}

// operator counts one operator or function. More than maxOperators are an error.
func (p *tokenReader) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: %d", p.operators)
	}
}

// nest limits the depth of the parser's recursion. The caller defers the returned function.
func (p *tokenReader) nest() func() {
	if p.depth++; p.depth > maxOperators {
		p.fail("The expression is nested too deeply")
	}
	return func() { p.depth-- }
}

const maxSubstitutionName = 255

// substitutions are the #names and :values of a request. All expressions of the request share them. Each
// name and value must be used at least once.
type substitutions struct {
	names      map[string]string
	values     map[string]value
	usedNames  map[string]bool
	usedValues map[string]bool
}

func newSubstitutions(names map[string]string, values map[string]value) (*substitutions, error) {
	if names != nil && len(names) == 0 {
		return nil, invalid("ExpressionAttributeNames must not be empty")
	}
	if values != nil && len(values) == 0 {
		return nil, invalid("ExpressionAttributeValues must not be empty")
	}
	for _, key := range sortedKeys(names) {
		if !isPlaceholder(key, '#') {
			return nil, invalid("ExpressionAttributeNames contains invalid key: Syntax error; key: %q", key)
		}
		if names[key] == "" {
			return nil, invalid("ExpressionAttributeNames contains invalid value: The name of %s is empty", key)
		}
	}
	for _, key := range sortedKeys(values) {
		if !isPlaceholder(key, ':') {
			return nil, invalid("ExpressionAttributeValues contains invalid key: Syntax error; key: %q", key)
		}
		if values[key].kind == kindNone { // the value is a JSON null
			return nil, invalid("ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty; key: %s",
				key)
		}
	}
	return &substitutions{names, values, map[string]bool{}, map[string]bool{}}, nil
}

func isPlaceholder(s string, mark byte) bool {
	return len(s) > 1 && len(s) <= maxSubstitutionName && s[0] == mark && wordAt(s, 1) == s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// allUsed returns an error if some name or value was used in no expression.
func (s *substitutions) allUsed() error {
	if unused := missingFrom(s.usedNames, s.names); unused != "" {
		return invalid("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", unused)
	}
	if unused := missingFrom(s.usedValues, s.values); unused != "" {
		return invalid("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", unused)
	}
	return nil
}

func missingFrom[V any](used map[string]bool, given map[string]V) string {
	if len(used) == len(given) {
		return ""
	}
	unused := slices.DeleteFunc(sortedKeys(given), func(key string) bool { return used[key] })
	return strings.Join(unused, ", ")
}

// isReserved reports whether a word is reserved. An expression may not use a reserved word as an
// attribute's name. Case does not matter.
func isReserved(word string) bool {
	_, found := slices.BinarySearch(reserved, strings.ToUpper(word))
	return found
}

// reserved has the reserved words in the DynamoDB developer guide, with the guide's misspellings.
var reserved = strings.Fields(`
ABORT ABSOLUTE ACTION ADD AFTER AGENT AGGREGATE ALL ALLOCATE ALTER ANALYZE AND ANY ARCHIVE ARE ARRAY AS ASC
ASCII ASENSITIVE ASSERTION ASYMMETRIC AT ATOMIC ATTACH ATTRIBUTE AUTH AUTHORIZATION AUTHORIZE AUTO AVG BACK
BACKUP BASE BATCH BEFORE BEGIN BETWEEN BIGINT BINARY BIT BLOB BLOCK BOOLEAN BOTH BREADTH BUCKET BULK BY BYTE
CALL CALLED CALLING CAPACITY CASCADE CASCADED CASE CAST CATALOG CHAR CHARACTER CHECK CLASS CLOB CLOSE CLUSTER
CLUSTERED CLUSTERING CLUSTERS COALESCE COLLATE COLLATION COLLECTION COLUMN COLUMNS COMBINE COMMENT COMMIT
COMPACT COMPILE COMPRESS CONDITION CONFLICT CONNECT CONNECTION CONSISTENCY CONSISTENT CONSTRAINT CONSTRAINTS
CONSTRUCTOR CONSUMED CONTINUE CONVERT COPY CORRESPONDING COUNT COUNTER CREATE CROSS CUBE CURRENT CURSOR CYCLE
DATA DATABASE DATE DATETIME DAY DEALLOCATE DEC DECIMAL DECLARE DEFAULT DEFERRABLE DEFERRED DEFINE DEFINED
DEFINITION DELETE DELIMITED DEPTH DEREF DESC DESCRIBE DESCRIPTOR DETACH DETERMINISTIC DIAGNOSTICS DIRECTORIES
DISABLE DISCONNECT DISTINCT DISTRIBUTE DO DOMAIN DOUBLE DROP DUMP DURATION DYNAMIC EACH ELEMENT ELSE ELSEIF
EMPTY ENABLE END EQUAL EQUALS ERROR ESCAPE ESCAPED EVAL EVALUATE EXCEEDED EXCEPT EXCEPTION EXCEPTIONS
EXCLUSIVE EXEC EXECUTE EXISTS EXIT EXPLAIN EXPLODE EXPORT EXPRESSION EXTENDED EXTERNAL EXTRACT FAIL FALSE
FAMILY FETCH FIELDS FILE FILTER FILTERING FINAL FINISH FIRST FIXED FLATTERN FLOAT FOR FORCE FOREIGN FORMAT
FORWARD FOUND FREE FROM FULL FUNCTION FUNCTIONS GENERAL GENERATE GET GLOB GLOBAL GO GOTO GRANT GREATER GROUP
GROUPING HANDLER HASH HAVE HAVING HEAP HIDDEN HOLD HOUR IDENTIFIED IDENTITY IF IGNORE IMMEDIATE IMPORT IN
INCLUDING INCLUSIVE INCREMENT INCREMENTAL INDEX INDEXED INDEXES INDICATOR INFINITE INITIALLY INLINE INNER
INNTER INOUT INPUT INSENSITIVE INSERT INSTEAD INT INTEGER INTERSECT INTERVAL INTO INVALIDATE IS ISOLATION ITEM
ITEMS ITERATE JOIN KEY KEYS LAG LANGUAGE LARGE LAST LATERAL LEAD LEADING LEAVE LEFT LENGTH LESS LEVEL LIKE
LIMIT LIMITED LINES LIST LOAD LOCAL LOCALTIME LOCALTIMESTAMP LOCATION LOCATOR LOCK LOCKS LOG LOGED LONG LOOP
LOWER MAP MATCH MATERIALIZED MAX MAXLEN MEMBER MERGE METHOD METRICS MIN MINUS MINUTE MISSING MOD MODE MODIFIES
MODIFY MODULE MONTH MULTI MULTISET NAME NAMES NATIONAL NATURAL NCHAR NCLOB NEW NEXT NO NONE NOT NULL NULLIF
NUMBER NUMERIC OBJECT OF OFFLINE OFFSET OLD ON ONLINE ONLY OPAQUE OPEN OPERATOR OPTION OR ORDER ORDINALITY
OTHER OTHERS OUT OUTER OUTPUT OVER OVERLAPS OVERRIDE OWNER PAD PARALLEL PARAMETER PARAMETERS PARTIAL PARTITION
PARTITIONED PARTITIONS PATH PERCENT PERCENTILE PERMISSION PERMISSIONS PIPE PIPELINED PLAN POOL POSITION
PRECISION PREPARE PRESERVE PRIMARY PRIOR PRIVATE PRIVILEGES PROCEDURE PROCESSED PROJECT PROJECTION PROPERTY
PROVISIONING PUBLIC PUT QUERY QUIT QUORUM RAISE RANDOM RANGE RANK RAW READ READS REAL REBUILD RECORD RECURSIVE
REDUCE REF REFERENCE REFERENCES REFERENCING REGEXP REGION REINDEX RELATIVE RELEASE REMAINDER RENAME REPEAT
REPLACE REQUEST RESET RESIGNAL RESOURCE RESPONSE RESTORE RESTRICT RESULT RETURN RETURNING RETURNS REVERSE
REVOKE RIGHT ROLE ROLES ROLLBACK ROLLUP ROUTINE ROW ROWS RULE RULES SAMPLE SATISFIES SAVE SAVEPOINT SCAN
SCHEMA SCOPE SCROLL SEARCH SECOND SECTION SEGMENT SEGMENTS SELECT SELF SEMI SENSITIVE SEPARATE SEQUENCE
SERIALIZABLE SESSION SET SETS SHARD SHARE SHARED SHORT SHOW SIGNAL SIMILAR SIZE SKEWED SMALLINT SNAPSHOT SOME
SOURCE SPACE SPACES SPARSE SPECIFIC SPECIFICTYPE SPLIT SQL SQLCODE SQLERROR SQLEXCEPTION SQLSTATE SQLWARNING
START STATE STATIC STATUS STORAGE STORE STORED STREAM STRING STRUCT STYLE SUB SUBMULTISET SUBPARTITION
SUBSTRING SUBTYPE SUM SUPER SYMMETRIC SYNONYM SYSTEM TABLE TABLESAMPLE TEMP TEMPORARY TERMINATED TEXT THAN
THEN THROUGHPUT TIME TIMESTAMP TIMEZONE TINYINT TO TOKEN TOTAL TOUCH TRAILING TRANSACTION TRANSFORM TRANSLATE
TRANSLATION TREAT TRIGGER TRIM TRUE TRUNCATE TTL TUPLE TYPE UNDER UNDO UNION UNIQUE UNIT UNKNOWN UNLOGGED
UNNEST UNPROCESSED UNSIGNED UNTIL UPDATE UPPER URL USAGE USE USER USERS USING UUID VACUUM VALUE VALUED VALUES
VARCHAR VARIABLE VARIANCE VARINT VARYING VIEW VIEWS VIRTUAL VOID WAIT WHEN WHENEVER WHERE WHILE WINDOW WITH
WITHIN WITHOUT WORK WRAPPED WRITE YEAR ZONE
`)
