"""Generative classification with Gaussian class models: read the data once, answer everything."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.data.columns.description import Description, describe
    from suffice.errors import RepairedModel
    from suffice.estimators.automatic.auto import AutoDiscriminant
    from suffice.estimators.automatic.comparing import compare
    from suffice.estimators.automatic.selecting import select_model
    from suffice.estimators.bayesian import BayesianDiscriminant
    from suffice.estimators.bernoulli import BernoulliNB
    from suffice.estimators.card import model_card
    from suffice.estimators.categorical import CategoricalNB
    from suffice.estimators.evaluating import evaluate, thresholds
    from suffice.estimators.files import load, save
    from suffice.estimators.gaussian import (
        QDA,
        DiagonalLDA,
        GaussianDiscriminant,
        GaussianNB,
        QuadraticDiscriminantAnalysis,
    )
    from suffice.estimators.importance import importance
    from suffice.estimators.indicators import Indicators
    from suffice.estimators.linear import LDA, LinearDiscriminantAnalysis
    from suffice.estimators.mixed import MixedNB
    from suffice.estimators.mixture import GaussianMixture
    from suffice.estimators.mixture_discriminant import MixtureDiscriminant
    from suffice.estimators.onnx.onnx_export import to_onnx
    from suffice.estimators.pooled.pooled import PooledDiscriminant
    from suffice.estimators.summary import Summary, summary
    from suffice.estimators.unskewed import UnskewedDiscriminant
    from suffice.reports.page import report
    from suffice.selection.comparison import Comparison
    from suffice.selection.diagnostics.diagnosis import Diagnosis, diagnose
    from suffice.selection.evaluation import Evaluation
    from suffice.selection.importance import Importance
    from suffice.selection.leave_one_out.left_out import LeaveOneOut
    from suffice.selection.selection import Selection
    from suffice.selection.thresholds import Thresholds
    from suffice.statistics.counts import Counts
    from suffice.statistics.exact.exact_incomplete import ExactIncomplete
    from suffice.statistics.exact.exact_statistics import ExactStatistics
    from suffice.statistics.exact.grid import Grid
    from suffice.statistics.exact.private_statistics import PrivateStatistics
    from suffice.statistics.incomplete import IncompleteStatistics
    from suffice.statistics.mixed import MixedStatistics
    from suffice.statistics.passes.count_pass import count_levels
    from suffice.statistics.statistics import Statistics
    from suffice.statistics.summarize import summarize
    from suffice.statistics.table_statistics import TableStatistics
    from suffice.web.explore import ExplorerPage, explore

__version__ = "0.1.0"

# Resolved on first use, so that `import suffice` stays fast however much it offers.
_HOME = {
    "AutoDiscriminant": "suffice.estimators.automatic.auto",
    "BayesianDiscriminant": "suffice.estimators.bayesian",
    "BernoulliNB": "suffice.estimators.bernoulli",
    "CategoricalNB": "suffice.estimators.categorical",
    "compare": "suffice.estimators.automatic.comparing",
    "Comparison": "suffice.selection.comparison",
    "count_levels": "suffice.statistics.passes.count_pass",
    "Counts": "suffice.statistics.counts",
    "describe": "suffice.data.columns.description",
    "Description": "suffice.data.columns.description",
    "diagnose": "suffice.selection.diagnostics.diagnosis",
    "Diagnosis": "suffice.selection.diagnostics.diagnosis",
    "DiagonalLDA": "suffice.estimators.gaussian",
    "evaluate": "suffice.estimators.evaluating",
    "explore": "suffice.web.explore",
    "ExplorerPage": "suffice.web.explore",
    "Evaluation": "suffice.selection.evaluation",
    "ExactIncomplete": "suffice.statistics.exact.exact_incomplete",
    "ExactStatistics": "suffice.statistics.exact.exact_statistics",
    "GaussianDiscriminant": "suffice.estimators.gaussian",
    "GaussianMixture": "suffice.estimators.mixture",
    "GaussianNB": "suffice.estimators.gaussian",
    "Grid": "suffice.statistics.exact.grid",
    "importance": "suffice.estimators.importance",
    "Importance": "suffice.selection.importance",
    "IncompleteStatistics": "suffice.statistics.incomplete",
    "Indicators": "suffice.estimators.indicators",
    "LDA": "suffice.estimators.linear",
    "LeaveOneOut": "suffice.selection.leave_one_out.left_out",
    "LinearDiscriminantAnalysis": "suffice.estimators.linear",
    "load": "suffice.estimators.files",
    "MixedNB": "suffice.estimators.mixed",
    "MixedStatistics": "suffice.statistics.mixed",
    "MixtureDiscriminant": "suffice.estimators.mixture_discriminant",
    "model_card": "suffice.estimators.card",
    "PooledDiscriminant": "suffice.estimators.pooled.pooled",
    "PrivateStatistics": "suffice.statistics.exact.private_statistics",
    "QDA": "suffice.estimators.gaussian",
    "QuadraticDiscriminantAnalysis": "suffice.estimators.gaussian",
    "RepairedModel": "suffice.errors",
    "report": "suffice.reports.page",
    "save": "suffice.estimators.files",
    "select_model": "suffice.estimators.automatic.selecting",
    "Selection": "suffice.selection.selection",
    "Statistics": "suffice.statistics.statistics",
    "TableStatistics": "suffice.statistics.table_statistics",
    "summarize": "suffice.statistics.summarize",
    "summary": "suffice.estimators.summary",
    "Summary": "suffice.estimators.summary",
    "thresholds": "suffice.estimators.evaluating",
    "Thresholds": "suffice.selection.thresholds",
    "to_onnx": "suffice.estimators.onnx.onnx_export",
    "UnskewedDiscriminant": "suffice.estimators.unskewed",
}

__all__ = [
    "LDA",
    "QDA",
    "AutoDiscriminant",
    "BayesianDiscriminant",
    "BernoulliNB",
    "CategoricalNB",
    "Comparison",
    "Counts",
    "Description",
    "Diagnosis",
    "DiagonalLDA",
    "Evaluation",
    "ExactIncomplete",
    "ExactStatistics",
    "ExplorerPage",
    "GaussianDiscriminant",
    "GaussianMixture",
    "GaussianNB",
    "Grid",
    "Importance",
    "IncompleteStatistics",
    "Indicators",
    "LeaveOneOut",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "MixedStatistics",
    "MixtureDiscriminant",
    "PooledDiscriminant",
    "PrivateStatistics",
    "QuadraticDiscriminantAnalysis",
    "RepairedModel",
    "Selection",
    "Statistics",
    "Summary",
    "TableStatistics",
    "Thresholds",
    "UnskewedDiscriminant",
    "__version__",
    "compare",
    "count_levels",
    "describe",
    "diagnose",
    "evaluate",
    "explore",
    "importance",
    "load",
    "model_card",
    "report",
    "save",
    "select_model",
    "summarize",
    "summary",
    "thresholds",
    "to_onnx",
]


def __getattr__(name: str) -> Any:
    if name == "plots":
        return import_module("suffice.plots")
    if name not in _HOME:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "plots"])
