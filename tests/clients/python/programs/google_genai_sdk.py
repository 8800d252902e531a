"""google-genai: content with a function, and a stream."""

import json

from google import genai
from google.genai import types

ASK = "How warm is it in Oslo?"
CITY = types.Schema(type="OBJECT", properties={"city": types.Schema(type="STRING")})
TOOL = types.Tool(
    function_declarations=[types.FunctionDeclaration(name="weather", description="The weather.", parameters=CITY)]
)
CONFIG = types.GenerateContentConfig(tools=[TOOL])

client = genai.Client()
asked = types.Content(role="user", parts=[types.Part.from_text(text=ASK)])
called = client.models.generate_content(model="m-1", contents=[asked], config=CONFIG)
(call,) = called.function_calls
told = types.Content(
    role="user", parts=[types.Part.from_function_response(name="weather", response={"result": "7 degrees"})]
)
answer = client.models.generate_content(
    model="m-1", contents=[asked, called.candidates[0].content, told], config=CONFIG
)
pieces = [piece.text for piece in client.models.generate_content_stream(model="m-1", contents=ASK)]
print(json.dumps([call.name, dict(call.args), answer.text, pieces]))
