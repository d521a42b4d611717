"""Sheet: how the page looks, in light and dark, on a phone, on a desk and on paper."""

from __future__ import annotations

LIGHT = """
  --paper: #ffffff; --ink: #1c2024; --muted: #525c66; --accent: #0b5cad; --surface: #f4f6f8;
  --line: #d3d9df; --good: #17603a; --good-ground: #e3f3e9; --look: #8a3b00; --look-ground: #fdeedd;
  --marked: #0b5cad1a; --shadow: #1c202459;
"""

DARK = """
  --paper: #15181c; --ink: #e6e6e6; --muted: #a9b4bf; --accent: #86bff7; --surface: #1e2328;
  --line: #3a424a; --good: #86d7a5; --good-ground: #15301f; --look: #f6b26b; --look-ground: #38240f;
  --marked: #86bff726; --shadow: #00000099;
"""

BODY = """
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: break-word;
}
header, main, footer, nav { max-width: 68rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
h1 { font-size: clamp(1.6rem, 1.2rem + 2vw, 2.4rem); line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem; }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; }
p, ul, ol { max-width: 46rem; margin: .6rem 0; }
.lead { font-size: 1.12rem; max-width: 46rem; }
.muted, figcaption, caption, footer { color: var(--muted); }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.skip {
  position: absolute; left: -999rem; top: 0; background: var(--paper); padding: .75rem 1rem;
  z-index: 1;
}
.skip:focus { left: 0; }
nav ul {
  list-style: none; display: flex; flex-wrap: wrap; gap: .25rem .5rem; padding: 0;
  margin: 1.25rem 0 0; max-width: none;
}
nav a {
  display: inline-block; padding: .35rem .75rem; border: 1px solid var(--line);
  border-radius: 999px;
  text-decoration: none;
}
nav a:hover { background: var(--surface); text-decoration: underline; }
section { border-top: 1px solid var(--line); padding: 1.75rem 0 .75rem; margin-top: 1.75rem; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0 0;
}
.facts div { background: var(--surface); border-radius: .6rem; padding: .75rem 1rem; }
.facts dt { color: var(--muted); font-size: .9rem; }
.facts dd {
  margin: 0; font-size: 1.5rem; font-weight: 650; line-height: 1.25;
  font-variant-numeric: tabular-nums;
}
.scroll {
  overflow-x: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: .6rem;
  width: fit-content; max-width: 100%; min-width: min(100%, 26rem);
  scrollbar-width: thin; scrollbar-color: var(--muted) transparent;
  /* Shadows at the edges behind which there is more; what scrolls along covers them at the ends. */
  background:
    linear-gradient(to right, var(--paper) 40%, transparent) left,
    linear-gradient(to left, var(--paper) 40%, transparent) right,
    linear-gradient(to right, var(--shadow), transparent) left,
    linear-gradient(to left, var(--shadow), transparent) right;
  background-repeat: no-repeat; background-size: 3rem 100%, 3rem 100%, 1rem 100%, 1rem 100%;
  background-attachment: local, local, scroll, scroll;
}
table {
  border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem;
  min-width: 100%;
}
caption { text-align: left; padding: .6rem .75rem; font-size: .9rem; }
caption span {
  display: inline-block; position: sticky; left: .75rem;
  max-width: min(100%, calc(100vw - 4rem));
}
th, td {
  text-align: right; padding: .4rem .6rem; border-top: 1px solid var(--line);
  white-space: nowrap; vertical-align: top;
}
thead th { border-bottom: 2px solid var(--line); font-weight: 600; white-space: normal; }
tbody th { font-weight: 500; }
.words { text-align: left; }
td.words { white-space: nowrap; }
tbody .name { white-space: normal; min-width: 9rem; }
tbody .prose { white-space: normal; min-width: 17rem; }
tr.marked > * { background: var(--marked); font-weight: 650; }
.pictures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr));
  gap: 1.25rem; margin: 1rem 0;
}
figure {
  margin: 0; border: 1px solid var(--line); border-radius: .6rem; padding: .75rem; min-width: 0;
}
figure h3 { margin: 0 0 .5rem; font-size: 1rem; }
figure svg { display: block; width: 100%; height: auto; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
figure svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
figcaption { font-size: .9rem; margin-top: .5rem; }
.at-night { display: none; }
/* The last of an odd number has a row of its own: the picture, and its words beside it. */
@media (min-width: 56rem) {
  .pictures > figure:last-child:nth-child(odd) {
    grid-column: 1 / -1; display: grid; grid-template: auto 1fr / 1fr 1fr; column-gap: 2rem;
  }
  .pictures > figure:last-child:nth-child(odd) svg { grid-area: 1 / 1 / 3 / 2; }
}
.findings { list-style: none; padding: 0; max-width: 52rem; }
.findings li {
  border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; margin: .6rem 0;
}
.findings p { margin: .3rem 0 0; }
.badge {
  display: inline-block; font-size: .82rem; font-weight: 650; border-radius: 999px;
  padding: .05rem .6rem; margin-right: .4rem;
}
.fine { color: var(--good); background: var(--good-ground); }
.noted { color: var(--muted); background: var(--surface); }
.look { color: var(--look); background: var(--look-ground); }
.note {
  background: var(--surface); border-left: 4px solid var(--accent); border-radius: .25rem;
  padding: .6rem .9rem; max-width: 46rem;
}
pre {
  background: var(--surface); border: 1px solid var(--line); border-radius: .6rem;
  padding: .8rem 1rem; overflow-x: auto; font-size: .9rem; line-height: 1.5;
}
code {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
:not(pre) > code {
  background: var(--surface); border-radius: .25rem; padding: .05rem .3rem;
  overflow-wrap: anywhere;
}
footer {
  border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem;
  padding-bottom: 2.5rem; font-size: .9rem;
}
"""

PAPER = """
nav, .skip { display: none; }
body { font-size: 10.5pt; }
header, main, footer { max-width: none; padding: 0; }
section, figure, .findings li, tr, pre { break-inside: avoid; }
section { break-inside: auto; }
h2, h3 { break-after: avoid; }
.scroll, pre { overflow: visible; }
pre { white-space: pre-wrap; }
td, th { white-space: normal; }
a { color: inherit; text-decoration: none; }
"""


def stylesheet() -> str:
    """The page's only style sheet; paper is always light."""
    night = ".by-day { display: none; } .at-night { display: block; }"
    return (
        f":root {{ color-scheme: light dark; {LIGHT} }}\n{BODY}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {DARK} }} {night} }}\n"
        f"@media print {{ {PAPER} }}\n"
    )
