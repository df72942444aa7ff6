package main

import (
	"context"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
)

type checked struct {
	Warnings []problem `json:"warnings"`
}

// checkVerb finds everything `compile` would refuse, the errors of test files too, and what is only suspicious.
func checkVerb(ctx context.Context, req *request) (any, error) {
	s, c, err := prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	if _, err := s.wasm(ctx); err != nil {
		return nil, err
	}
	if err := checkTests(ctx, req); err != nil {
		return nil, err
	}
	return checked{Warnings: append(s.strictWarnings(ctx), unlistedArguments(c)...)}, nil
}

func checkTests(ctx context.Context, req *request) error {
	s, err := load(req, true)
	if err != nil {
		return err
	}
	_, err = s.compiler(ctx, false)
	return err
}

// strictWarnings are what OPA's strict mode objects to: unused imports and variables, deprecated builtins.
func (s *source) strictWarnings(ctx context.Context) []problem {
	_, err := s.compiler(ctx, true)
	var errs ast.Errors
	if errors.As(err, &errs) {
		return fromAST(errs)
	}
	return []problem{}
}

// unlistedArguments warns of allowing rules that need arguments when the package never looks at the phase:
// lists carry no arguments, so what such a rule allows would never be shown to anyone.
func unlistedArguments(c *ast.Compiler) []problem {
	var suspects []problem
	mentionsPhase := false
	for _, m := range c.Modules {
		if !m.Package.Path.Equal(gatewayPath) {
			continue
		}
		for _, r := range m.Rules {
			mentionsPhase = mentionsPhase || reads([]*ast.Rule{r}, "phase")
			if ruleName(r) == "allow" && reads(reachable(c, []*ast.Rule{r}), "arguments") {
				suspects = append(suspects, at(r.Location, "unlisted_arguments",
					"this rule reads input.arguments, which lists do not have: without a rule for input.phase == \"list\" what it allows is hidden"))
			}
		}
	}
	if mentionsPhase {
		return nil
	}
	sortProblems(suspects)
	return suspects
}

func reads(rules []*ast.Rule, member string) bool {
	paths, _ := inputPaths(rules)
	for _, p := range paths {
		if len(p) > 0 && p[0] == member {
			return true
		}
	}
	return false
}
