package report

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"html/template"
	"io"
	"sync"

	"tallylock/dynamo/phrase"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// page is the template of the page. What it shows of a table is text: the template
// escapes it, and the page's own policy runs no script and takes no style but these two,
// and fetches nothing.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"number": phrase.Number[int],
		"style":  func() template.CSS { return template.CSS(pageStyle) },
		"script": func() template.JS { return template.JS(pageScript) },
		"policy": func() string {
			return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(pageStyle) + "'; script-src '" + digest(pageScript) + "'"
		},
	}).Parse(pageText))
})

// digest is how a content security policy names what stands in a page.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func writePage(w io.Writer, d document) error { return page().Execute(w, d) }
