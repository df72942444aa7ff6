package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/compile"
)

type compiled struct {
	Wasm []byte `json:"wasm"`
	// Reads are the paths below input the decision depends on; null when that cannot be said.
	Reads            [][]string `json:"reads"`
	Nondeterministic bool       `json:"nondeterministic"`
	Rules            []string   `json:"rules"`
	Builtins         []string   `json:"builtins"`
	// Data is the data document as JSON text: its numbers survive readers that would round them.
	Data string `json:"data"`
}

// prepare loads the policy without its tests and checks everything short of code generation.
func prepare(ctx context.Context, req *request) (*source, *ast.Compiler, error) {
	s, err := load(req, false)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkContract(); err != nil {
		return nil, nil, err
	}
	s.addDecision()
	c, err := s.compiler(ctx, false)
	return s, c, err
}

func compileVerb(ctx context.Context, req *request) (any, error) {
	s, c, err := prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	wasm, err := s.wasm(ctx)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(s.data)
	if err != nil {
		return nil, err
	}
	out := compiled{Wasm: wasm, Rules: s.definedRules(), Builtins: []string{}, Data: string(data)}
	for _, b := range c.Required.Builtins {
		out.Builtins = append(out.Builtins, b.Name)
		out.Nondeterministic = out.Nondeterministic || nondeterministic(s.caps, b.Name)
	}
	paths, whole := inputPaths(reachable(c, decisionRules(c)))
	if !whole && !out.Nondeterministic {
		out.Reads = paths
	}
	return out, nil
}

func decisionRules(c *ast.Compiler) []*ast.Rule {
	return c.GetRulesDynamic(ast.MustParseRef(decisionQuery))
}

func nondeterministic(caps *ast.Capabilities, name string) bool {
	return slices.ContainsFunc(caps.Builtins, func(b *ast.Builtin) bool {
		return b.Name == name && b.Nondeterministic
	})
}

func (s *source) wasm(ctx context.Context) ([]byte, error) {
	b := &bundle.Bundle{Data: map[string]any{}}
	b.SetRegoVersion(ast.RegoV1)
	b.Manifest.Init()
	names := make([]string, 0, len(s.modules))
	for name := range s.modules {
		names = append(names, name)
	}
	// In order: the same policy gives the same bytes.
	slices.Sort(names)
	for _, name := range names {
		b.Modules = append(b.Modules, bundle.ModuleFile{URL: name, Path: name, Parsed: s.modules[name]})
	}
	c := compile.New().
		WithBundle(b).
		WithCapabilities(s.caps).
		WithTarget(compile.TargetWasm).
		WithRegoVersion(ast.RegoV1).
		WithEntrypoints(entrypoint)
	if err := c.Build(ctx); err != nil {
		return nil, err
	}
	return c.Bundle().WasmModules[0].Raw, nil
}
