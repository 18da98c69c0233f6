"""The fields of a request, behind the address or in its body."""

from __future__ import annotations

from starlette.requests import Request

from training.http.asked import Asked, Refused


def query(request: Request) -> Asked:
    """The fields behind the address."""
    return Asked(dict(request.query_params))


async def body(request: Request, most: int) -> Asked:
    """The fields of a request's body, read only as far as ``most`` bytes.

    Raises:
        Refused: it is no JSON object, or too large.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused("Send JSON, with the content type application/json.", 415)
    query(request).done()
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Refused(f"The request is too large; at most {most:,} bytes are taken.", 413)
        parts.append(part)
    return Asked.of_body(b"".join(parts))
