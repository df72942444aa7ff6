"""The common tools, resource and prompt on the Python SDK: `sdk_server.py stdio | streamable-http | sse`, with PORT."""

import os
import sys
from pathlib import Path
from typing import Annotated

import anyio
from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp_types import Completion
from pydantic import BaseModel

NAMES = ["Ada", "Adele", "Bob"]
server = MCPServer("python-sdk", log_level="ERROR")


class Form(BaseModel):
    name: str


def ask_name() -> Elicit[Form]:
    return Elicit("What is your name?", Form)


@server.tool()
def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool()
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await anyio.sleep(0.02)  # a client may not hear what comes together with the answer
    return f"Counted to {steps}"


@server.tool()
async def log(message: str, ctx: Context) -> str:
    await ctx.log("warning", message)
    return "Logged"


@server.tool()
def ask(answer: Annotated[ElicitationResult[Form], Resolve(ask_name)]) -> str:
    return f"Name: {answer.data.name}" if isinstance(answer, AcceptedElicitation) else "No name"


@server.tool()
async def wait(file: str) -> str:
    Path(f"{file}.started").touch()
    try:
        await anyio.sleep(20)
    except anyio.get_cancelled_exc_class():
        Path(f"{file}.cancelled").touch()
        raise
    return "Waited"


@server.resource("compat://greeting")
def greeting() -> str:
    return "Grüße an 世界"


@server.prompt()
def greet(name: str) -> str:
    return f"Please greet {name}"


@server.completion()
async def complete(ref, argument, context) -> Completion:
    return Completion(values=[name for name in NAMES if name.startswith(argument.value)])


transport = sys.argv[1]
if transport == "stdio":
    server.run()
else:
    server.run(transport, host="127.0.0.1", port=int(os.environ["PORT"]))
