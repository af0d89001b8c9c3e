/** A colour in the light and in the dark theme. */
interface Colour {
  readonly light: string
  readonly dark: string
}

/** Colours of the page. Each chart has the light ones in its attributes; a style replaces these in the dark theme, so they must differ. */
export const COLOURS = {
  page: { light: '#f4f6f8', dark: '#0d1117' },
  card: { light: '#ffffff', dark: '#161b22' },
  line: { light: '#dfe4ea', dark: '#2b323c' },
  grid: { light: '#e9edf1', dark: '#232a33' },
  text: { light: '#17202b', dark: '#e6ebf1' },
  muted: { light: '#5a6675', dark: '#98a3b1' },
  good: { light: '#18794e', dark: '#4cc38a' },
  warn: { light: '#ad5700', dark: '#f5b04c' },
  bad: { light: '#c62a35', dark: '#ff7078' },
  none: { light: '#dde2e8', dark: '#2a313b' },
  past: { light: '#9db8dd', dark: '#3f5f8f' },
  tonight: { light: '#2563c4', dark: '#6ea8ff' },
  added: { light: '#2c9667', dark: '#45b884' },
  changed: { light: '#4a82d9', dark: '#6b9ff0' },
  deleted: { light: '#d2604f', dark: '#ef8573' },
} as const satisfies Readonly<Record<string, Colour>>

/** Name of a colour. */
export type ColourName = keyof typeof COLOURS

/** The value in a chart. */
export function chartColour(name: ColourName): string {
  return COLOURS[name].light
}

const entries = Object.entries(COLOURS)

/** The colours as variables, in both themes, and those of the charts in the dark theme. */
export const COLOUR_STYLE = [
  `:root{color-scheme:light dark;${entries.map(([name, { light }]) => `--${name}:${light}`).join(';')}}`,
  '@media (prefers-color-scheme:dark){',
  `:root{${entries.map(([name, { dark }]) => `--${name}:${dark}`).join(';')}}`,
  ...entries.flatMap(([name, { light }]) => [
    `svg [fill="${light}"]{fill:var(--${name})}`,
    `svg [stroke="${light}"]{stroke:var(--${name})}`,
  ]),
  '}',
].join('\n')
