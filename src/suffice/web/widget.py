"""Widget: the page within a notebook, by anywidget."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from suffice.web.bundle import asset, bundle
from suffice.web.page import payload

if TYPE_CHECKING:
    from suffice.web.explore import ExplorerPage

# In a shadow tree, so that the styles of the notebook and of the page do not mix.
RENDER = """
export default {
  render({ model, el }) {
    const shadow = el.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = model.get("css");
    const root = document.createElement("div");
    shadow.append(style, root);
    const options = { workerSource: model.get("code"), usesHash: false };
    module_start.mount(root, JSON.parse(model.get("payload")), options);
  },
};
"""


class ExplorerWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The explorer as a widget: everything runs in the browser, nothing comes back."""

    _esm = bundle() + RENDER
    # A trait named style would be taken for the style of ipywidgets, which is a widget itself.
    css = traitlets.Unicode().tag(sync=True)
    code = traitlets.Unicode().tag(sync=True)
    payload = traitlets.Unicode().tag(sync=True)


def widget(made: ExplorerPage) -> Any:
    """The widget of a page."""
    content = json.dumps(payload(made.datasets, made.presets), allow_nan=False)
    return ExplorerWidget(css=asset("explorer.css"), code=bundle(), payload=content)
