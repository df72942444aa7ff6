package main

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"
)

// formatVerb answers every file's text as OPA's formatter writes it.
func formatVerb(_ context.Context, req *request) (any, error) {
	formatted := map[string]string{}
	var found []problem
	for name, text := range req.Files {
		out, err := format.SourceWithOpts(name, []byte(text), format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			found = append(found, problems(err)...)
			continue
		}
		formatted[name] = string(out)
	}
	if len(found) > 0 {
		sortProblems(found)
		return nil, problemList(found)
	}
	return map[string]any{"files": formatted}, nil
}
