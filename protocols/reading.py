"""A protocol out of the bytes of a file: parsed, checked as a form, and free of contradictions in every arm."""

from protocols.contradictions import unknown_arms
from protocols.declaration import applied
from protocols.faults import Fault, ProtocolError
from protocols.protocol import Protocol, check_form
from protocols.toml_lines import parse_toml


def parse_protocol(raw: bytes, file: str) -> Protocol:
    """Return the protocol in the bytes of *file*. Raises ProtocolError with every fault, whatever the bytes are."""
    declared, lines = parse_toml(raw, file)
    form = check_form(declared, file, lines)
    protocol = Protocol(form["id"], file, form, declared, lines)
    faults: dict[str, Fault] = {str(fault): fault for fault in unknown_arms(form, file, lines)}
    for arm in protocol.arms or ("",):
        try:
            applied(protocol, arm, {})
        except ProtocolError as error:
            faults.update({str(fault): fault for fault in error.faults})
    if faults:
        raise ProtocolError(faults.values())
    return protocol
