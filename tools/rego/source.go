package main

import (
	"context"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

const testSuffix = "_test.rego"

// source is a parsed request: modules by file name, the merged data, and what the compiler may use.
type source struct {
	modules map[string]*ast.Module
	data    map[string]any
	caps    *ast.Capabilities
}

// load parses the request's files; tests are left out unless asked for.
func load(req *request, withTests bool) (*source, error) {
	s := &source{modules: map[string]*ast.Module{}, caps: capabilities(req.Capabilities)}
	var found []problem
	for name, text := range req.Files {
		if !withTests && strings.HasSuffix(name, testSuffix) {
			continue
		}
		module, err := ast.ParseModuleWithOpts(name, text, ast.ParserOptions{RegoVersion: ast.RegoV1, Capabilities: s.caps})
		if err != nil {
			found = append(found, problems(err)...)
			continue
		}
		s.modules[name] = module
	}
	data, clashes := mergeData(req.Data)
	s.data = data
	if found = append(found, clashes...); len(found) > 0 {
		sortProblems(found)
		return nil, problemList(found)
	}
	return s, nil
}

// capabilities keeps of OPA's builtins the named ones, so that its compiler refuses every other with file and line.
// What the language itself compiles to is always there; remote schemas never are.
func capabilities(names []string) *ast.Capabilities {
	caps := ast.CapabilitiesForThisVersion()
	caps.AllowNet = []string{}
	caps.Builtins = slices.DeleteFunc(caps.Builtins, func(b *ast.Builtin) bool {
		return !strings.HasPrefix(b.Name, "internal.") && !slices.Contains(names, b.Name)
	})
	return caps
}

func (s *source) store() storage.Store {
	return inmem.NewFromObject(s.data)
}

// compiler type-checks the modules. Data that lies where a rule lies is an error, as in OPA.
func (s *source) compiler(ctx context.Context, strict bool) (*ast.Compiler, error) {
	store := s.store()
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Abort(ctx, txn)
	c := ast.NewCompiler().
		WithCapabilities(s.caps).
		WithStrict(strict).
		WithEnablePrintStatements(false).
		WithPathConflictsCheck(storage.NonEmpty(ctx, store, txn)).
		SetErrorLimit(0)
	c.Compile(s.modules)
	if c.Failed() {
		return nil, c.Errors
	}
	return c, nil
}
