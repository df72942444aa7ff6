// Command server has the common tools, resource and prompt on the Go SDK: server stdio | http | stateless, with PORT.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const uri = "compat://greeting"

var names = []string{"Ada", "Adele", "Bob"}

type message struct {
	Message string `json:"message"`
}

type steps struct {
	Steps int `json:"steps"`
}

type file struct {
	File string `json:"file"`
}

func text(format string, values ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, values...)}}}
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
	return text("Echo: %s", in.Message), nil, nil
}

func count(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, any, error) {
	for step := 1; step <= in.Steps; step++ {
		params := &mcp.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Progress: float64(step), Total: float64(in.Steps),
		}
		if err := req.Session.NotifyProgress(ctx, params); err != nil {
			return nil, nil, err
		}
		time.Sleep(20 * time.Millisecond) // a client may not hear what comes together with the answer
	}
	return text("Counted to %d", in.Steps), nil, nil
}

func logged(ctx context.Context, req *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
	params := &mcp.LoggingMessageParams{Level: "warning", Data: in.Message}
	return text("Logged"), nil, req.Session.Log(ctx, params)
}

// ask answers with a question until it is told a name; for a client of the legacy era the SDK makes requests of it.
func ask(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	if answer, ok := req.Params.InputResponses["name"].(*mcp.ElicitResult); ok {
		return text("Name: %v", answer.Content["name"]), nil, nil
	}
	schema := map[string]any{
		"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}},
	}
	question := &mcp.ElicitParams{Mode: "form", Message: "What is your name?", RequestedSchema: schema}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": question}}, nil, nil
}

func wait(ctx context.Context, _ *mcp.CallToolRequest, in file) (*mcp.CallToolResult, any, error) {
	if err := os.WriteFile(in.File+".started", nil, 0o600); err != nil {
		return nil, nil, err
	}
	select {
	case <-ctx.Done():
		return nil, nil, os.WriteFile(in.File+".cancelled", nil, 0o600)
	case <-time.After(20 * time.Second):
		return text("Waited"), nil, nil
	}
}

func greeting(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: "Grüße an 世界"}}}, nil
}

func greet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	content := &mcp.TextContent{Text: "Please greet " + req.Params.Arguments["name"]}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: content}}}, nil
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	for _, name := range names {
		if strings.HasPrefix(name, req.Params.Argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values}}, nil
}

func newServer() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ServerOptions{CompletionHandler: complete},
	)
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, echo)
	mcp.AddTool(server, &mcp.Tool{Name: "count"}, count)
	mcp.AddTool(server, &mcp.Tool{Name: "log"}, logged)
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, ask)
	mcp.AddTool(server, &mcp.Tool{Name: "wait"}, wait)
	server.AddResource(&mcp.Resource{URI: uri, Name: "greeting"}, greeting)
	arguments := []*mcp.PromptArgument{{Name: "name", Required: true}}
	server.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: arguments}, greet)
	return server
}

func main() {
	server := newServer()
	if os.Args[1] == "stdio" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	options := &mcp.StreamableHTTPOptions{Stateless: os.Args[1] == "stateless"}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), handler))
}
