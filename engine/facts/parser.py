"""From the text of an expression to its tree: recursive descent, with `not` before `and` before `or`.

    expression  = conjunction { "or" conjunction }
    conjunction = negation { "and" negation }
    negation    = "not" negation | comparison
    comparison  = value [ ("==" | "!=" | "<" | "<=" | ">" | ">=" | "contains") value ]
    value       = literal | word | word "(" [ value { "," value } ] ")" | "(" expression ")" | quantifier
    quantifier  = ("all" | "any" | "count") kind [ "as" name ] [ "in" word ] [ "where" expression ]

The condition of a quantifier reaches as far as it can; a count that is compared stands in parentheses.
"""

from __future__ import annotations

from engine.facts.syntax import (
    OPERATORS,
    Call,
    Comparison,
    FactError,
    Junction,
    Literal,
    Negation,
    Quantifier,
    Token,
    Tree,
    Word,
    tokens,
    unquoted,
)

DEPTH_LIMIT = 40


def parse(text: str) -> Tree:
    """The tree of an expression. Raises FactError."""
    parser = _Parser(list(tokens(text)))
    tree = parser.expression()
    parser.expect_end()
    return tree


class _Parser:
    def __init__(self, words: list[Token]) -> None:
        self._words = words
        self._position = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._words[self._position]

    def _take(self) -> Token:
        token = self._next
        self._position += token.kind != "end"
        return token

    def _accept(self, *texts: str) -> Token | None:
        token = self._next
        return self._take() if token.kind in ("sign", "keyword") and token.text in texts else None

    def _expect(self, text: str) -> Token:
        token = self._accept(text)
        if token is None:
            raise FactError(self._next.column, f"expected {text}, found {self._next.called}")
        return token

    def expect_end(self) -> None:
        token = self._next
        if token.kind == "end":
            return
        if token.text in OPERATORS:
            raise FactError(token.column, "comparisons cannot be chained; join two with `and`")
        raise FactError(token.column, f"expected and, or or the end, found {token.called}")

    def expression(self) -> Tree:
        return self._junction("or")

    def _junction(self, word: str) -> Tree:
        column = self._next.column
        operands = [self._operand(word)]
        while self._accept(word):
            operands.append(self._operand(word))
        return operands[0] if len(operands) == 1 else Junction(word, tuple(operands), column)

    def _operand(self, word: str) -> Tree:
        return self._junction("and") if word == "or" else self._negation()

    def _negation(self) -> Tree:
        column, negations = self._next.column, 0
        while self._accept("not"):
            negations += 1
        tree = self._comparison()
        return Negation(tree, column) if negations % 2 else tree

    def _comparison(self) -> Tree:
        left = self._value()
        operator = self._accept(*OPERATORS)
        if operator is None:
            return left
        return Comparison(operator.text, left, self._value(), operator.column)

    def _value(self) -> Tree:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise FactError(self._next.column, f"nested more than {DEPTH_LIMIT} deep")
        tree = self._one_value(self._take())
        self._depth -= 1
        return tree

    def _one_value(self, token: Token) -> Tree:
        if token.kind == "word":
            return self._call(token) if self._accept("(") else Word(token.text, token.column)
        if token.kind == "number" or token.text in ("true", "false"):
            return Literal(token.kind, token.text, token.column)
        if token.kind == "text":
            return Literal("text", unquoted(token.text), token.column)
        if token.text in ("all", "any", "count"):
            return self._quantifier(token)
        if token.text == "(":
            tree = self.expression()
            self._expect(")")
            return tree
        raise FactError(token.column, f"expected a fact or a value, found {token.called}")

    def _call(self, fact: Token) -> Call:
        arguments: list[Tree] = []
        if not self._accept(")"):
            arguments.append(self._value())
            while self._accept(","):
                arguments.append(self._value())
            self._expect(")")
        return Call(fact.text, tuple(arguments), fact.column)

    def _quantifier(self, word: Token) -> Quantifier:
        kind = self._word("a kind of component")
        name = self._word("a name") if self._accept("as") else kind
        place = self._word("a node") if self._accept("in") else None
        condition = self.expression() if self._accept("where") else None
        if condition is None and word.text != "count":
            raise FactError(self._next.column, f"expected where, found {self._next.called}")
        return Quantifier(word.text, kind.text, name.text, place, condition, word.column)

    def _word(self, what: str) -> Word:
        token = self._take()
        if token.kind != "word":
            raise FactError(token.column, f"expected {what}, found {token.called}")
        return Word(token.text, token.column)
