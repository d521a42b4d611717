"""ONNX export: classifiers for runtimes without Python, and converters for skl2onnx."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice import __version__
from suffice.data.arrays import Array
from suffice.data.parameters import choice
from suffice.errors import InvalidParameter, MissingPackage
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.estimators.bernoulli import BernoulliNB
from suffice.estimators.categorical import CategoricalNB
from suffice.estimators.gaussian import (
    DiagonalLDA,
    GaussianDiscriminant,
    GaussianNB,
    QuadraticDiscriminantAnalysis,
)
from suffice.estimators.linear import LinearDiscriminantAnalysis
from suffice.estimators.mixed import MixedNB
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.onnx.onnx_compounds import (
    check_parts,
    mixture_scores,
    pooled_scores,
    product_scores,
)
from suffice.estimators.onnx.onnx_graph import ELEMENTS, Graph, Node
from suffice.estimators.onnx.onnx_scores import (
    binary_scores,
    gaussian_scores,
    level_scores,
    positions_of_texts,
    powers_of,
    student_scores,
)
from suffice.estimators.onnx.onnx_tables import (
    OUTPUTS,
    check_input_names,
    encoded_rows,
    input_notes,
    input_types,
    unlike,
)
from suffice.estimators.pooled.pooled import PooledDiscriminant
from suffice.estimators.pooled.pooled_model import PooledModel
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.discrete import DiscreteModel
from suffice.models.gaussian import GaussianModel
from suffice.models.mixture import MixtureModel
from suffice.models.product import ProductModel
from suffice.text import shown

DTYPES = ("float32", "float64")

GAUSSIAN = (
    DiagonalLDA,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    UnskewedDiscriminant,
)


def to_onnx(model: Any, dtype: str = "float32") -> Any:
    """A fitted classifier as an `onnx.ModelProto`: rows X in, label and probabilities out.

    Rows and probabilities have the given dtype; in between, everything is float64. CategoricalNB
    takes int64 or strings. A mixture or a pool is exported with all its components or members.
    Naive Bayes ignores missing values (NaN), as in `predict`; full covariances give NaN for such a
    row. The graph of a model of a table takes one input (n, 1) for each of its columns: numbers,
    booleans, or strings without blanks around them; an empty string is a missing value. Unseen
    levels are treated as in `predict`. A graph reads no texts as numbers or dates: "$1,234" is
    passed as 1234, and a date as its parts, such as "born (year)" and "born (days)". Each input
    says in its `doc_string` what it takes, and `model.columns_.read(table)` returns these numbers.

    >>> import suffice as sf
    >>> lda = sf.LDA().fit([[1.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"])
    >>> [output.name for output in to_onnx(lda).graph.output]  # doctest: +SKIP
    ['label', 'probabilities']
    """
    choice("dtype", dtype, DTYPES)
    if not hasattr(model, "fit"):
        raise InvalidParameter(f"to_onnx takes a fitted classifier of suffice, not {shown(model)}.")
    onnx = _package("onnx")
    check_is_fitted(model)
    model = getattr(model, "model_", model)  # what an AutoDiscriminant chose
    opset = 18  # version of the standard operators
    rows, reader = _input_type(model, dtype), model._learned.reader
    inputs, notes = {"X": (rows, model.n_features_in_)}, dict[str, str]()
    if reader is not None:
        notes = input_notes(reader)
        inputs = {name: (kind, 1) for name, kind in input_types(reader, rows).items()}
        check_input_names(inputs)
    graph = Graph(opset, unlike(inputs, "v"))
    label, probabilities = _answers(graph, _rows(graph, model), model, np.dtype(dtype))
    renamed = dict(zip((label, probabilities), OUTPUTS, strict=True))
    nodes = [_node_proto(onnx, node, renamed) for node in graph.nodes]
    tensors = [_tensor(onnx, values, name) for name, values in graph.constants.items()]
    info, k = onnx.helper.make_tensor_value_info, len(model.classes_)
    outputs = [
        info("label", _element(onnx, model.classes_.dtype), [None]),
        info("probabilities", _element(onnx, np.dtype(dtype)), [None, k]),
    ]
    graph_proto = onnx.helper.make_graph(
        nodes,
        type(model).__name__,
        [
            info(name, _element(onnx, kind), [None, d], notes.get(name, ""))
            for name, (kind, d) in inputs.items()
        ],
        outputs,
        tensors,
    )
    ml_opset = 3  # version of the operators of ai.onnx.ml
    opsets = [("", opset), ("ai.onnx.ml", ml_opset)]
    ir_version = 8  # version of the file format
    return onnx.helper.make_model(
        graph_proto,
        opset_imports=[onnx.helper.make_opsetid(*one) for one in opsets],
        ir_version=ir_version,
        producer_name="suffice",
        producer_version=__version__,
    )


def register_onnx() -> None:
    """Register the classifiers with skl2onnx, so that pipelines ending in one can be converted.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> register_onnx()  # doctest: +SKIP
    >>> skl2onnx.to_onnx(make_pipeline(StandardScaler(), sf.LDA()).fit(X, y), X)  # doctest: +SKIP
    """
    skl2onnx = _package("skl2onnx")
    shapes = import_module("skl2onnx.common.shape_calculator")
    options = {"zipmap": [True, False, "columns"], "output_class_labels": [False, True]}
    for kind in (*GAUSSIAN, BernoulliNB):
        skl2onnx.update_registered_converter(
            kind,
            f"Suffice{kind.__name__}",
            shapes.calculate_linear_classifier_output_shapes,
            _convert,
            options={**options, "nocl": [True, False]},
        )


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """The converter that skl2onnx calls, which gives the values their names."""
    onnx = _package("onnx")
    model, (label, probabilities) = operator.raw_operator, operator.outputs
    graph = Graph(container.target_opset_any_domain(""))
    types = import_module("skl2onnx.common.data_types")
    double = isinstance(probabilities.type, types.DoubleTensorType)
    outputs = _answers(
        graph, operator.inputs[0].full_name, model, np.dtype(DTYPES[double]), plain_labels=True
    )
    names = dict(zip(outputs, (label.full_name, probabilities.full_name), strict=True))
    names[operator.inputs[0].full_name] = operator.inputs[0].full_name
    for name, values in graph.constants.items():
        names[name] = scope.get_unique_variable_name(f"suffice_{name}")
        tensor = _tensor(onnx, values, names[name])
        if values.dtype.kind in "UO":
            container.add_initializer(names[name], tensor.data_type, values.shape, values.tolist())
        else:
            container.add_initializer(names[name], None, None, tensor)
    for node in graph.nodes:
        if node.output not in names:
            names[node.output] = scope.get_unique_variable_name(f"suffice_{node.output}")
        container.add_node(
            node.kind,
            [names[name] for name in node.inputs],
            [names[node.output]],
            op_domain=node.domain,
            op_version=container.target_opset_any_domain(node.domain),
            name=scope.get_unique_operator_name(node.kind),
            **node.options,
        )


def _answers(
    graph: Graph, rows: str, model: Any, dtype: Any, plain_labels: bool = False
) -> tuple[str, str]:
    """Names of label and probabilities; `plain_labels` are int64 or strings."""
    scores = _scores(graph, rows, model)
    classes = model.classes_
    kind = np.int64 if plain_labels and classes.dtype.kind == "b" else classes.dtype
    best = graph.add("ArgMax", scores, axis=1, keepdims=0)
    label = graph.add("Gather", graph.constant(classes, kind), best, axis=0)
    # Softmax subtracts the largest score first, so that nothing overflows.
    probabilities = graph.add("Softmax", scores, axis=1)
    return label, graph.cast(probabilities, dtype.name)


def _rows(graph: Graph, model: Any) -> str:
    """The rows that a model takes, of the inputs of the graph."""
    encoding = getattr(model._learned, "encoding", None)
    return "X" if encoding is None else encoded_rows(graph, encoding)


def _scores(graph: Graph, rows: str, model: Any) -> str:
    fitted = model._fitted
    if isinstance(fitted, PooledModel):
        members = fitted.members.values()
        parts = [_scores(graph, _rows(graph, member), member) for member in members]
        return pooled_scores(graph, parts, fitted)
    if isinstance(fitted, ProductModel):
        return product_scores(graph, fitted, model._learned.reader)
    if isinstance(fitted, MixtureModel):
        return mixture_scores(graph, graph.cast(rows, "float64"), fitted)
    if isinstance(fitted, GaussianModel | StudentModel):
        numbers = graph.cast(rows, "float64")
        if isinstance(model, UnskewedDiscriminant):
            numbers = powers_of(graph, numbers, model._powers, fitted.means.shape[1])
        if isinstance(fitted, StudentModel):
            return student_scores(graph, numbers, fitted)
        return gaussian_scores(graph, numbers, fitted)
    assert isinstance(fitted, DiscreteModel)
    if isinstance(model, BernoulliNB):
        values = graph.cast(rows, "float64")
        threshold = 0.5 if model.binarize is None else float(model.binarize)
        return binary_scores(graph, values, fitted, threshold)
    texts = fitted.features[0].levels.dtype.kind == "U"
    return level_scores(graph, positions_of_texts(graph, rows, fitted) if texts else rows, fitted)


def _input_type(model: Any, dtype: str) -> Any:
    """The type of the rows that a model takes."""
    if isinstance(model, PooledDiscriminant):
        for name, member in model.members_.items():
            try:
                _input_type(member, dtype)
            except InvalidParameter as error:
                raise InvalidParameter(f"member {name!r}: {error}") from None
        return np.dtype(dtype)
    kinds = *GAUSSIAN, BayesianDiscriminant, BernoulliNB, MixtureDiscriminant
    if isinstance(model, kinds):
        return np.dtype(dtype)
    if isinstance(model, MixedNB):
        return _mixed_type(model, dtype)
    if not isinstance(model, CategoricalNB):
        raise InvalidParameter(
            f"a {type(model).__name__} cannot be exported to ONNX; the Gaussian family, naive "
            "Bayes, MixtureDiscriminant and pools of these can: suffice.LDA().fit(X, y)."
        )
    features = model._fitted.features
    if all(f.levels.dtype.kind == "U" for f in features):
        return np.dtype(np.str_)
    if all(np.array_equal(f.levels, np.arange(len(f.levels))) for f in features):
        return np.dtype(np.int64)
    raise InvalidParameter(
        "a CategoricalNB can be exported to ONNX if all features are strings, or all are integers "
        "from 0; convert the others to strings."
    )


def _mixed_type(model: MixedNB, dtype: str) -> Any:
    check_parts(model._fitted)
    if model._learned.reader is None and any(own.dtype.kind == "U" for own in model.levels_):
        raise InvalidParameter(
            "this MixedNB takes strings beside numbers in one array, which ONNX cannot; fit it to "
            "a data frame, or without categorical=, to have one input per column."
        )
    return np.dtype(dtype)


def _element(onnx: Any, dtype: Any) -> int:
    return ELEMENTS["str" if dtype.kind == "U" else dtype.name]


def _tensor(onnx: Any, values: Array, name: str) -> Any:
    if values.dtype.kind == "U":
        texts = [text.encode() for text in values.ravel().tolist()]
        return onnx.helper.make_tensor(name, ELEMENTS["str"], values.shape, texts)
    return onnx.numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape), name)


def _node_proto(onnx: Any, node: Node, renamed: dict[str, str]) -> Any:
    return onnx.helper.make_node(
        node.kind,
        list(node.inputs),
        [renamed.get(node.output, node.output)],
        domain=node.domain,
        **node.options,
    )


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingPackage(f"this needs {name}: pip install 'suffice[onnx]'.") from None
