import { html, Markup } from '@collab-etl/documents/html/parts'
import type { TopLevelSpec } from 'vega-lite'

/** Draws charts as static SVG. Screen readers skip them: the text beside a chart has its numbers. */
export interface ChartRenderer {
  render(spec: TopLevelSpec): Promise<Markup>
}

/** Loads the libraries that draw charts: they take half a second, and only a report needs them. */
export async function chartRenderer(): Promise<ChartRenderer> {
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')])
  return {
    render: async (spec) => {
      const logger = vega.logger(vega.None)
      const { spec: compiled } = compile(spec, { logger })
      const view = new vega.View(vega.parse(compiled), { renderer: 'none', logger })
      try {
        return drawn(await view.toSVG())
      } finally {
        view.finalize()
      }
    },
  }
}

/** What Vega adds for its own scripts, and parts that draw nothing. */
const UNUSED =
  / (?:class|role|aria-roledescription|aria-hidden|pointer-events|opacity)="(?:[a-z][^"]*|1)"|<path(?: (?:class|aria-hidden|pointer-events|display)="[^"]*")* d=""[^>]*\/>|<path class="background"[^>]*\/>/g

/** The SVG as wide as there is room, with coordinates of one decimal place; a script translates its texts. */
function drawn(svg: string): Markup {
  const [, viewBox = '', drawing = ''] = /^<svg[^>]*viewBox="([^"]*)"[^>]*>([\s\S]*)<\/svg>\s*$/.exec(svg) ?? []
  const short = drawing
    .replace(UNUSED, '')
    .replaceAll('<text', '<text data-t')
    .replace(/ (?:d|transform|x|y|x2|y2)="[^"]*"/g, (attribute) =>
      attribute.replace(/-?\d+\.\d{2,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 10) / 10)),
    )
  return html`<svg viewBox="${viewBox}" aria-hidden="true">${new Markup(short)}</svg>`
}
