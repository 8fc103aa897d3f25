from __future__ import annotations

from mbx.expr.build import add, function, mul
from mbx.expr.evaluate import free_symbols, ordered
from mbx.expr.nodes import symbol

X, Y = symbol("x"), symbol("y")


def test_each_node_comes_once_and_after_its_arguments() -> None:
    shared = mul(X, Y)
    graph = ordered([add(shared, function("sin", shared)), shared])
    assert len(graph) == len(set(graph)) == 5
    places = {node: k for k, node in enumerate(graph)}
    assert all(places[a] < places[node] for node in graph for a in node.args)


def test_symbols_are_listed_oldest_first() -> None:
    assert free_symbols([mul(Y, X), add(X, symbol("z"))]) == [X, Y, symbol("z")]
