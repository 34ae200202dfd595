"""Talking to language models: the protocol, the scripted model, and what there is to say where no model is set."""

from kit.llm.chat import Answer, Ask, ChatModel, Message, Role, Stop
from kit.llm.scripted import ScriptedModel, read_script

__all__ = ["Answer", "Ask", "ChatModel", "Message", "Role", "ScriptedModel", "Stop", "read_script"]
