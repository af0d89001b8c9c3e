import { COLOUR_STYLE } from './palette.ts'

/** The style of the page. */
export const STYLE = `${COLOUR_STYLE}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
main,footer{max-width:1120px;margin:0 auto;padding:0 16px}
header{border-top:6px solid var(--state);background:var(--card);border-bottom:1px solid var(--line);padding:22px 0 18px;margin-bottom:24px}
header>div{max-width:1120px;margin:0 auto;padding:0 16px}
header.whole{--state:var(--good)}header.partial{--state:var(--warn)}header.failed{--state:var(--bad)}header.empty{--state:var(--none)}
h1{display:flex;gap:12px;align-items:center;margin:0;font-size:28px;line-height:1.2;letter-spacing:-.01em}
h1::before{content:"";flex:none;width:18px;height:18px;border-radius:50%;background:var(--state)}
h2{margin:28px 0 10px;font-size:18px}
h3{margin:0;font-size:13px;font-weight:600;color:var(--muted)}
.where{margin:6px 0 0;color:var(--muted)}
header .note{margin:10px 0 0}
.steps{display:flex;flex-wrap:wrap;gap:8px;margin:14px 0 0;padding:0;list-style:none}
.steps li{padding:2px 10px;border:1px solid var(--line);border-radius:99px;font-size:13px}
.steps li::before{content:"";display:inline-block;width:8px;height:8px;margin-right:7px;border-radius:50%;background:var(--dot)}
.steps span{color:var(--muted)}
.ok{--dot:var(--good)}.partial{--dot:var(--warn)}.failed{--dot:var(--bad)}.skipped{--dot:var(--none)}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(300px,100%),1fr));gap:14px}
figure{margin:0;display:flex;flex-direction:column;justify-content:space-between}
figcaption{margin-bottom:8px}
figcaption b{font-size:24px;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}
figcaption b.bad{color:var(--bad)}
figcaption span,.muted,.usual{color:var(--muted)}
svg{display:block;width:100%;height:auto;direction:ltr}
.none{flex:1;margin:0;color:var(--muted)}
.year{grid-column:1/-1}
.year>div{overflow-x:auto;direction:rtl}
@media (min-width:1010px){.year{grid-column:span 2}}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;font-size:13px;color:var(--muted)}
.key::before{content:"";display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px;background:var(--dot)}
.key.added{--dot:var(--added)}.key.changed{--dot:var(--changed)}.key.deleted{--dot:var(--deleted)}
.key.good{--dot:var(--good)}.key.warn{--dot:var(--warn)}.key.bad{--dot:var(--bad)}.key.none{--dot:var(--none)}
.problems{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--warn);border-radius:10px;padding:14px 18px}
.failed~main .problems{border-left-color:var(--bad)}
.problems h2{margin-top:0}
.problems ul{margin:0 0 10px;padding-left:18px}
q{quotes:none;color:var(--muted)}
i{font-style:normal;font-size:12px;color:var(--muted)}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;text-align:right;border-bottom:1px solid var(--grid)}
tbody tr:last-child>*{border-bottom:0}
thead th{white-space:nowrap;font-size:13px;font-weight:600;color:var(--muted)}
th:first-child{padding-left:0;text-align:left}
tbody th{font-weight:500}
td.added{color:var(--added)}td.changed{color:var(--changed)}td.deleted{color:var(--deleted)}
td.zero{color:var(--muted);opacity:.6}
td.spark,th:last-child{width:136px;padding-right:0}
.projects{margin:12px 0 0;padding:0;list-style:none}
.projects li{padding:7px 0;border-top:1px solid var(--grid)}
.projects li>bdi{font-weight:600}
.projects p{display:flex;flex-wrap:wrap;gap:0 18px;margin:0;font-size:14px}
.projects em{font-style:normal;color:var(--muted)}
mark{padding:0 7px;border-radius:99px;background:var(--added);color:var(--card);font-size:12px}
.card>p{margin:0}.card>p+h3,.card>p+p{margin-top:12px}
summary{margin-top:10px;cursor:pointer;color:var(--tonight)}
code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
footer{padding-top:20px;padding-bottom:28px;color:var(--muted);font-size:13px}
@media (max-width:560px){h1{font-size:22px}.usual{display:none}th,td{padding:5px 3px}tbody th:first-child{min-width:84px}table,thead th{font-size:12px}th:last-child,td.spark{width:52px}.card{padding:12px}.year svg{min-width:600px}}
@media (min-width:900px){.projects{display:grid;grid-template-columns:1fr 1fr;column-gap:36px}}
@media print{body{background:none}details>*{display:block}}
`
