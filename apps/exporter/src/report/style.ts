/** The style of the report: the colours of the HTML site. */
export const REPORT_STYLE = `
:root{color-scheme:light dark;--paper:light-dark(#fdfdfc,#16181b);--raised:light-dark(#f5f5f2,#1e2125);--ink:light-dark(#23262b,#dcdfe3);--soft:light-dark(#63686f,#9aa1a9);--line:light-dark(#e3e3de,#2f3338);--link:light-dark(#1f5fae,#8ab8f2);--good:light-dark(#1d6b3f,#7fd0a0);--warn:light-dark(#8a4b08,#f0b66a)}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
main,footer{max-width:62rem;margin:0 auto;padding:0 clamp(1rem,4vw,2rem)}
main{padding-top:1.5rem}
footer{padding-block:2rem;color:var(--soft);font-size:.9rem}
a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:.06em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}
h1{margin:.5rem 0 .3rem;font-size:1.9rem;line-height:1.25}
h2{margin:2.4rem 0 .6rem;padding-bottom:.3rem;border-bottom:1px solid var(--line);font-size:1.3rem;line-height:1.3}
h3{margin:1.4rem 0 .3rem;font-size:1.05rem}
p{margin:.5rem 0}
.state{font-weight:600}
.state.complete{color:var(--good)}
.state.accepted,.state.partial,.lack{color:var(--warn)}
.soft{color:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:1rem 0}
dt{color:var(--soft)}
dd{margin:0}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
thead th{color:var(--soft);font-weight:600;font-size:.9rem;white-space:nowrap}
tbody th{font-weight:400;min-width:9rem}
tfoot :is(th,td){font-weight:600;border-bottom:0}
.number{text-align:end;white-space:nowrap;overflow-wrap:normal}
ul{margin:.3rem 0;padding-inline-start:1.3rem}
li{padding-block:.1rem}
code{font:.9em ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.tag{display:inline-block;min-width:7.5rem;color:var(--soft);font-size:.85rem}
.kind{white-space:nowrap}
.changes{padding:0;list-style:none}
.problem{margin:.8rem 0;padding:.6rem 1rem;border:1px solid var(--line);border-inline-start:4px solid var(--warn);border-radius:8px;background:var(--raised)}
.problem p{margin:.2rem 0}
@media (max-width:36rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}h1{font-size:1.5rem}table{font-size:.9rem}.tag{min-width:0}}
@media print{:root{color-scheme:light}}
`
