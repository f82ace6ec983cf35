#pragma once
#include <string_view>

// How a page looks, and what its tables and pictures do. The page runs this script and no other:
// its policy names the hash, which a test computes anew.

namespace craton {

inline constexpr std::string_view kPageStyle = R"css(
:root{--paper:#fff;--ink:#1d2530;--faint:#5b6675;--line:#d9dee5;--shade:#f4f6f8;--link:#0b62b4;
--warn:#8a4b00;--warn-shade:#fff4e2;--note-shade:#eaf3fb}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e4e8ed;--faint:#9aa6b4;
--line:#333c47;--shade:#1c2229;--link:#7cb8f2;--warn:#f2b866;--warn-shade:#332711;--note-shade:#172a3b}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;
display:grid;grid-template-columns:14rem minmax(0,62rem);gap:0 2.5rem;justify-content:center;padding:0 1.2rem}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:2rem 0;font-size:.9rem}
nav ol{list-style:none;margin:0;padding:0}
nav a{display:block;padding:.2rem .6rem;color:var(--faint);text-decoration:none;border-left:2px solid var(--line)}
nav a:hover,nav a:focus{color:var(--link);border-color:var(--link)}
main{padding:2rem 0 6rem;min-width:0}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .3rem;overflow-wrap:anywhere}
header p{color:var(--faint);margin:0;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.6rem 0 .8rem;padding-top:.6rem;border-top:1px solid var(--line)}
p{max-width:46rem;overflow-wrap:anywhere}
a{color:var(--link)}
.note,.warning{padding:.55rem .9rem;border-radius:6px;background:var(--note-shade)}
.warning{background:var(--warn-shade);color:var(--warn)}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1.2rem;margin:.8rem 0}
dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
figure{margin:1.2rem 0}
figcaption,summary{color:var(--faint);font-size:.92rem;margin:.35rem 0}
summary{cursor:pointer}
.picture svg{display:block;width:100%;max-width:46rem;height:auto;border:1px solid var(--line);border-radius:6px}
.scroll{width:fit-content;max-width:100%;overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .7rem;text-align:left;white-space:nowrap;max-width:26rem;overflow:hidden;text-overflow:ellipsis}
td{border-top:1px solid var(--line)}
thead{background:var(--shade)}
.n{text-align:right}
tbody tr:hover{background:var(--shade)}
th button{all:unset;cursor:pointer;font-weight:600;white-space:pre}
th button:focus-visible,summary:focus-visible,nav a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
input[type=search]{font:inherit;font-size:.88rem;color:inherit;background:var(--paper);
border:1px solid var(--line);border-radius:6px;padding:.25rem .6rem;margin:.3rem 0;width:14rem;max-width:100%}
.more{color:var(--faint);font-size:.88rem;margin:.3rem 0}
pre{background:var(--shade);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow-x:auto;
font:.86rem/1.5 ui-monospace,monospace}
#tip{position:fixed;z-index:9;pointer-events:none;background:var(--ink);color:var(--paper);
font-size:.82rem;line-height:1.35;padding:.3rem .55rem;border-radius:5px;max-width:22rem;white-space:pre-line}
@media (max-width:60rem){body{display:block}nav{position:static;padding:1.2rem 0 0;max-height:none}
nav li{display:inline-block}nav a{border:0;padding:.1rem .6rem .1rem 0}main{padding-top:1rem}}
@media print{:root{--paper:#fff;--ink:#000;--faint:#444;--line:#bbb;--shade:#f2f2f2;color-scheme:light}
body{display:block;font-size:10.5pt;padding:0}nav,input[type=search],#tip{display:none}
h2{break-after:avoid}figure,tr,pre{break-inside:avoid}.scroll{overflow:visible;border:0}
th,td{white-space:normal}a{color:inherit}}
)css";

inline constexpr std::string_view kPageScript = R"js(
'use strict';
const value = cell => {
  const v = cell ? cell.dataset.v : undefined;
  return v === undefined ? null : Number(v);
};
const compare = (column, a, b) => {
  const x = value(a.cells[column]), y = value(b.cells[column]);
  if (x !== null || y !== null) return x === null ? 1 : y === null ? -1 : x - y;
  return a.cells[column].textContent.localeCompare(b.cells[column].textContent);
};
for (const table of document.querySelectorAll('table')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const down = head.getAttribute('aria-sort') === 'ascending';
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const empty = row => row.cells[column].textContent === '';
    const rows = [...body.rows].sort((a, b) => empty(a) - empty(b) ||
      (down ? compare(column, b, a) : compare(column, a, b)));
    body.append(...rows);
  }));
  const filter = table.closest('figure').querySelector('input');
  if (filter) filter.addEventListener('input', () => {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
const tip = document.getElementById('tip');
for (const title of document.querySelectorAll('svg title')) {
  const mark = title.parentElement;
  if (mark.localName === 'svg') continue;
  mark.dataset.tip = title.textContent;
  title.remove();
}
const show = event => {
  const mark = event.target.closest ? event.target.closest('[data-tip]') : null;
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
  const below = event.clientY + 16 + tip.offsetHeight < innerHeight;
  tip.style.left = Math.max(4, left) + 'px';
  tip.style.top = (below ? event.clientY + 16 : event.clientY - tip.offsetHeight - 8) + 'px';
};
document.addEventListener('pointermove', show);
document.addEventListener('pointerdown', show);
addEventListener('beforeprint', () => {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
});
)js";

inline constexpr std::string_view kPageScriptHash =
    "sha256-ukpMSyWCVU7W4v5Xk1WSEnvbRilIqBM00fEJHeeDUIQ=";

}  // namespace craton
