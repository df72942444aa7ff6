package main

import (
	"context"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"
)

// evaluation is one answer of OPA's own evaluator: a value, an error, or neither when undefined.
type evaluation struct {
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

// evalVerb decides the inputs with topdown instead of the compiled module: the yardstick of differential tests.
func evalVerb(ctx context.Context, req *request) (any, error) {
	s, c, err := prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	query, err := rego.New(rego.Compiler(c), rego.Store(s.store()), rego.Query(decisionQuery)).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	now, err := moment(req)
	if err != nil {
		return nil, err
	}
	answers := make([]evaluation, 0, len(req.Inputs))
	for _, input := range req.Inputs {
		rs, err := query.Eval(ctx, rego.EvalInput(input), rego.EvalTime(now))
		switch {
		case err != nil:
			answers = append(answers, evaluation{Error: err.Error()})
		case len(rs) == 0:
			answers = append(answers, evaluation{})
		default:
			answers = append(answers, evaluation{Value: rs[0].Expressions[0].Value})
		}
	}
	return map[string]any{"answers": answers}, nil
}

func moment(req *request) (time.Time, error) {
	if req.Now == "" {
		return time.Now(), nil
	}
	ns, err := req.Now.Int64()
	return time.Unix(0, ns), err
}
