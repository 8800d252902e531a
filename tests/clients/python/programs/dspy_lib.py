"""dspy: a language model, asked with a prompt and with messages."""

import json
import os

import dspy

lm = dspy.LM("openai/m-1", api_base=os.environ["OPENAI_BASE_URL"], cache=False, max_tokens=100)
print(json.dumps([lm("How warm is it in Oslo?"), lm(messages=[{"role": "user", "content": "And in Rome?"}])]))
