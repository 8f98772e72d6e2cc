/** Light colours for A4 paper. No scripts, external fonts or external images. */
export const style = `
@page { size: A4; margin: 20mm 18mm 22mm; @bottom-left { content: "Tidemark · availability sheet"; font: 8pt sans-serif; color: #5b6570 } @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; color: #5b6570 } }
:root { color-scheme: light; --ink: #17202a; --soft: #55606b; --rule: #c9d1d8; --tint: #f3f6f8; --accent: #14556b }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 12mm 8mm; max-width: 190mm; background: #fff; color: var(--ink); font: 10pt/1.45 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; print-color-adjust: exact; -webkit-print-color-adjust: exact; overflow-wrap: anywhere }
header { border-bottom: 1.2pt solid var(--accent); padding-bottom: 5mm; margin-bottom: 6mm }
h1 { font-size: 21pt; line-height: 1.15; margin: 0 0 1.5mm; letter-spacing: -0.01em }
h2 { font-size: 13pt; margin: 9mm 0 2.5mm; color: var(--accent); break-after: avoid }
h3 { font-size: 10.5pt; margin: 5mm 0 1.5mm; break-after: avoid }
p { margin: 0 0 2.5mm; orphans: 3; widows: 3 }
.kind { text-transform: uppercase; letter-spacing: 0.09em; font-size: 8pt; color: var(--soft); margin: 0 0 2mm }
.lead { font-size: 11pt; color: var(--soft); margin: 0 }
.meta { font-size: 8.8pt; color: var(--soft); margin: 1mm 0 0 }
.totals { display: grid; grid-template-columns: repeat(4, 1fr); gap: 3mm; margin: 0 0 6mm; padding: 0 }
.totals div { background: var(--tint); border-left: 2pt solid var(--accent); padding: 3mm 3.5mm; break-inside: avoid }
.totals dt { font-size: 8pt; color: var(--soft); margin: 0 }
.totals dd { margin: 0; font-size: 15pt; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap }
table { width: 100%; border-collapse: collapse; margin: 0 0 3mm; font-size: 8.8pt }
thead { display: table-header-group }
tfoot { display: table-row-group }
th[scope=row], th.w, td.w { min-width: 34mm }
th.m, td.m { min-width: 22mm }
tr { break-inside: avoid }
th, td { text-align: left; vertical-align: top; padding: 1.6mm 2mm; border-bottom: 0.4pt solid var(--rule) }
th { font-weight: 600; font-size: 8pt; color: var(--soft); border-bottom: 0.8pt solid var(--ink); vertical-align: bottom }
tbody th { font-size: 8.8pt; color: var(--ink); border-bottom: 0.4pt solid var(--rule); vertical-align: top }
th:first-child, td:first-child { padding-left: 0 }
th:last-child, td:last-child { padding-right: 0 }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.t { font-variant-numeric: tabular-nums; min-width: 23mm }
tfoot td, tfoot th { font-weight: 600; border-top: 0.8pt solid var(--ink); border-bottom: none; color: var(--ink); font-size: 8.8pt }
small, .id { font-size: 7.6pt; color: var(--soft); font-weight: 400 }
td.hash { min-width: 106mm }
code, .hash { font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 7.6pt }
pre { background: var(--tint); padding: 2.5mm 3mm; margin: 0 0 2.5mm; white-space: pre-wrap; font-size: 7.6pt; line-height: 1.4 }
dl.words { display: grid; grid-template-columns: 36mm 1fr; gap: 1.4mm 4mm; margin: 0 0 3mm }
dl.words dt { font-weight: 600 }
dl.words dd { margin: 0 }
.signatures { display: grid; grid-template-columns: 1fr 1fr; gap: 14mm; margin-top: 22mm; break-inside: avoid }
.signatures div { border-top: 0.6pt solid var(--ink); padding-top: 1.5mm; font-size: 8pt; color: var(--soft) }
.closing { break-inside: avoid }
details { margin-top: 10mm; color: var(--soft) }
@media print { body { padding: 0; max-width: none } details { display: none } .outages { break-before: page } .after-outages { break-before: page } .outages h2, .after-outages h2:first-child { margin-top: 0 } }
`.trim()
