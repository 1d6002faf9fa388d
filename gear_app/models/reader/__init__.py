"""Readers: whatever a method asks of a language model (roles.Reader), or of rules in its place."""

LLM_READER = "llm"  # the one that asks a language model
TABLE_SIX = "table 6"  # of GEAR, the first of those below
RECORDED = {  # readers whose replies to one question are written down, and where (data/README.md)
    TABLE_SIX: "replies.jsonl",
    "hallucinated fact": "replies-hallucinated-fact.jsonl",
    "wrong link": "replies-wrong-link.jsonl",
    "early stop": "replies-early-stop.jsonl",
    "misled agent": "replies-misled-agent.jsonl",
}
