"""The common tools, resource and prompt on fastmcp: `fastmcp_server.py stdio | http`, with PORT."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import anyio
from fastmcp import Context, FastMCP
from fastmcp.server.elicitation import AcceptedElicitation
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

NAMES = ["Ada", "Adele", "Bob"]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
QUESTION = "What is your name?"
server = FastMCP("fastmcp")


@dataclass
class Form:
    name: str


@server.tool
def echo(message: str) -> str:
    return f"Echo: {message}"


@server.tool
async def count(steps: int, ctx: Context) -> str:
    for step in range(1, steps + 1):
        await ctx.report_progress(step, steps)
        await anyio.sleep(0.02)  # a client may not hear what comes together with the answer
    return f"Counted to {steps}"


@server.tool
async def log(message: str, ctx: Context) -> str:
    await ctx.warning(message)
    return "Logged"


# fastmcp has two ways to ask, one for each era.
@server.tool(output_schema=None)
async def ask(ctx: Context) -> str | InputRequiredResult:
    if ctx.request_context.protocol_version < "2026":
        answer = await ctx.elicit(QUESTION, Form)
        return f"Name: {answer.data.name}" if isinstance(answer, AcceptedElicitation) else "No name"
    if ctx.input_responses is None:
        params = ElicitRequestFormParams(message=QUESTION, requested_schema=SCHEMA)
        return InputRequiredResult(input_requests={"name": ElicitRequest(params=params)})
    return f"Name: {ctx.input_responses['name'].content['name']}"


@server.tool
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


@server.prompt
def greet(name: str) -> str:
    return f"Please greet {name}"


@server.completion
def complete(ref, argument, context) -> list[str]:
    return [name for name in NAMES if name.startswith(argument.value)]


if sys.argv[1] == "stdio":
    server.run("stdio", show_banner=False)
else:
    server.run("http", host="127.0.0.1", port=int(os.environ["PORT"]), show_banner=False, log_level="ERROR")
