import { defaultSchema, type Schema } from 'hast-util-sanitize'

/** Elements that show something harmless and that the schema of GitHub, which this one is made from, leaves out. */
const ALSO_HARMLESS = ['abbr', 'address', 'bdi', 'bdo', 'caption', 'center', 'cite', 'col', 'colgroup', 'dfn']
const ALSO_HARMLESS_TEXT = ['figcaption', 'figure', 'font', 'mark', 'small', 'time', 'u', 'wbr']

/** They would load something; links stand in for them. */
const LOADING = new Set(['img', 'picture', 'source'])

/**
 * What of the HTML in a text is kept: what shows text. No script, style, form, frame, image or drawing; no attribute that
 * names a script, a style or a class of ours; links to the web and to mail alone. Other elements go, their text stays.
 */
export const SCHEMA: Schema = {
  ...defaultSchema,
  tagNames: [
    ...(defaultSchema.tagNames ?? []).filter((name) => !LOADING.has(name)),
    ...ALSO_HARMLESS,
    ...ALSO_HARMLESS_TEXT,
  ],
  // With all that is in them: what they hold is no text for a reader.
  strip: [
    ...['script', 'style', 'title', 'head', 'template', 'noscript', 'noembed', 'noframes'],
    ...['svg', 'math', 'select', 'textarea', 'xmp', 'plaintext', 'applet', 'canvas'],
  ],
  protocols: { href: ['http', 'https', 'mailto', 'tel'], cite: ['http', 'https'] },
  // Ids get a prefix of ours later, see `prefixIds`.
  clobber: [],
}
