// Command client is the Go SDK as a client: reads targets from stdin, writes one JSON line for each feature tried.
//
//	client VERSION    the newest protocol version it asks for
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// For a message, and for an answer: a server may have to be started first.
	patience = 3 * time.Second
	start    = 20 * time.Second
	name     = "Ωmega"
)

// An offer is what the server has for a feature; each feature uses some of it.
type offer struct {
	Name      string
	Arguments map[string]any
	Expect    string
	Steps     int
	Logged    string
	URI       string
	Argument  mcp.CompleteParamsArgument
}

type target struct {
	ID      string
	URL     string
	SSE     bool
	Command string
	Args    []string
	Env     map[string]string
	Offers  map[string]offer
}

// A tried server: one connection, and what it has sent besides its answers.
type tried struct {
	session *mcp.ClientSession
	mu      sync.Mutex
	logged  strings.Builder
	steps   int
}

func check(result any, err error, expected string) error {
	if err != nil {
		return err
	}
	body, err := json.Marshal(result)
	if err != nil {
		return err
	}
	call, isCall := result.(*mcp.CallToolResult)
	if isCall && call.IsError || !strings.Contains(string(body), expected) {
		return fmt.Errorf("unexpected: %.300s", body)
	}
	return nil
}

func until(condition func() bool) error {
	for end := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("nothing came in time")
		}
	}
	return nil
}

func exists(file string) func() bool {
	return func() bool { _, err := os.Stat(file); return err == nil }
}

func (t *tried) call(ctx context.Context, o offer) error {
	params := &mcp.CallToolParams{Name: o.Name, Arguments: o.Arguments}
	result, err := t.session.CallTool(ctx, params)
	return check(result, err, o.Expect)
}

func (t *tried) tools(ctx context.Context, o offer) error {
	result, err := t.session.ListTools(ctx, nil)
	return check(result, err, `"`+o.Name+`"`)
}

func (t *tried) progress(ctx context.Context, o offer) error {
	params := &mcp.CallToolParams{Name: o.Name, Arguments: o.Arguments}
	params.Meta = mcp.Meta{}
	params.SetProgressToken("token")
	result, err := t.session.CallTool(ctx, params)
	if err := check(result, err, o.Expect); err != nil {
		return err
	}
	return until(func() bool { t.mu.Lock(); defer t.mu.Unlock(); return t.steps >= o.Steps })
}

func (t *tried) logging(ctx context.Context, o offer) error {
	// The modern era has no such request: there the level is in each call.
	_ = t.session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"})
	params := &mcp.CallToolParams{Name: o.Name, Arguments: o.Arguments}
	params.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "debug"}
	result, err := t.session.CallTool(ctx, params)
	if err := check(result, err, o.Expect); err != nil {
		return err
	}
	return until(func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		return strings.Contains(t.logged.String(), o.Logged)
	})
}

func (t *tried) resource(ctx context.Context, o offer) error {
	result, err := t.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: o.URI})
	return check(result, err, o.Expect)
}

func (t *tried) prompt(ctx context.Context, o offer) error {
	arguments := map[string]string{}
	for key, value := range o.Arguments {
		arguments[key] = fmt.Sprint(value)
	}
	result, err := t.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: o.Name, Arguments: arguments})
	return check(result, err, o.Expect)
}

func (t *tried) completion(ctx context.Context, o offer) error {
	ref := &mcp.CompleteReference{Type: "ref/prompt", Name: o.Name}
	result, err := t.session.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: o.Argument})
	return check(result, err, o.Expect)
}

func (t *tried) cancellation(ctx context.Context, o offer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { _ = t.call(ctx, o) }()
	file := fmt.Sprint(o.Arguments["file"])
	if err := until(exists(file + ".started")); err != nil {
		return err
	}
	cancel()
	return until(exists(file + ".cancelled"))
}

var features = map[string]func(*tried, context.Context, offer) error{
	"tools": (*tried).tools, "tool": (*tried).call, "unicode": (*tried).call, "elicitation": (*tried).call,
	"progress": (*tried).progress, "logging": (*tried).logging, "resource": (*tried).resource,
	"prompt": (*tried).prompt, "completion": (*tried).completion, "cancellation": (*tried).cancellation,
}

func transport(to target) mcp.Transport {
	if to.Command == "" && to.SSE {
		return &mcp.SSEClientTransport{Endpoint: to.URL}
	}
	if to.Command == "" {
		return &mcp.StreamableClientTransport{Endpoint: to.URL}
	}
	command := exec.Command(to.Command, to.Args...)
	command.Env = os.Environ()
	for key, value := range to.Env {
		command.Env = append(command.Env, key+"="+value)
	}
	return &mcp.CommandTransport{Command: command, TerminateDuration: 100 * time.Millisecond}
}

func connect(ctx context.Context, to target, version string) (*tried, error) {
	t := &tried{}
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": name}}, nil
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			t.mu.Lock()
			defer t.mu.Unlock()
			fmt.Fprintln(&t.logged, req.Params.Data)
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.steps++
		},
	})
	session, err := client.Connect(ctx, transport(to), &mcp.ClientSessionOptions{ProtocolVersion: version})
	t.session = session
	return t, err
}

func report(to target, feature string, err error) {
	line := map[string]any{"target": to.ID, "feature": feature, "ok": err == nil, "detail": ""}
	if err != nil {
		line["detail"] = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		log.Fatal(err)
	}
}

func try(t *tried, to target, feature string, o offer) {
	ctx, cancel := context.WithTimeout(context.Background(), start+patience)
	defer cancel()
	report(to, feature, features[feature](t, ctx, o))
}

func main() {
	var targets []target
	if err := json.NewDecoder(os.Stdin).Decode(&targets); err != nil {
		log.Fatal(err)
	}
	for _, to := range targets {
		t, err := connect(context.Background(), to, os.Args[1])
		if err != nil {
			report(to, "connect", err)
			continue
		}
		for feature, o := range to.Offers {
			try(t, to, feature, o)
		}
		_ = t.session.Close()
	}
}
