// The look of a page. Colours are variables, so that light and dark are one sheet; widths follow the text.
#include "surface/report/html.h"

namespace tacit::surface {

const std::string_view html_style = R"css(
:root{--bg:#fbfaf8;--card:#fff;--ink:#1d2327;--soft:#5b656d;--line:#e3e0da;--faint:#f3f1ec;--accent:#0b6e6e;--accent2:#b4552d;
--good:#1f7a3f;--bad:#b3261e;--warn:#8a5a00;--on:#fff;--shadow:0 1px 2px rgba(40,35,20,.06),0 6px 20px rgba(40,35,20,.05)}
@media(prefers-color-scheme:dark){:root{--bg:#14181b;--card:#1b2125;--ink:#e6eaec;--soft:#9aa6ad;--line:#2d353a;--faint:#20272b;
--accent:#4fc3bd;--accent2:#e89a70;--good:#7bcf95;--bad:#ff8a80;--warn:#e7b85a;--on:#0d1214;--shadow:none}}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,header.top>div,footer{max-width:1080px;margin:0 auto;padding:0 24px}
header.top{padding:40px 0 8px}.brand{color:var(--accent);font-weight:650;letter-spacing:.02em;font-size:.9rem}
h1{font-size:2.1rem;line-height:1.15;margin:.15em 0 .1em;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:2.6rem 0 .7rem;letter-spacing:-.01em}h3{font-size:1.08rem;margin:0;line-height:1.35}
p{margin:.5em 0}.sub{color:var(--soft);margin:0}a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
code,.mono{font:.86em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
nav{margin:14px 0 0;font-size:.92rem;display:flex;flex-wrap:wrap;gap:4px 18px}
.headlines{margin:22px 0 0;padding:0;list-style:none}.headlines li{font-size:1.12rem;line-height:1.5;margin:.35em 0;max-width:62em}
.headlines li:first-child{font-size:1.3rem;line-height:1.4;font-weight:560}
.figures{display:flex;flex-wrap:wrap;gap:1px;background:var(--line);border:1px solid var(--line);
border-radius:12px;overflow:hidden;margin:26px 0 0}.figures div{flex:1 1 132px;background:var(--card);padding:14px 16px}
.figures b{display:block;font-size:1.42rem;font-weight:620;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.figures span{color:var(--soft);font-size:.86rem;line-height:1.3;display:block}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;box-shadow:var(--shadow);padding:18px 20px;margin:14px 0}
.card>header{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 12px;justify-content:space-between}
.tags{display:flex;flex-wrap:wrap;gap:6px;margin:8px 0 0}.tag{font-size:.78rem;line-height:1.5;padding:1px 9px;border-radius:11px;
background:var(--faint);color:var(--soft);border:1px solid var(--line)}.tag.call{color:var(--accent);border-color:var(--accent);background:none}
.share{font-variant-numeric:tabular-nums;color:var(--soft);font-size:.92rem;white-space:nowrap}
.bar{height:5px;border-radius:3px;background:var(--faint);margin:10px 0 2px;overflow:hidden}.bar i{display:block;height:100%;background:var(--accent)}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:3px 18px;margin:12px 0 0;font-size:.94rem}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
.callout{margin:14px 0 0;padding:9px 14px;border-left:3px solid var(--accent2);background:var(--faint);border-radius:0 8px 8px 0;font-size:.95rem}
.callout.good{border-color:var(--good)}.callout.error{border-color:var(--bad)}.callout.warning{border-color:var(--warn)}.callout p{margin:.2em 0}.card>p:first-child{margin-top:0}
.body{display:flex;flex-wrap:wrap;gap:0 32px;justify-content:space-between}.body>dl{flex:1 1 420px;align-self:flex-start}.pair{display:flex;flex-wrap:wrap;gap:18px 28px;margin:14px 0 0}figure{margin:0;min-width:0;max-width:100%}
figcaption{font-size:.88rem;color:var(--soft);margin:0 0 6px}figcaption b{color:var(--ink);font-weight:600}
.scroll{overflow-x:auto;max-width:100%}svg.figure{display:block;font-family:inherit}
.tick{fill:var(--soft);font-size:11px}.axis{fill:var(--soft);font-size:12px}.value{fill:var(--ink);font-size:10.5px}.value.on{fill:var(--on)}
.cell{fill:var(--accent)}.bars rect{fill:var(--soft);fill-opacity:.45}.bars .on rect{fill:var(--accent);fill-opacity:1}.bars .on text{font-weight:650}.bars .spread{stroke:var(--ink);stroke-opacity:.7}
.board{fill:var(--faint);stroke:var(--line)}.stripe{fill:var(--faint)}.rule{stroke:var(--line);stroke-width:1.4}
.msg path{stroke:var(--accent);fill:none}.msg .head,.msg circle{fill:var(--accent);stroke:none}.msg.fwd path{stroke:var(--accent2)}
.msg.fwd .head,.msg.fwd circle{fill:var(--accent2);stroke:none}.msg.sync path{stroke:var(--soft);stroke-dasharray:4 3}
.msg.sync .head,.msg.sync circle{fill:var(--soft)}.mark{fill:var(--card);stroke:var(--soft);stroke-width:1.5}
.call rect{fill:var(--accent);fill-opacity:.16;stroke:var(--accent)}.call circle{fill:var(--accent)}.call .root{stroke:var(--card);stroke-width:2}
.diagram rect{fill:var(--card);stroke:var(--line)}.diagram path{fill:none;stroke:var(--line);stroke-width:1.3}.diagram .order circle{fill:var(--soft)}
.diagram .coll path{stroke:var(--accent);stroke-width:1.8}.diagram .coll circle{fill:var(--accent)}.diagram .coll rect{stroke:var(--accent)}
.diagram .mess path{stroke:var(--accent2);stroke-width:1.8}.diagram .mess circle{fill:var(--accent2)}.diagram .mess rect{stroke:var(--accent2)}
.key{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:.84rem;color:var(--soft);margin:8px 0 0}.key i{display:inline-block;width:16px;height:3px;
vertical-align:middle;margin-right:6px;background:var(--accent)}.key i.fwd{background:var(--accent2)}.key i.sync{background:none;border-top:2px dashed var(--soft)}
.key i.call{height:12px;width:9px;border-radius:5px;border:1px solid var(--accent);background:none}.key i.work{height:9px;width:9px;border:1.5px solid var(--soft);border-radius:2px;background:none}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}th,td{padding:6px 12px 6px 0;text-align:right;
border-bottom:1px solid var(--line);vertical-align:top}th{color:var(--soft);font-weight:560;font-size:.85rem}th:first-child,td:first-child,.words td,.words th{text-align:left}
td:first-child{overflow-wrap:anywhere}tr:last-child td{border-bottom:0}ul.sites{margin:.2em 0 0;padding:0;list-style:none}
.pair table{width:auto;min-width:260px}.note{color:var(--soft);font-size:.9rem}
.reasons dt{font-weight:600;margin-top:14px}.reasons dd{margin:2px 0 0;max-width:60em;color:var(--soft)}.reasons dt:target{color:var(--accent)}
footer{padding:28px 24px 60px;color:var(--soft);font-size:.86rem}
@media(max-width:620px){dl.facts{grid-template-columns:1fr}dl.facts dd{margin-bottom:6px}h1{font-size:1.6rem}}
@media print{body{background:#fff}.card{break-inside:avoid;box-shadow:none}}
)css";

} // namespace tacit::surface
