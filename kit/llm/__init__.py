"""Talking to language models: the protocol, the scripted model, and which model the settings ask for."""

from kit.llm.chat import Answer, Ask, ChatModel, Message, Role, Stop
from kit.llm.scripted import ScriptedModel, read_script
from kit.llm.settings import ModelSettings, choose_model, read_model_settings
from kit.llm.spending import Ceiling, Conversation

__all__ = [
    "Answer",
    "Ask",
    "Ceiling",
    "ChatModel",
    "Conversation",
    "Message",
    "ModelSettings",
    "Role",
    "ScriptedModel",
    "Stop",
    "choose_model",
    "read_model_settings",
    "read_script",
]
