import type { TopLevelSpec } from 'vega-lite'
import type { DayOutcome, Point } from './series.ts'

// Charts are data, drawn by render-chart.ts. Without a canvas, widths of texts are only estimated, so all paddings are fixed.

/** Colours of the parts of charts: those of the page, so that they fit both themes and paper. */
const COLOURS = {
  label: 'var(--soft)',
  grid: 'var(--line)',
  tonight: 'var(--accent)',
  past: 'var(--past)',
  none: 'var(--none)',
  whole: 'var(--good)',
  partial: 'var(--warn)',
  failed: 'var(--bad)',
  added: 'var(--good)',
  changed: 'var(--accent)',
  deleted: 'var(--bad)',
} as const

/** Size of a chart of nights in units of its view box, which are pixels on a phone. */
const NIGHTS = { width: 292, height: 96, padding: { left: 46, right: 14, top: 8, bottom: 20 } } as const

const CONFIG = {
  background: 'transparent',
  font: 'inherit',
  view: { stroke: null },
  aria: false,
  axis: {
    labelColor: COLOURS.label,
    labelFontSize: 11,
    gridColor: COLOURS.grid,
    domain: false,
    ticks: false,
    labelPadding: 6,
    // the widest label has seven characters, for which the padding has room
    labelLimit: 0,
    title: null,
  },
} as const

/** Parts of the values of a night, one above the other. */
export interface Stack {
  readonly name: 'added' | 'changed' | 'deleted'
  readonly points: readonly Point[]
}

/** How the values of an axis are written, as an expression of Vega. */
export type AxisFormat = 'count' | 'bytes' | 'hours' | 'minutes' | 'seconds'

const LABELS: Readonly<Record<AxisFormat, string>> = {
  count: "datum.value >= 1000 ? format(datum.value, '.2~s') : format(datum.value, '~r')",
  bytes: "datum.value === 0 ? '0' : format(datum.value, '.2~s') + 'B'",
  hours: "format(datum.value, '~r') + ' h'",
  minutes: "format(datum.value, '~r') + ' min'",
  seconds: "format(datum.value, '~r') + ' s'",
}

/** Bars of one measure: the last night has a stronger colour, failed and partial nights have their own colours. */
export function nightBars(points: readonly Point[], format: AxisFormat): TopLevelSpec {
  const last = points.at(-1)
  const values = points.map((point) => ({
    at: point.at,
    value: point.value ?? 0,
    colour: COLOURS[point.outcome !== 'whole' ? point.outcome : point === last ? 'tonight' : 'past'],
  }))
  return chart(points, format, values, {})
}

/** Stacked bars, of which the nights before the last one are paler. */
export function stackedBars(stacks: readonly Stack[], format: AxisFormat): TopLevelSpec {
  const points = stacks[0]?.points ?? []
  const last = points.at(-1)
  const values = stacks.flatMap(({ name, points: ofStack }, order) =>
    ofStack.map(({ at, value }) => ({
      at,
      value: value ?? 0,
      order,
      colour: COLOURS[name],
      opacity: at === last?.at ? 1 : 0.6,
    })),
  )
  return chart(points, format, values, {
    order: { field: 'order', type: 'quantitative' },
    opacity: { field: 'opacity', type: 'quantitative', scale: null },
  })
}

/** Minimum number of nights for which a chart has room. */
const LEAST_SLOTS = 15

/** The times after blanks, so that bars of the first nights are not wider than those of later ones. */
function slots(times: readonly string[]): string[] {
  return [...Array.from({ length: Math.max(0, LEAST_SLOTS - times.length) }, (_, index) => `blank ${index}`), ...times]
}

function chart(
  points: readonly Point[],
  format: AxisFormat,
  values: readonly object[],
  encoding: Readonly<Record<string, unknown>>,
): TopLevelSpec {
  const times = points.map(({ at }) => at)
  const highest = Math.max(0, ...points.map(({ value }) => value ?? 0))
  const isSmall = highest === 0 || (format === 'count' && highest < 4)
  const missing = points.filter(({ value }) => value === null).map(({ at }) => ({ at, mark: 0 }))
  return {
    ...NIGHTS,
    autosize: { type: 'none' },
    config: CONFIG,
    data: { values: [...values] },
    encoding: {
      x: {
        field: 'at',
        type: 'ordinal',
        sort: null,
        scale: { domain: slots(times), paddingInner: 0.25, paddingOuter: 0.1 },
        axis: {
          values: labelledTimes(times),
          labelExpr: "utcFormat(toDate(datum.value), '%-d %b')",
          labelAngle: 0,
          labelPadding: 7,
          grid: false,
        },
      },
    },
    layer: [
      {
        mark: { type: 'bar' },
        encoding: {
          y: {
            field: 'value',
            type: 'quantitative',
            // whole numbers only, where there are few
            scale: isSmall ? { domain: [0, 4], nice: false } : { zero: true, nice: 3 },
            axis: { tickCount: isSmall ? 2 : 3, labelExpr: LABELS[format] },
          },
          color: { field: 'colour', type: 'nominal', scale: null },
          ...encoding,
        },
      },
      {
        data: { values: missing },
        mark: {
          type: 'point',
          shape: 'cross',
          angle: 45,
          size: 26,
          filled: true,
          color: COLOURS.failed,
          yOffset: -5,
        },
        encoding: { y: { field: 'mark', type: 'quantitative' } },
      },
    ],
  } as TopLevelSpec // the library's type does not follow spread objects
}

/** The first, a middle and the last time, if there is room for their labels. */
function labelledTimes(times: readonly string[]): string[] {
  const middle = times.length < LEAST_SLOTS ? [] : [times.at(times.length >> 1)]
  const first = times.length < LEAST_SLOTS / 2 ? [] : [times.at(0)]
  return [...new Set([...first, ...middle, times.at(-1)])].filter((time) => time !== undefined)
}

/** Bars without axes, for the cell of a table. */
export function sparkline(points: readonly Point[]): TopLevelSpec {
  const last = points.at(-1)
  const values = points.map((point) => ({
    at: point.at,
    value: point.value ?? 0,
    colour: COLOURS[point === last ? 'tonight' : 'past'],
  }))
  return {
    width: 120,
    height: 22,
    padding: 1,
    autosize: { type: 'none' },
    config: CONFIG,
    data: { values },
    mark: { type: 'bar' },
    encoding: {
      x: {
        field: 'at',
        type: 'ordinal',
        sort: null,
        axis: null,
        scale: { domain: slots(points.map(({ at }) => at)), paddingInner: 0.25 },
      },
      y: { field: 'value', type: 'quantitative', axis: null, scale: { zero: true } },
      color: { field: 'colour', type: 'nominal', scale: null },
    },
  }
}

/** A square for each day, in columns of weeks (Monday to Sunday). */
export function dayGrid(days: readonly DayOutcome[]): TopLevelSpec {
  const monday = (time: number) => time - ((new Date(time).getUTCDay() + 6) % 7) * 86_400_000
  const first = monday(Date.parse(days[0]?.day ?? '1970-01-01'))
  const values = days.map(({ day, outcome }) => {
    const time = Date.parse(day)
    const weekday = (new Date(time).getUTCDay() + 6) % 7
    return { week: Math.round((monday(time) - first) / 604_800_000), weekday, colour: COLOURS[outcome] }
  })
  const weeks = Math.max(LEAST_SLOTS, ...values.map(({ week }) => week + 1))
  const months = new Map<number, string>()
  for (const [index, { day }] of days.entries()) {
    const week = values[index]?.week
    if (day.endsWith('-01') && week !== undefined) months.set(week, MONTHS[Number(day.slice(5, 7)) - 1] ?? '')
  }
  const names = JSON.stringify(Object.fromEntries(months))
  return {
    width: weeks * 12,
    height: 84,
    padding: { left: 26, right: 14, top: 2, bottom: 18 },
    autosize: { type: 'none' },
    config: CONFIG,
    data: { values },
    mark: { type: 'rect' },
    encoding: {
      x: {
        field: 'week',
        type: 'ordinal',
        scale: { domain: Array.from({ length: weeks }, (_, week) => week), paddingInner: 0.18 },
        axis: {
          values: [...months.keys()],
          labelExpr: `(${names})[datum.value]`,
          labelAngle: 0,
          labelAlign: 'left',
          offset: 0,
        },
      },
      y: {
        field: 'weekday',
        type: 'ordinal',
        scale: { domain: [0, 1, 2, 3, 4, 5, 6], paddingInner: 0.18 },
        axis: { values: [0, 4], labelExpr: "datum.value === 0 ? 'Mon' : 'Fri'", labelPadding: 4 },
      },
      color: { field: 'colour', type: 'nominal', scale: null },
    },
  } as TopLevelSpec // the library's type does not follow spread objects
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
