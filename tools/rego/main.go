// Command regotool is the Rego toolchain of the gateway: Open Policy Agent's own compiler, test runner,
// formatter and evaluator behind one JSON request on stdin and one JSON answer on stdout. It touches no files.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/open-policy-agent/opa/v1/util"
)

// request is what stdin holds. Files maps a name (as it appears in errors) to Rego text.
type request struct {
	Verb         string            `json:"verb"`
	Files        map[string]string `json:"files"`
	Data         []dataFile        `json:"data"`
	Capabilities []string          `json:"capabilities"`
	// Inputs and Now (nanoseconds since the epoch) belong to "eval".
	Inputs []any       `json:"inputs"`
	Now    json.Number `json:"now"`
}

// answer is what stdout gets: problems, or a result whose shape depends on the verb.
type answer struct {
	Errors []problem `json:"errors,omitempty"`
	Result any       `json:"result,omitempty"`
}

var verbs = map[string]func(context.Context, *request) (any, error){
	"compile": compileVerb,
	"check":   checkVerb,
	"test":    testVerb,
	"fmt":     formatVerb,
	"eval":    evalVerb,
}

func run(in io.Reader) answer {
	var req request
	if err := util.NewJSONDecoder(in).Decode(&req); err != nil {
		return answer{Errors: []problem{{Code: "request", Message: err.Error()}}}
	}
	verb, ok := verbs[req.Verb]
	if !ok {
		return answer{Errors: []problem{{Code: "request", Message: fmt.Sprintf("unknown verb %q", req.Verb)}}}
	}
	result, err := verb(context.Background(), &req)
	if err != nil {
		return answer{Errors: problems(err)}
	}
	return answer{Result: result}
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	if err := out.Encode(run(os.Stdin)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
